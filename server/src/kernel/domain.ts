import type { CredentialSource } from "./access/authenticator.ts";
import type { Tx } from "./db/connection.ts";
import type { Engine } from "./work/engine.ts";
import type { EventType, RecordedEvent } from "./log/event.ts";
import type { Contribution } from "./extension-point.ts";
import type { JobType } from "./work/job.ts";
import type { Operation } from "./operation/operation.ts";
import type { BuiltInRole, Permission } from "./access/permission.ts";
import type { Reader } from "./readers/reader.ts";

/** One area of the product, as `app.ts` lists it. */
export interface Domain {
  readonly name: string;
  /** What a reader of the API reference should know about it. */
  readonly summary: string;
  /** False when its things belong to the workspace in all its environments. */
  readonly environmentScoped?: boolean;
  readonly permissions: readonly Permission[];
  readonly events: readonly EventType[];
  readonly operations: readonly Operation[];
  readonly readers?: readonly Reader[];
  readonly jobs?: readonly JobType[];
  readonly engines?: readonly Engine[];
  readonly counters?: readonly UsageCounter[];
  readonly tracers?: readonly CausalTracer[];
  readonly notifications?: readonly NotificationRule[];
  /** What it adds to other domains, see `ExtensionPoint`. */
  readonly contributions?: readonly Contribution[];
  /** The kinds of token that this domain issues. */
  readonly credentials?: readonly CredentialSource[];
}

/** A number that a domain contributes to a workspace's statistics. */
export interface UsageCounter {
  readonly name: string;
  readonly count: (tx: Tx) => Promise<number>;
}

/** What some events caused beyond further events, for whoever follows a chain. */
export interface CausalTracer {
  readonly kind: string;
  readonly find: (tx: Tx, eventIds: readonly string[]) => Promise<readonly TracedItem[]>;
}

export interface TracedItem {
  readonly id: string;
  /** The event that it comes from. */
  readonly causationId: string;
  readonly status: string;
  /** In a few words, for people. */
  readonly summary: string;
  readonly createdAt: string;
}

/** Of which events people are told, and in which words. */
export interface NotificationRule {
  readonly on: EventType;
  /** Of those events only these; all of them when absent. */
  readonly when?: (event: RecordedEvent) => boolean;
  /** The members who hold one of these roles. */
  readonly roles: readonly BuiltInRole[];
  readonly title: (event: RecordedEvent) => string;
  readonly body: (event: RecordedEvent) => string;
}

export function domain(about: Domain): Domain {
  const { environmentScoped = true, operations } = about;
  return { ...about, operations: operations.map((op) => ({ environmentScoped, ...op })) };
}
