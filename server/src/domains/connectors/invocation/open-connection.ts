import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { type Json, decryptCredentials, unmaskCredentials, unlock } from "../credentials.ts";
import { requireWorkspace } from "../connector-input.ts";
import type { StoredConnector } from "../store.ts";
import { connectorTypeOf } from "../types/registry.ts";
import { startDeadline } from "../upstream/deadline.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";

/** What every configuration has, see `limits`. */
interface Limits {
  readonly timeoutMs: number;
  readonly retries: number;
}

/** How long a connector's calls may take, and how often they are tried again. */
export function limitsOf({ config }: Pick<StoredConnector, "config">): Limits {
  return config as unknown as Limits;
}

/** Makes a connector ready to be used: its credentials and secrets in place, its time running. */
export async function openConnection(
  platform: Platform,
  caller: Caller,
  connector: StoredConnector,
  options: { readonly retries: number; readonly idempotencyKey?: string },
): Promise<UpstreamConnection> {
  const type = connectorTypeOf(connector.type);
  const workspace = requireWorkspace(caller);
  const hidden = await decryptCredentials(
    platform,
    { workspace, id: connector.id },
    connector.sealed,
  );
  const { parts } = unmaskCredentials(
    type.config,
    connector as { config: Json; auth: Json },
    hidden,
  );
  const { config, auth, discretion } = await unlock(platform, workspace, type.config, parts);
  const { document } = connector;
  return {
    platform,
    connector,
    config: type.documented?.used(config as never, document?.serverUrl ?? null) ?? config,
    auth,
    discretion,
    deadline: startDeadline(limitsOf(connector).timeoutMs),
    ...options,
  };
}
