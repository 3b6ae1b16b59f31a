import type { Platform } from "#kernel/contract.ts";
import type { Auth } from "../auth.ts";
import type { CredentialScrubber } from "../credential-scrubber.ts";
import type { Deadline } from "./deadline.ts";

/** One use of a connector: all that it takes to reach the other system, credentials in the clear. */
export interface UpstreamConnection<Config = unknown> {
  readonly platform: Platform;
  readonly connector: { readonly id: string; readonly revision: number };
  readonly config: Config;
  readonly auth: Auth;
  readonly discretion: CredentialScrubber;
  readonly deadline: Deadline;
  /** How often what failed in passing may be tried again. */
  readonly retries: number;
  /** Tells the other system that several calls are one, where it listens to that. */
  readonly idempotencyKey?: string;
}
