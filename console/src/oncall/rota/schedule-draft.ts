/** A schedule while the user edits it. */
import type { Schemas } from "../../data/api.ts";
import { toDayKey, findMonday } from "../../changes/index.ts";

export type Schedule = Schemas["ListedOnCallSchedule"];
export type Layer = Schemas["OnCallLayer"];
export type LayerHours = NonNullable<Layer["hours"]>[number];

export interface ScheduleDraft {
  readonly name: string;
  readonly description: string;
  readonly teamId: string | null;
  readonly timeZone: string;
  readonly layers: readonly Layer[];
}

export function toDraft(schedule: Schedule | undefined): ScheduleDraft {
  return {
    name: schedule?.name ?? "",
    description: schedule?.description ?? "",
    teamId: schedule?.teamId ?? null,
    timeZone: schedule?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    layers: schedule?.layers ?? [makeLayer([])],
  };
}

/** Creates a layer with weekly shifts, starting this Monday at nine. */
export function makeLayer(layers: readonly Layer[]): Layer {
  return {
    name: layers.length === 0 ? "Weekly" : `Layer ${layers.length + 1}`,
    userIds: [],
    turn: { unit: "week", count: 1 },
    startsOn: toDayKey(findMonday(new Date())),
    handOver: "09:00",
  };
}

export const WORK_HOURS: LayerHours = { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" };

/** Returns the valid layers, which are sufficient for a preview. */
export const completeLayers = (layers: readonly Layer[]): readonly Layer[] =>
  layers.filter(
    ({ name, userIds, turn, startsOn, handOver }) =>
      name !== "" && userIds.length > 0 && turn.count > 0 && startsOn !== "" && handOver !== "",
  );
