/** People on call: the shifts of a schedule, as its rota and its overrides say. */
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { findOverrides, type Override } from "./override.ts";
import {
  AROUND_MS,
  layersBetween,
  type Rota,
  type Shift as RotaShift,
  shiftAt,
  shiftsBetween,
} from "./rota/rota.ts";
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

const Shifts = Type.Array(Shift);

export const ShiftPlan = Type.Object(
  {
    from: Time,
    until: Time,
    shifts: Shifts,
    layers: Type.Array(Type.Object({ name: Type.String(), shifts: Shifts }), {
      description: "The turns of each layer as if it stood alone, in the order of the layers",
    }),
  },
  { title: "OnCallShifts" },
);

/** The shifts of a rota in a time, and the turns of its layers beneath them. */
export function planShifts(
  rota: Rota,
  overrides: readonly Override[],
  from: Date,
  until: Date,
): Static<typeof ShiftPlan> {
  const [fromMs, untilMs] = [from.getTime(), until.getTime()];
  const layers = layersBetween(rota, fromMs, untilMs);
  return {
    from: from.toISOString(),
    until: until.toISOString(),
    shifts: shiftsBetween(rota, overrides, fromMs, untilMs).map((shift) => toShift(rota, shift)),
    layers: rota.layers.map(({ name }, index) => ({
      name,
      shifts: (layers[index] ?? []).map((shift) => toShift(rota, shift)),
    })),
  };
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

function toShift({ layers }: Rota, shift: RotaShift): Shift {
  return {
    userId: shift.userId,
    from: new Date(shift.fromMs).toISOString(),
    until: new Date(shift.untilMs).toISOString(),
    layer: shift.layer === null ? null : (layers[shift.layer]?.name ?? null),
    overrideId: shift.overrideId,
  };
}
