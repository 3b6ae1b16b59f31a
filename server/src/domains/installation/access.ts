import type { WriteContext } from "#kernel/contract.ts";

/** Only operators with a session can manage the installation; workspaces and tokens cannot. */
export const operatorAccess = { access: "account", operatorsOnly: true } as const;

/** Events of the installation are in the log of its home workspace. */
export function recordAtHome(ctx: WriteContext<never>, emit: () => void): void {
  ctx.switchPartition({ workspace: ctx.services.homeWorkspace, environment: "production" });
  emit();
}
