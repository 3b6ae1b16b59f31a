import type { WriteContext } from "#kernel/contract.ts";

/** The installation is run by its operators in person: no workspace, no token. */
export const operatorAccess = { access: "account", operatorsOnly: true } as const;

/** The events of the installation are in the log of its own workspace. */
export function recordAtHome(ctx: WriteContext<never>, emit: () => void): void {
  ctx.switchPartition({ workspace: ctx.services.homeWorkspace, environment: "production" });
  emit();
}
