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
  /** The path that was called, for problem documents. */
  readonly instance: string;
  readonly idempotencyKey?: string | undefined;
  /** True when the caller knows that nobody used its key before: there is no response to look for. */
  readonly isFirst?: boolean;
  readonly ifMatch?: string | undefined;
  /** True when nothing of it may stay. */
  readonly isDryRun?: boolean;
}

/** The response of an invocation: its body in the envelope, filtered by its schema. */
export interface InvocationResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** In place of a body: its chunks. */
  readonly stream?: AsyncIterable<string | Uint8Array>;
}

/** The partition of a call: that of its workspace, or of the person behind it. */
export function invocationPartition(access: Audience, caller: Caller): Partition {
  const { workspace, environment, credential } = caller;
  if (access === "workspace" && workspace) return { workspace: workspace.key, environment };
  if (credential?.confinedTo) return { workspace: credential.confinedTo.key, environment };
  return { workspace: NO_WORKSPACE, environment, ...(credential && { user: credential.user.id }) };
}
