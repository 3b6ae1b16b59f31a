import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { Change, type ChangeRecord } from "../change.ts";
import { PLANNED_STATES } from "../lifecycle.ts";
import { BlackoutWindow, findBlackouts } from "./blackout.ts";
import { plannedWindowOf } from "./window.ts";

const CONFLICTS_MAX = 200;

const { number, title, state, type } = Change.properties;

export const ConflictingChange = Type.Object(
  {
    id: id("chg"),
    number,
    title,
    state,
    type,
    plannedStart: nullable(Time),
    plannedEnd: nullable(Time),
    ciIds: Type.Array(Type.String(), { description: "Configuration items of both changes" }),
  },
  { title: "ConflictingChange" },
);

export const Conflicts = Type.Object(
  {
    changes: Type.Array(ConflictingChange),
    blackoutWindows: Type.Array(BlackoutWindow),
  },
  { title: "ChangeConflicts" },
);
export type Conflicts = Static<typeof Conflicts>;

const OVERLAPPING = `
  select c.id, c.number, c.title, c.state, c.type, c.planned_start as "plannedStart",
         c.planned_end as "plannedEnd", array_agg(i.item_id order by i.item_id) as "ciIds"
    from ticket_items i join changes c on c.id = i.ticket_id
   where i.item_id = any($1::text[]) and i.kind = 'change' and c.id <> $2
     and c.state = any($3::text[]) and c.planned_start < $5 and c.planned_end > $4
   group by c.id order by c.planned_start, c.no limit ${CONFLICTS_MAX}`;

type PlannedChange = Pick<ChangeRecord, "id" | "ciIds" | "plannedStart" | "plannedEnd">;

/** Finds the changes and blackout windows that conflict with the planned window of a change. */
export async function findConflicts(tx: Tx, change: PlannedChange): Promise<Conflicts> {
  const window = plannedWindowOf(change);
  if (!window) return { changes: [], blackoutWindows: [] };
  const { start, end } = window;
  const [changes, blackoutWindows] = await Promise.all([
    change.ciIds.length === 0
      ? []
      : queryRows(tx, OVERLAPPING, [change.ciIds, change.id, PLANNED_STATES, start, end]),
    findBlackouts(tx, window, { itemIds: change.ciIds, limit: CONFLICTS_MAX }),
  ]);
  // The columns match the schema.
  return { changes: changes as unknown as Conflicts["changes"], blackoutWindows };
}
