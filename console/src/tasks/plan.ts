/** The tasks of a template: dependencies refer to positions, which change when tasks are moved. */
import type { Schemas } from "../data/api.ts";

export type PlannedTask = Schemas["PlannedTask"];
export type Plan = readonly PlannedTask[];

/** Removes a task, and the dependencies on it. */
export function removeTask(plan: Plan, at: number): Plan {
  const kept = plan.flatMap((_, place) => (place === at ? [] : [place]));
  return arrange(plan, kept);
}

/** Moves a task; dependencies on later tasks are removed. */
export function moveTask(plan: Plan, from: number, to: number): Plan {
  const places = plan.map((_, place) => place);
  if (to < 0 || to >= plan.length) return plan;
  return arrange(plan, places.toSpliced(from, 1).toSpliced(to, 0, from));
}

/** Returns the tasks from these former positions, in this order. */
function arrange(plan: Plan, places: readonly number[]): Plan {
  return places.flatMap((former, place) => {
    const task = plan[former];
    if (!task) return [];
    const after = (task.dependsOn ?? [])
      .map((one) => places.indexOf(one))
      .filter((one) => one >= 0 && one < place)
      .toSorted((one, other) => one - other);
    return [{ ...task, dependsOn: after }];
  });
}

const HOUR_MINUTES = 60;
const DAY_MINUTES = 1_440;

/** Formats minutes: "90 min", "4 h", "2 d". */
export function formatMinutes(minutes: number | undefined): string {
  if (minutes === undefined) return "";
  if (minutes % DAY_MINUTES === 0) return `${minutes / DAY_MINUTES} d`;
  if (minutes % HOUR_MINUTES === 0) return `${minutes / HOUR_MINUTES} h`;
  return `${minutes} min`;
}

/** Parses minutes; undefined if the text is invalid. */
export function parseMinutes(text: string): number | undefined {
  const [, count, unit = "h"] =
    /^\s*(\d{1,6}(?:[.,]\d+)?)\s*(min|m|h|d)?[a-z]*\s*$/i.exec(text) ?? [];
  if (count === undefined) return undefined;
  const factor = { m: 1, h: HOUR_MINUTES, d: DAY_MINUTES }[unit.charAt(0).toLowerCase()] ?? 1;
  return Math.max(1, Math.round(Number(count.replace(",", ".")) * factor));
}
