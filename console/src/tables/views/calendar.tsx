/** Records by day in a month. Dragging moves a record to another day; keyboard users set the date in its panel. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { useOp } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import { Empty, ErrorNotice } from "../../ui/feedback.tsx";
import { nameIn } from "../column/value.ts";
import { useAccess } from "../sheet/use-access.ts";
import type { ViewProps } from "./board.tsx";
import { dayOf, daysOf, stepMonth } from "./month.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

const SHOWN_MAX = 1_000;
const DAY_ENTRIES = 4;
const DRAGGED = "text/x-millrace-record";
const WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

type Entry = Readonly<Record<string, unknown>> & { readonly id: string };

export function CalendarView({ table, columns, state, onOpen }: ViewProps) {
  const { layout, search } = state;
  const { slug } = table;
  const today = dayOf(new Date().toISOString()) ?? "";
  const [month, setMonth] = useState(today.slice(0, 7));
  const column = columns.find(({ name }) => name === layout.dateField);
  const days = useMemo(() => daysOf(month), [month]);
  const access = useAccess(table);
  const field = column?.name ?? "createdAt";
  const own = {
    [field]: { gte: days[0], lte: `${days.at(-1)}${column?.type === "date" ? "" : "T23:59:59Z"}` },
  };
  const filter = Object.keys(layout.filter).length === 0 ? own : { and: [layout.filter, own] };
  const { data, error } = useOp("records.list", {
    params: { slug },
    query: {
      filter: JSON.stringify(filter),
      limit: SHOWN_MAX,
      sort: field,
      ...(search.q !== undefined && { q: search.q }),
    },
  });
  const byDay = useMemo(
    () => Map.groupBy((data?.data ?? []) as readonly Entry[], (entry) => dayOf(entry[field]) ?? ""),
    [data, field],
  );
  if (!column)
    return (
      <Empty title="The column of this calendar was deleted">
        Create a new calendar with another column.
      </Empty>
    );
  const move = async (id: string, day: string): Promise<void> => {
    const entry = data?.data.find((one) => one.id === id) as Entry | undefined;
    const before = entry?.[field];
    const isDate = column.type === "date";
    const after = isDate || typeof before !== "string" ? day : withDay(before, day);
    const edits = [{ id, set: { [field]: after } }];
    await perform(
      "records.edit",
      { params: { slug }, body: { edits } },
      { said: `Moved to ${day}` },
    );
  };
  return (
    <div className="month-view">
      <div className="month-head">
        <Button
          look="bare"
          isIcon
          aria-label="Previous month"
          onClick={() => setMonth(stepMonth(month, -1))}
        >
          <ChevronLeft />
        </Button>
        <h2>{MONTHS.format(Date.parse(`${month}-01T00:00:00Z`))}</h2>
        <Button
          look="bare"
          isIcon
          aria-label="Next month"
          onClick={() => setMonth(stepMonth(month, 1))}
        >
          <ChevronRight />
        </Button>
        <Button onClick={() => setMonth(today.slice(0, 7))}>Today</Button>
      </div>
      {error && <ErrorNotice error={error} />}
      <ol className="month scroll" tabIndex={0} aria-label="Days">
        {days.map((day, n) => (
          <li
            key={day}
            className={`day${day.startsWith(month) ? "" : " other-month"}${day === today ? " today" : ""}`}
            onDragOver={(event) => {
              if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
            }}
            onDrop={(event) => void move(event.dataTransfer.getData(DRAGGED), day)}
          >
            <span className="day-number">
              {n < 7 && <span className="muted">{WEEK[n]} </span>}
              {Number(day.slice(8))}
            </span>
            <DayEntries
              entries={byDay.get(day) ?? []}
              mayMove={access.update === undefined}
              onOpen={onOpen}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}

const MONTHS = new Intl.DateTimeFormat("en-GB", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** Changes the day of a timestamp and keeps its time. */
function withDay(moment: string, day: string): string {
  const at = new Date(moment);
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  at.setFullYear(year, month - 1, date);
  return at.toISOString();
}

interface DayEntriesProps {
  readonly entries: readonly Entry[];
  readonly mayMove: boolean;
  readonly onOpen: (id: string) => void;
}

function DayEntries({ entries, mayMove, onOpen }: DayEntriesProps) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? entries : entries.slice(0, DAY_ENTRIES);
  return (
    <>
      {shown.map((entry) => (
        <PlainButton
          key={entry.id}
          className="day-entry cut"
          draggable={mayMove}
          onDragStart={(event) => event.dataTransfer.setData(DRAGGED, entry.id)}
          onClick={() => onOpen(entry.id)}
        >
          {nameIn(entry) ?? entry.id}
        </PlainButton>
      ))}
      {entries.length > shown.length && (
        <Button look="bare" onClick={() => setAll(true)}>
          {entries.length - shown.length} more
        </Button>
      )}
    </>
  );
}
