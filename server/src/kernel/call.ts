import type { Caller } from "./caller.ts";
import { NO_WORKSPACE, type Partition } from "./db/database.ts";

export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface Call {
  readonly caller: Caller;
  readonly input: RawInput;
  /** The path that was called, for problem documents. */
  readonly instance: string;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: string | undefined;
}

/** What the caller gets: the reply in its envelope, filtered by its schema. */
export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The rows that a caller may see. */
export function partitionOf({ workspace, environment, credential }: Caller): Partition {
  return {
    workspace: workspace?.key ?? NO_WORKSPACE,
    environment,
    ...(workspace === undefined && credential !== undefined && { user: credential.user.id }),
  };
}
