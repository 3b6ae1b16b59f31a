/** Run-as: unattended work has the rights of the person who saved or requested it, and no more. */
import { type Authority, requireRights } from "#domains/identity/accounts/index.ts";
import { type Caller, systemCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import type { Causation } from "#kernel/log/event.ts";

/** A caller with the rights that the person has now, as far as their credential had them then. */
export async function callerRunningAs(
  platform: Platform,
  authority: Authority,
  { partition, cause }: { readonly partition: Partition; readonly cause: Causation },
): Promise<Caller> {
  const rights = await requireRights(platform, partition.workspace, authority);
  return { ...systemCaller(partition, cause), ...rights };
}
