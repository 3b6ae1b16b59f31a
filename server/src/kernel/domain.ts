import type { CredentialSource } from "./authenticator.ts";
import type { Tx } from "./db/connection.ts";
import type { EventType } from "./event.ts";
import type { JobType } from "./job.ts";
import type { Operation } from "./operation.ts";
import type { Permission } from "./permission.ts";
import type { Reader } from "./reader.ts";

/** One area of the product, as `app.ts` lists it. */
export interface Domain {
  readonly name: string;
  /** What a reader of the API reference should know about it. */
  readonly summary: string;
  /** False when its things belong to the workspace in all its environments. */
  readonly environmental?: boolean;
  readonly permissions: readonly Permission[];
  readonly events: readonly EventType[];
  readonly operations: readonly Operation[];
  readonly readers?: readonly Reader[];
  readonly jobs?: readonly JobType[];
  readonly counters?: readonly Counter[];
  /** The kinds of token that this domain issues. */
  readonly credentials?: readonly CredentialSource[];
}

/** A number that a domain contributes to a workspace's statistics. */
export interface Counter {
  readonly name: string;
  readonly count: (tx: Tx) => Promise<number>;
}

export function domain(about: Domain): Domain {
  const { environmental = true, operations } = about;
  return { ...about, operations: operations.map((op) => ({ environmental, ...op })) };
}
