import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import type { Auth } from "../auth.ts";
import type { CredentialScrubber } from "../credential-scrubber.ts";
import type { Deadline } from "./deadline.ts";

/** An opened connector: all that it takes to call the upstream, credentials in the clear. */
export interface UpstreamConnection<Config = unknown> {
  readonly platform: Platform;
  readonly partition: Partition;
  readonly connector: { readonly id: string; readonly revision: number };
  readonly config: Config;
  readonly auth: Auth;
  readonly scrubber: CredentialScrubber;
  readonly deadline: Deadline;
  /** Retries of transient failures. */
  readonly retries: number;
  /** Marks several calls as one, for an upstream that honours it. */
  readonly idempotencyKey?: string;
}
