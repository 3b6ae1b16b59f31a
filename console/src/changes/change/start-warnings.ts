import { findWarnings } from "./start.ts";
import { type Change, useConflicts } from "./use-change.ts";

/** Returns why starting the change now requires a reason; empty if it does not. */
export function useStartWarnings(
  change: Pick<Change, "id" | "plannedStart" | "plannedEnd"> | undefined,
): readonly string[] {
  const conflicts = useConflicts(change?.id);
  return change ? findWarnings(change, conflicts, Date.now()) : [];
}
