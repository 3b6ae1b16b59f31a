/** Run-as: unattended work has the rights of the person who saved or requested it, and no more. */
import { membershipIn } from "#domains/identity/accounts/index.ts";
import { confinementOf } from "#domains/workflows/index.ts";
import { type Caller, userIdOf, systemCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import type { Causation } from "#kernel/log/event.ts";

export interface RunAs {
  readonly runAs: string;
  /** To which permissions it is confined, of those that the person has; null for all. */
  readonly permissions: readonly string[] | null;
}

/** The rights that a caller hands on to what they save. */
export function runAsOf(caller: Caller): RunAs {
  return {
    runAs: caller.principal?.id ?? userIdOf(caller),
    permissions: confinementOf(caller) ?? null,
  };
}

/** A caller with the rights that the person has now, as far as their credential had them then. */
export async function callerRunningAs(
  platform: Platform,
  { runAs, permissions }: RunAs,
  { partition, cause }: { readonly partition: Partition; readonly cause: Causation },
): Promise<Caller> {
  const { roles, permissions: held } = await membershipIn(platform, partition.workspace, runAs);
  return {
    ...systemCaller(partition, cause),
    principal: { id: runAs, roles },
    permissions: permissions ? new Set(permissions.filter((name) => held.has(name))) : held,
  };
}
