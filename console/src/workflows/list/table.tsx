import { ArrowDown, ArrowUp } from "lucide-react";
import { useEffect, useRef } from "react";
import type { MenuItem } from "../../ui/overlay/menu.tsx";
import { showRow, useRowWindow } from "../../ui/behaviour/row-window.ts";
import type { Sort } from "./order.ts";
import type { summariseRuns } from "./recent-runs.ts";
import { type Listed, WorkflowRow } from "./row.tsx";
import { PlainButton } from "../../ui/form/button.tsx";

const COLUMNS: readonly (readonly [string, Sort | undefined, boolean])[] = [
  ["Name", "name", false],
  ["Deployed", undefined, false],
  ["Trigger", undefined, true],
  ["Runs", undefined, true],
  ["Failed in 24 h", "failures", true],
  ["Last run", "runs", true],
  ["Changed", "changed", true],
];

const ROW_PX = 52;
const HEAD_PX = 32;

/** The table of workflows; a click on a column header sorts by it. */
export function WorkflowTable(props: {
  readonly workflows: readonly Listed[];
  readonly summaries: ReturnType<typeof summariseRuns>;
  readonly sort: string;
  readonly chosen: string | undefined;
  readonly itemsOf: (workflow: Listed) => readonly MenuItem[];
  readonly onSort: (sort: string) => void;
}) {
  const { workflows, chosen } = props;
  const box = useRef<HTMLDivElement>(null);
  const { from, to } = useRowWindow(box, ROW_PX, workflows.length);
  const at = workflows.findIndex(({ id }) => id === chosen);
  useEffect(() => {
    if (box.current && at >= 0) showRow(box.current, ROW_PX, at, HEAD_PX);
  }, [at]);
  return (
    <div ref={box} className="scroll workflow-scroll">
      <table className="workflow-table" aria-rowcount={workflows.length + 1}>
        <thead>
          <tr>
            {COLUMNS.map(([label, by, isWide]) => (
              <Column
                key={label}
                label={label}
                by={by}
                isWide={isWide}
                sort={props.sort}
                onSort={props.onSort}
              />
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          <Gap rows={from} />
          {workflows.slice(from, to).map((workflow, n) => (
            <WorkflowRow
              key={workflow.id}
              index={from + n + 2}
              workflow={workflow}
              summary={props.summaries.get(workflow.id)}
              isChosen={workflow.id === chosen}
              items={props.itemsOf(workflow)}
            />
          ))}
          <Gap rows={workflows.length - to} />
        </tbody>
      </table>
    </div>
  );
}

/** A spacer as tall as the rows not rendered. */
function Gap({ rows }: { readonly rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr className="workflow-gap" aria-hidden="true">
      <td colSpan={COLUMNS.length + 1} style={{ height: rows * ROW_PX }} />
    </tr>
  );
}

function Column(props: {
  readonly label: string;
  readonly by: Sort | undefined;
  readonly isWide: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}) {
  const { label, by, sort } = props;
  const isBy = by !== undefined && sort.replace("-", "") === by;
  const isReverse = sort.startsWith("-");
  return (
    <th
      scope="col"
      className={props.isWide ? "wide-cell" : undefined}
      aria-sort={isBy ? (isReverse ? "descending" : "ascending") : undefined}
    >
      {by === undefined ? (
        label
      ) : (
        <PlainButton onClick={() => props.onSort(isBy && !isReverse ? `-${by}` : by)}>
          {label}
          {isBy && (isReverse ? <ArrowUp className="ico" /> : <ArrowDown className="ico" />)}
        </PlainButton>
      )}
    </th>
  );
}
