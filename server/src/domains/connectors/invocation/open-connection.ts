import { isMissingFile, keepFile, openHandle } from "#domains/files/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { resolveCredentials } from "../credentials.ts";
import { revealCredentials } from "../environments/environment-credentials.ts";
import type { StoredConnector } from "../store.ts";
import { connectorTypeOf } from "../types/registry.ts";
import { startDeadline } from "../upstream/deadline.ts";
import type { ConnectionFiles, UpstreamConnection } from "../upstream/connection.ts";

/** Fields of every configuration, see `limits`. */
interface Limits {
  readonly timeoutMs: number;
  readonly retries: number;
}

/** The timeout and retries of a connector. */
export function limitsOf({ config }: Pick<StoredConnector, "config">): Limits {
  return config as unknown as Limits;
}

/** Opens a connector: resolves credentials and secrets, and starts the deadline. */
export async function openConnection(
  platform: Platform,
  caller: Caller,
  connector: StoredConnector,
  options: { readonly retries: number; readonly idempotencyKey?: string },
): Promise<UpstreamConnection> {
  const type = connectorTypeOf(connector.type);
  const partition = partitionOfCaller(caller);
  const { parts, user, isOwn } = await revealCredentials(platform, partition, connector);
  const { config, auth, scrubber } = await resolveCredentials(platform, partition, type.config, {
    parts,
    user,
  });
  const { document } = connector;
  return {
    platform,
    partition,
    isElsewhere: isOwn,
    connector,
    config:
      type.documented?.toEffectiveConfig(config as never, document?.serverUrl ?? null) ?? config,
    auth,
    scrubber,
    files: filesOfCaller(platform, caller),
    deadline: startDeadline(limitsOf(connector).timeoutMs),
    ...options,
  };
}

const FileGone = failure("file_gone", 422, "The file does not exist, or it can't be read here.");

/**
 * The files of the caller of an action: those that they may read, and new files that belong to them or to their
 * run.
 */
function filesOfCaller(platform: Platform, caller: Caller): ConnectionFiles {
  return {
    async open({ $file }, path) {
      try {
        return await openHandle(platform, caller, $file);
      } catch (error) {
        if (!isMissingFile(error)) throw error;
        const detail = `${path}: the file ${$file.slice(0, 60)} does not exist, or it can't be read here.`;
        throw new Failure(FileGone, { detail });
      }
    },
    keep: (content, { name }) => keepFile(platform, caller, content, { name }),
  };
}
