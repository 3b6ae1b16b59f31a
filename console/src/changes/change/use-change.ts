/** Loads a change, its conflicts and its approval state. */
import { type Schemas, useOp } from "../../data/api.ts";

export type Change = Schemas["Change"];
export type Conflicts = Schemas["ChangeConflicts"];
export type Approvals = Schemas["ChangeApprovals"];
export type RiskLevel = Change["risk"]["level"];

/** Loads the conflicts of a change; undefined while the data belongs to another change. */
export function useConflicts(id: string | undefined): Conflicts | undefined {
  return useOp("changes.conflicts", { params: { id: id ?? "" } }, { enabled: id !== undefined })
    .data?.data;
}

export function useApprovals(id: string | undefined): Approvals | undefined {
  return useOp(
    "changes.list_approvals",
    { params: { id: id ?? "" } },
    { enabled: id !== undefined },
  ).data?.data;
}

export const hasConflicts = (conflicts: Conflicts | undefined): boolean =>
  conflicts !== undefined && conflicts.changes.length + conflicts.blackoutWindows.length > 0;
