/** Runs unattended work with the rights of the member who saved or requested it, and no more. */
import { type Authority, requireRights } from "#domains/identity/accounts/index.ts";
import { type Caller, systemCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import type { Causation } from "#kernel/log/event.ts";

/** A caller with the current rights of the member, limited to those of their credential at that time. */
export async function callerRunningAs(
  platform: Platform,
  authority: Authority,
  { partition, cause }: { readonly partition: Partition; readonly cause: Causation },
): Promise<Caller> {
  const rights = await requireRights(platform, partition.workspace, authority);
  return { ...systemCaller(partition, cause), ...rights };
}
