import { findRights } from "#domains/identity/accounts/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import {
  type Json,
  decryptCredentials,
  unmaskCredentials,
  resolveCredentials,
} from "../credentials.ts";
import type { StoredConnector } from "../store.ts";
import { connectorTypeOf } from "../types/registry.ts";
import { startDeadline } from "../upstream/deadline.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";

/** Fields of every configuration, see `limits`. */
interface Limits {
  readonly timeoutMs: number;
  readonly retries: number;
}

/** The timeout and retries of a connector. */
export function limitsOf({ config }: Pick<StoredConnector, "config">): Limits {
  return config as unknown as Limits;
}

/** Opens a connector: its credentials and secrets are in place, its deadline runs. */
export async function openConnection(
  platform: Platform,
  caller: Caller,
  connector: StoredConnector,
  options: { readonly retries: number; readonly idempotencyKey?: string },
): Promise<UpstreamConnection> {
  const type = connectorTypeOf(connector.type);
  const partition = partitionOfCaller(caller);
  const { workspace } = partition;
  const credentials = await decryptCredentials(
    platform,
    { workspace, id: connector.id },
    connector.sealed,
  );
  const authority = { runAs: connector.savedBy, permissions: connector.permissions };
  const { parts } = unmaskCredentials(
    type.config,
    connector as { config: Json; auth: Json },
    credentials,
  );
  const { config, auth, scrubber } = await resolveCredentials(platform, workspace, type.config, {
    parts,
    user: () => findRights(platform, workspace, authority),
  });
  const { document } = connector;
  return {
    platform,
    partition,
    connector,
    config:
      type.documented?.toEffectiveConfig(config as never, document?.serverUrl ?? null) ?? config,
    auth,
    scrubber,
    deadline: startDeadline(limitsOf(connector).timeoutMs),
    ...options,
  };
}
