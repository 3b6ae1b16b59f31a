/** People on call: the shifts of a schedule, as its rota and its overrides say. */
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { findOverrides } from "./override.ts";
import { AROUND_MS, type Shift as RotaShift, shiftAt, shiftsBetween } from "./rota/rota.ts";
import { type Schedule, schedules } from "./schedule.ts";

export const Shift = Type.Object(
  {
    userId: id("usr"),
    from: Time,
    until: Time,
    layer: nullable(Type.String({ description: "The name of its layer; null of an override" })),
    overrideId: nullable(id("oco")),
  },
  { title: "OnCallShift" },
);
export type Shift = Static<typeof Shift>;

/** The shifts of a schedule in a time. */
export async function findShifts(
  tx: Tx,
  schedule: Schedule,
  from: Date,
  until: Date,
): Promise<readonly Shift[]> {
  const overrides = await findOverrides(tx, schedule.id, from, until);
  const shifts = shiftsBetween(schedule, overrides, from.getTime(), until.getTime());
  return shifts.map((shift) => toShift(schedule, shift));
}

/** The shift of a schedule at a moment; null where nobody is on call. */
export async function findShift(tx: Tx, schedule: Schedule, at: Date): Promise<Shift | null> {
  const [from, until] = [-AROUND_MS, AROUND_MS].map((ms) => new Date(at.getTime() + ms));
  const overrides = await findOverrides(tx, schedule.id, from ?? at, until ?? at);
  const shift = shiftAt(schedule, overrides, at.getTime());
  return shift ? toShift(schedule, shift) : null;
}

/** The person whom a schedule has on call at a moment. */
export async function findOnCall(tx: Tx, scheduleId: string, at: Date): Promise<string | null> {
  const schedule = await schedules.store.find(tx, scheduleId);
  return schedule ? ((await findShift(tx, schedule, at))?.userId ?? null) : null;
}

function toShift({ layers }: Schedule, shift: RotaShift): Shift {
  return {
    userId: shift.userId,
    from: new Date(shift.fromMs).toISOString(),
    until: new Date(shift.untilMs).toISOString(),
    layer: shift.layer === null ? null : (layers[shift.layer]?.name ?? null),
    overrideId: shift.overrideId,
  };
}
