import { findRights } from "#domains/identity/accounts/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { newId, workspaceIdOf } from "#kernel/schema/id.ts";
import { invoke, type InvocationRecord } from "../invocation/invoke.ts";
import { ConnectorsInvoke } from "../permissions.ts";
import type { Listener } from "./trigger-source.ts";

/** Thrown if the member who deployed a trigger may no longer use connectors. */
export class NoRightToListen extends Error {}

/** Invokes an action for a trigger, with the current rights of the member who deployed it. */
export async function invokeFor(
  platform: Platform,
  partition: Partition,
  listener: Pick<Listener, "deployedBy" | "permissions">,
  call: { readonly connectorId: string; readonly action: string; readonly input: unknown },
): Promise<InvocationRecord> {
  const { deployedBy: runAs, permissions } = listener;
  const rights = await findRights(platform, partition.workspace, { runAs, permissions });
  if (!rights?.permissions.has(ConnectorsInvoke.name)) {
    throw new NoRightToListen(
      "The member who deployed the workflow lacks permission to use connectors.",
    );
  }
  const caller: Caller = {
    actor: SYSTEM_ACTOR,
    credential: undefined,
    workspace: { key: partition.workspace, id: workspaceIdOf(partition.workspace) },
    environment: partition.environment,
    ...rights,
    requestId: newId("req"),
    address: "",
    origin: "",
    cause: { correlationId: newCorrelationId(platform.clock), depth: 0 },
  };
  const { connectorId, action, input } = call;
  return invoke(platform, caller, connectorId, { action, input });
}
