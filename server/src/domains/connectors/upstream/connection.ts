import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import type { KeepContent, OpenReference } from "#domains/files/index.ts";
import type { Auth } from "../auth.ts";
import type { CredentialScrubber } from "../credential-scrubber.ts";
import type { Deadline } from "./deadline.ts";

export interface ConnectionFiles {
  readonly open: OpenReference;
  readonly keep: KeepContent;
}

/** An opened connector: all that it takes to call the upstream, credentials in the clear. */
export interface UpstreamConnection<Config = unknown> {
  readonly platform: Platform;
  readonly partition: Partition;
  /** True where an environment's own credentials are used, which may lead elsewhere. */
  readonly isElsewhere: boolean;
  readonly connector: { readonly id: string; readonly revision: number };
  readonly config: Config;
  readonly auth: Auth;
  readonly scrubber: CredentialScrubber;
  /** The files that an action may send, and where those go that it gets. */
  readonly files: ConnectionFiles;
  readonly deadline: Deadline;
  /** Retries of transient failures. */
  readonly retries: number;
  /** Marks several calls as one, for an upstream that honours it. */
  readonly idempotencyKey?: string;
}
