import type { Caller, Outside } from "#kernel/access/caller.ts";
import { type Json, openCredentials, reveal, unlock } from "../credentials.ts";
import { workspaceOf } from "../connector-input.ts";
import type { Guarded } from "../store.ts";
import { connectorTypeOf } from "../types/registry.ts";
import { startDeadline } from "../upstream/deadline.ts";
import type { Use } from "../upstream/connection.ts";

/** What every configuration has, see `limits`. */
interface Limits {
  readonly timeoutMs: number;
  readonly retries: number;
}

/** How long a connector's calls may take, and how often they are tried again. */
export function limitsOf({ connector }: Guarded): Limits {
  return connector.config as unknown as Limits;
}

/** Makes a connector ready to be used: its credentials and secrets in place, its time running. */
export async function openUse(
  outside: Outside,
  caller: Caller,
  guarded: Guarded,
  options: { readonly retries: number; readonly idempotencyKey?: string },
): Promise<Use> {
  const { connector, sealed } = guarded;
  const type = connectorTypeOf(connector.type);
  const workspace = workspaceOf(caller);
  const hidden = await openCredentials(outside, { workspace, id: connector.id }, sealed);
  const { parts } = reveal(type.config, connector as { config: Json; auth: Json }, hidden);
  const { config, auth, discretion } = await unlock(outside, workspace, type.config, parts);
  const { document } = connector;
  return {
    outside,
    connector,
    config: type.documented?.used(config as never, document?.serverUrl ?? null) ?? config,
    auth,
    discretion,
    deadline: startDeadline(limitsOf(guarded).timeoutMs),
    ...options,
  };
}
