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

/** An opened connector: everything required to call the upstream, with decrypted credentials. */
export interface UpstreamConnection<Config = unknown> {
  readonly platform: Platform;
  readonly partition: Partition;
  /** True if the environment has its own credentials, which may have another destination. */
  readonly isElsewhere: boolean;
  readonly connector: { readonly id: string; readonly revision: number };
  readonly config: Config;
  readonly auth: Auth;
  readonly scrubber: CredentialScrubber;
  /** The files that an action may send, and the storage for files that it receives. */
  readonly files: ConnectionFiles;
  readonly deadline: Deadline;
  /** Retries of transient failures. */
  readonly retries: number;
  /** Marks several calls as one, for an upstream that honours it. */
  readonly idempotencyKey?: string;
}
