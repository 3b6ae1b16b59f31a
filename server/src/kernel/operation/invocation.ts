import type { Caller } from "../access/caller.ts";
import type { Audience } from "../contract.ts";
import { NO_WORKSPACE, type Partition } from "../db/database.ts";

export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface Invocation {
  readonly caller: Caller;
  readonly input: RawInput;
  /** The called path, for problem documents. */
  readonly instance: string;
  readonly idempotencyKey?: string | undefined;
  /** True if the key is new, so there is no stored response to look for. */
  readonly isFirst?: boolean;
  readonly ifMatch?: string | undefined;
  /** True if everything must be rolled back. */
  readonly isDryRun?: boolean;
}

/** The response of an invocation. The schema filters the body. */
export interface InvocationResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Chunks instead of a body. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
}

/** The partition of the workspace, or of the user, for a call. */
export function invocationPartition(access: Audience, caller: Caller): Partition {
  const { workspace, environment, credential } = caller;
  if (access === "workspace" && workspace) return { workspace: workspace.key, environment };
  if (credential?.confinedTo) return { workspace: credential.confinedTo.key, environment };
  return { workspace: NO_WORKSPACE, environment, ...(credential && { user: credential.user.id }) };
}
