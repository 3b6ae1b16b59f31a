/**
 * The hashed and signed texts. They must stay verifiable in later versions: a change needs a new `v`, and the code for
 * the old one must be kept.
 */
import type { RecordedEvent } from "#kernel/log/event.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";

const VERSION = 1;

/** The hashed form of an event. */
export function toHashedEvent(event: RecordedEvent) {
  const { id, environment, topic, type, actor, resource, data } = event;
  const { requestId, correlationId, causationId, depth, madeBy, createdAt } = event;
  return {
    v: VERSION,
    id,
    workspaceId: workspaceIdOf(event.workspace),
    environment,
    topic,
    type,
    actor,
    resource,
    requestId,
    correlationId,
    causationId,
    depth,
    madeBy: madeBy ?? null,
    createdAt,
    data,
  };
}

/** The signed facts of a checkpoint. */
export interface CheckpointStatement {
  readonly v: number;
  readonly workspaceId: string;
  readonly number: number;
  /** The hash of the previous checkpoint. Empty for the first. */
  readonly previous: string;
  readonly root: string;
  readonly count: number;
  readonly first: string;
  /** The time of the first event, to detect deletion by retention. */
  readonly firstAt: string;
  readonly last: string;
  readonly at: string;
  /**
   * Set in the first checkpoint after a move to another installation: the public key of earlier checkpoints, as SPKI.
   */
  readonly previousKey?: string;
}

export function newStatement(facts: Omit<CheckpointStatement, "v">): CheckpointStatement {
  return { v: VERSION, ...facts };
}

/** JSON with sorted fields, so that equal values are equal texts (RFC 8785). */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // By code units, as required by the standard.
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
