import type { Permission } from "../access/permission.ts";
import type { WorkspaceRef } from "../access/caller.ts";
import type { ReadContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/** Counts work that waits for the caller personally: decisions and assigned tickets. */
export interface WaitingWork {
  /** The name of the count, such as `approvals` or `incidents`. */
  readonly kind: string;
  readonly permission: Permission;
  readonly count: (
    ctx: ReadContext & { readonly workspace: WorkspaceRef },
    userId: string,
  ) => Promise<number>;
}

export const WaitingWorkPoint = extensionPoint<WaitingWork>("kernel.waiting_work");
