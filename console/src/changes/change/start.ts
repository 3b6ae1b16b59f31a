/** Describes unusual circumstances of a change's start, before the start and later from its event. */
import type { Change, Conflicts } from "./use-change.ts";

type Planned = Pick<Change, "plannedStart" | "plannedEnd">;

/** Returns why starting now requires a reason; empty if it does not. */
export function findWarnings(
  { plannedStart, plannedEnd }: Planned,
  conflicts: Conflicts | undefined,
  nowMs: number,
): readonly string[] {
  const isOutside =
    plannedStart !== null &&
    plannedEnd !== null &&
    (nowMs < Date.parse(plannedStart) || nowMs >= Date.parse(plannedEnd));
  const { changes = [], blackoutWindows = [] } = conflicts ?? {};
  return [
    ...(isOutside ? ["The current time is outside the planned window."] : []),
    ...blackoutWindows
      .filter(({ end }) => Date.parse(end) > nowMs)
      .map(({ name }) => `Conflict with the change freeze ${name}.`),
    ...changes.map(({ number, title }) => `Conflict with ${number} ${title}.`),
  ];
}

interface Started {
  readonly outsideWindow?: boolean;
  readonly conflicts?: readonly { readonly number: string }[];
  readonly blackoutWindows?: readonly { readonly name: string }[];
  readonly reason?: string | null;
}

/** Describes how a change started, as a clause after the person's name: "started the change outside its window: REASON". */
export function describeStarted(data: Readonly<Record<string, unknown>>): string {
  // The data has the event's schema; older events lack some fields.
  const { outsideWindow = false, conflicts = [], blackoutWindows = [], reason } = data as Started;
  const how = [
    ...(outsideWindow ? ["outside its window"] : []),
    ...(blackoutWindows.length > 0
      ? [`during the change freeze ${blackoutWindows.map(({ name }) => name).join(", ")}`]
      : []),
    ...(conflicts.length > 0
      ? [`in conflict with ${conflicts.map(({ number }) => number).join(", ")}`]
      : []),
  ];
  const started = how.length === 0 ? "started the change" : `started the change ${how.join(", ")}`;
  return typeof reason === "string" && reason !== "" ? `${started}: ${reason}` : started;
}
