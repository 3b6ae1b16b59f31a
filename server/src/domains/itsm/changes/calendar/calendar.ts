import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { Time } from "#kernel/schema/schema.ts";
import { Change } from "../change.ts";
import { PLANNED_STATES } from "../lifecycle.ts";
import { BlackoutWindow, findBlackouts } from "../windows/blackout.ts";
import { assertOrder, parseMoment, type Window } from "../windows/window.ts";
import { type CalendarEntry, toICalendar } from "./icalendar.ts";

const ENTRIES_MAX = 1_000;
const DAYS_MAX = 400;
const DAY_MS = 86_400_000;

const { id, number, title, state, type, risk, assigneeId, teamId, ciIds } = Change.properties;

const CalendarChange = Type.Object(
  {
    id,
    number,
    title,
    state,
    type,
    risk,
    assigneeId,
    teamId,
    plannedStart: Time,
    plannedEnd: Time,
    ciIds,
    conflicts: Type.Integer({
      description:
        "Number of conflicting changes and change freezes. Zero for changes that have ended",
    }),
  },
  { title: "CalendarChange" },
);

export const Calendar = Type.Object(
  {
    from: Time,
    to: Time,
    changes: Type.Array(CalendarChange),
    blackoutWindows: Type.Array(BlackoutWindow),
    truncated: Type.Boolean({
      description: `True if there are more than ${ENTRIES_MAX} changes or change freezes`,
    }),
  },
  { title: "ChangeCalendar" },
);

const isPlanned = (table: string): string =>
  `${table}.state = any('{${PLANNED_STATES.join(",")}}'::text[])`;

/** Counts the changes and blackout windows that `findConflicts` lists. */
const countChanges = `(
  select count(distinct o.id)::int from ticket_items i join changes o on o.id = i.ticket_id
   where i.item_id = any(about.ids) and i.kind = 'change' and o.id <> c.id and ${isPlanned("o")}
     and o.planned_start < c.planned_end and o.planned_end > c.planned_start)`;
const countBlackouts = `(
  select count(*)::int from blackout_windows b
   where b.starts_at < c.planned_end and b.ends_at > c.planned_start
     and (cardinality(b.item_ids) = 0 or b.item_ids && about.ids))`;

interface PlannedChange extends Static<typeof CalendarChange> {
  readonly description: string;
  readonly revision: number;
  readonly updatedAt: string;
}

/** Excludes private drafts, and rejected or cancelled changes. */
const PLANNED = `
  select c.id, number, title, description, state, type, revision, updated_at as "updatedAt",
         json_build_object('score', risk_score, 'level', risk_level, 'reasons', risk_reasons) as risk,
         assignee_id as "assigneeId", team_id as "teamId",
         planned_start as "plannedStart", planned_end as "plannedEnd", about.ids as "ciIds",
         case when ${isPlanned("c")} then ${countChanges} + ${countBlackouts} else 0 end as conflicts
    from changes c cross join lateral (
      select coalesce(array_agg(item_id order by item_id), '{}') as ids
        from ticket_items where ticket_id = c.id and kind = 'change') about
   where planned_start < $2 and planned_end > $1
     and state = any('{submitted,approved,implementing,completed,rolled_back}'::text[])
   order by planned_start, no limit ${ENTRIES_MAX + 1}`;

/** Reads the changes and blackout windows that are planned in a window. */
export async function readCalendar(tx: Tx, window: Window) {
  const [rows, blackouts] = await Promise.all([
    queryRows(tx, PLANNED, [window.start, window.end]),
    findBlackouts(tx, window, { limit: ENTRIES_MAX + 1 }),
  ]);
  return {
    from: window.start,
    to: window.end,
    // The columns are the fields.
    changes: rows.slice(0, ENTRIES_MAX) as unknown as PlannedChange[],
    blackoutWindows: blackouts.slice(0, ENTRIES_MAX),
    truncated: rows.length > ENTRIES_MAX || blackouts.length > ENTRIES_MAX,
  };
}

/** Parses the window of a query, with default numbers of days before and after now. */
export function parseWindow(
  { from, to }: { readonly from?: string; readonly to?: string },
  now: Date,
  { daysBefore, daysAfter }: { readonly daysBefore: number; readonly daysAfter: number },
): Window {
  const start = from === undefined ? daysFrom(now, -daysBefore) : parseMoment("?from", from);
  const end =
    to === undefined
      ? daysFrom(from === undefined ? now : new Date(start), daysAfter)
      : parseMoment("?to", to);
  assertOrder("?to", start, end);
  if (Date.parse(end) - Date.parse(start) > DAYS_MAX * DAY_MS) {
    throw invalidField("?to", `must be at most ${DAYS_MAX} days after the start`);
  }
  return { start, end };
}

function daysFrom(now: Date, days: number): string {
  return new Date(now.getTime() + days * DAY_MS).toISOString();
}

/** The range of the calendar feed: a month back and a year ahead. */
export const FEED_DAYS = { daysBefore: 31, daysAfter: 365 };

/** Reads the calendar of a window in iCalendar format. */
export async function readICalendar(tx: Tx, window: Window): Promise<string> {
  const { changes, blackoutWindows } = await readCalendar(tx, window);
  return toICalendar("Changes", [
    ...changes.map(changeEntry),
    ...blackoutWindows.map(blackoutEntry),
  ]);
}

function changeEntry(change: PlannedChange): CalendarEntry {
  return {
    uid: `${change.id}@millrace`,
    start: change.plannedStart,
    end: change.plannedEnd,
    stamp: change.updatedAt,
    sequence: change.revision - 1,
    summary: `${change.number} ${change.title}`,
    description:
      `State: ${change.state}\nRisk: ${change.risk.level}\n\n${change.description}`.trim(),
    status: change.state === "submitted" ? "TENTATIVE" : "CONFIRMED",
    categories: ["Change", change.type],
  };
}

function blackoutEntry(window: BlackoutWindow): CalendarEntry {
  return {
    uid: `${window.id}@millrace`,
    start: window.start,
    end: window.end,
    stamp: window.updatedAt,
    sequence: window.revision - 1,
    summary: `Change freeze: ${window.name}`,
    description: window.reason,
    status: "CONFIRMED",
    categories: ["Blackout"],
  };
}
