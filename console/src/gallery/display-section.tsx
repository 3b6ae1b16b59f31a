import { useState } from "react";
import { Avatar } from "../ui/avatar.tsx";
import { Bars, SparkBars, Sparkline } from "../ui/display/chart.tsx";
import { Diff } from "../ui/display/diff.tsx";
import { type Column, Table } from "../ui/display/table.tsx";
import { Timeline } from "../ui/display/timeline.tsx";
import { Empty } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { toDuration } from "../ui/words.ts";
import { Case, Sample } from "./sample.tsx";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly ms: number;
}

const ROWS_MANY = 5_000;
const STATES = ["completed", "failed", "running", "waiting"];
const ROWS: readonly Row[] = Array.from({ length: ROWS_MANY }, (_, n) => ({
  id: `run_${n}`,
  name:
    n === 3
      ? "A workflow with a very long name that does not fit into the columns"
      : `Settle the day ${n}`,
  state: STATES[n % STATES.length] ?? "queued",
  ms: (n * 7_919) % 90_000,
}));
const COLUMNS: readonly Column<Row>[] = [
  { id: "name", label: "Workflow", cell: ({ name }) => name, sortBy: ({ name }) => name },
  { id: "state", label: "State", width: "120px", cell: ({ state }) => <State state={state} /> },
  {
    id: "ms",
    label: "Took",
    width: "110px",
    isNumber: true,
    cell: ({ ms }) => toDuration(ms),
    sortBy: ({ ms }) => ms,
  },
];

const BEFORE = Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n");
const AFTER = BEFORE.replace("line 4\n", "line four\nand a half\n").replace("line 22\n", "");
const AT = ["2026-11-16T09:00:00Z", "2026-11-16T09:04:00Z", "2026-11-16T10:12:00Z"] as const;

export function DisplaySection() {
  const [open, setOpen] = useState<string>();
  return (
    <>
      <Sample
        title="Table"
        about="5,000 rows, of which only the visible ones are rendered. One tab stop: arrow keys move, Enter opens."
        isWide
      >
        <div className="gallery-table">
          <Table
            label="Runs"
            columns={COLUMNS}
            rows={ROWS}
            keyOf={({ id }) => id}
            chosen={open}
            onOpen={({ id }) => setOpen(id)}
          />
        </div>
        <Case label="Empty">
          <Table
            label="No runs"
            columns={COLUMNS}
            rows={[]}
            keyOf={({ id }) => id}
            empty={<Empty title="No runs yet" />}
          />
        </Case>
      </Sample>
      <Sample title="Difference" about="Line by line. Long unchanged parts are collapsed." isWide>
        <Case label="Split (unified at 400 px)">
          <Diff before={BEFORE} after={AFTER} beforeLabel="Version 2" afterLabel="Version 3" />
        </Case>
        <Case label="Unified">
          <Diff
            before={BEFORE}
            after={AFTER}
            way="unified"
            beforeLabel="Draft"
            afterLabel="Saved"
          />
        </Case>
        <Case label="No differences">
          <Diff before="a" after="a" />
        </Case>
      </Sample>
      <Sample title="Timeline" about="Events with person and time.">
        <Timeline
          label="History"
          entries={[
            {
              id: "1",
              at: AT[2],
              title: "Ada deployed version 3 to production",
              mark: <Avatar name="Ada Lovelace" />,
            },
            {
              id: "2",
              at: AT[1],
              title: "A run failed",
              tone: "bad",
              children: "Card declined: insufficient funds",
            },
            { id: "3", at: AT[0], title: "Created", tone: "ok" },
          ]}
        />
      </Sample>
      <Charts />
    </>
  );
}

function Charts() {
  const runs = ROWS.slice(0, 20).map(({ state, ms }) => ({
    label: `${state}, ${toDuration(ms)}`,
    value: ms,
    tone: state === "failed" ? ("bad" as const) : ("ok" as const),
  }));
  return (
    <Sample title="Charts" about="Small charts with labels. Colours show states or categories.">
      <Case label="Sparkline">
        <Sparkline values={[3, 8, 5, 12, 41, 22, 12]} label="Runs per day: 3 to 41, now 12" />
      </Case>
      <Case label="Sparkline without data">
        <Sparkline values={[]} label="No runs" />
      </Case>
      <Case label="Last runs">
        <SparkBars items={runs} label="Last 20 runs, 5 failed" />
      </Case>
      <Case label="Bars">
        <Bars
          label="Runs by workflow"
          items={[
            { label: "Settle the day", value: 1240 },
            { label: "A workflow with a very long name", value: 410 },
            { label: "Failed", value: 38, tone: "bad" },
          ]}
        />
      </Case>
    </Sample>
  );
}
