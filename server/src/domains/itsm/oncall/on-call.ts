/** On-call shifts of a schedule, computed from its rota and its overrides. */
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { mapInTurns, runInTurns } from "#kernel/work/turn-timer.ts";
import { findOverrides, type Override } from "./override.ts";
import {
  AROUND_MS,
  countTurns,
  findShiftAt,
  planRota,
  type Rota,
  type Shift as RotaShift,
} from "./rota/rota.ts";
import { type Schedule, schedules } from "./schedule.ts";

export const Shift = Type.Object(
  {
    userId: id("usr"),
    from: Time,
    until: Time,
    layer: nullable(Type.String({ description: "The name of the layer. Null for an override" })),
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
      description:
        "Shifts of each layer, calculated without the other layers. Sorted like `layers`",
    }),
  },
  { title: "OnCallShifts" },
);

/** Equals half a year of hourly turns. */
const TURNS_MAX = 5_000;

/** Plans the shifts in a time range, including the turns per layer. */
export async function planShifts(
  rota: Rota,
  overrides: readonly Override[],
  from: Date,
  until: Date,
): Promise<Static<typeof ShiftPlan>> {
  const [fromMs, untilMs] = [from.getTime(), until.getTime()];
  const turns = countTurns(rota, fromMs, untilMs);
  if (turns > TURNS_MAX) {
    const message = `must be earlier: the period has ${turns} shifts, but at most ${TURNS_MAX} can be returned`;
    throw invalidField("/until", message);
  }
  const { shifts, layers } = await runInTurns(planRota(rota, overrides, fromMs, untilMs));
  return {
    from: from.toISOString(),
    until: until.toISOString(),
    shifts: await mapInTurns(shifts, (shift) => [toShift(rota, shift)]),
    layers: rota.layers.map(({ name }, index) => ({
      name,
      shifts: (layers[index] ?? []).map((shift) => toShift(rota, shift)),
    })),
  };
}

/** Finds the shift at a moment. Returns null for a gap. */
export async function findShift(tx: Tx, schedule: Schedule, at: Date): Promise<Shift | null> {
  const [from, until] = [-AROUND_MS, AROUND_MS].map((ms) => new Date(at.getTime() + ms));
  const overrides = await findOverrides(tx, schedule.id, from ?? at, until ?? at);
  const shift = await runInTurns(findShiftAt(schedule, overrides, at.getTime()));
  return shift ? toShift(schedule, shift) : null;
}

/** The member on call in a schedule at a moment. */
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
