import { findWarnings } from "./start.ts";
import { type Change, useConflicts } from "./use-change.ts";

/** Why starting the change now needs a reason; empty where it does not, or there is none. */
export function useStartWarnings(
  change: Pick<Change, "id" | "plannedStart" | "plannedEnd"> | undefined,
): readonly string[] {
  const conflicts = useConflicts(change?.id);
  return change ? findWarnings(change, conflicts, Date.now()) : [];
}
