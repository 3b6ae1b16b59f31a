/**
 * The texts that are hashed and signed. They outlast this version: whoever changes one gives it another `v`, and keeps
 * the way to make the old one.
 */
import type { RecordedEvent } from "#kernel/log/event.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";

const VERSION = 1;

/** An event as it is hashed. */
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

/** The facts that a checkpoint signs. */
export interface CheckpointStatement {
  readonly v: number;
  readonly workspaceId: string;
  readonly number: number;
  /** The hash of the checkpoint before it; empty for the first. */
  readonly previous: string;
  readonly root: string;
  readonly count: number;
  readonly first: string;
  /** When the first one happened: what retention may have deleted by now. */
  readonly firstAt: string;
  readonly last: string;
  readonly at: string;
  /** Of the first checkpoint after a move to another installation: the public key that signed those before, as SPKI. */
  readonly previousKey?: string;
}

export function newStatement(facts: Omit<CheckpointStatement, "v">): CheckpointStatement {
  return { v: VERSION, ...facts };
}

/** JSON with the fields of each object in the order of their names: equal values are equal texts (RFC 8785). */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // By code units, as the standard says.
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
