import { compileCondition, type Condition } from "#kernel/condition/condition.ts";
import { compilePattern } from "#kernel/condition/pattern.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { eventIdOf, type Position, type RecordedEvent } from "#kernel/event.ts";

/** What of a webhook decides which events it hears. */
export interface Subscription {
  readonly id: string;
  readonly events: readonly string[];
  readonly environments: readonly string[] | null;
  readonly filter: Condition | null;
}

/** From when on it hears: what was visible in this snapshot is past. */
export interface Since {
  readonly epoch: number;
  /** As PostgreSQL writes it: `xmin:xmax:` and the transactions between them that were under way. */
  readonly snapshot: string;
}

/** Compiles the question whether a webhook wants an event, wherever that stands in the log. */
export function compileSubscription(one: Subscription): (event: RecordedEvent) => boolean {
  const wantsType = compilePattern(one.events);
  const environments = one.environments && new Set<string>(one.environments);
  const holds = one.filter && compileCondition(one.filter);
  return (event) =>
    wantsType(event.type) &&
    (environments === null || environments.has(event.environment)) &&
    // Told of its own failures, it would fail to be told.
    !(event.resource.type === "webhook" && event.resource.id === one.id) &&
    (holds === null || holds(subjectOf(event)));
}

/** Whether an event came after that moment. */
export function compileSince({ epoch, snapshot }: Since): (place: Position) => boolean {
  const [xmin = 0, xmax = 0] = snapshot.split(":", 2).map(Number);
  const underWay = new Set(snapshot.split(":")[2]?.split(",").map(Number));
  const visible = (xid: number): boolean => xid < xmin || (xid < xmax && !underWay.has(xid));
  return (place) => place.epoch > epoch || (place.epoch === epoch && !visible(place.xid));
}

/** What the paths of a filter reach into. */
export interface Subject {
  readonly type: string;
  readonly environment: EnvironmentName;
  readonly actor: RecordedEvent["actor"];
  readonly resource: RecordedEvent["resource"];
  readonly data: unknown;
  readonly before?: unknown;
  readonly changes?: unknown;
}

export function subjectOf(event: RecordedEvent): Subject {
  const { type, environment, actor, resource } = event;
  const common = { type, environment, actor, resource, data: payloadOf(event) };
  if (!isChange(event)) return common;
  const { before, changes } = event.data;
  return { ...common, before, changes };
}

/** The whole resource: of a change what it is now, of everything else the data itself. */
export function payloadOf(event: RecordedEvent): unknown {
  return isChange(event) ? event.data["after"] : event.data;
}

/** A message's payload is its publisher's, whatever fields it has. */
function isChange({ resource, data }: RecordedEvent): boolean {
  return (
    resource.type !== "message" &&
    "after" in data &&
    "before" in data &&
    Array.isArray(data["changes"])
  );
}

const EVENT_PREFIX = "evt_".length;
const TAIL_CHARACTERS = 10;

/**
 * The id of the delivery of an event to a webhook. It follows from the two, so that handing an event
 * out twice makes one delivery.
 */
export function deliveryIdOf(place: Position, webhookId: string): string {
  return `dlv_${eventIdOf(place).slice(EVENT_PREFIX)}${webhookId.slice(-TAIL_CHARACTERS)}`;
}

/** The pattern of delivery ids, for schemas. */
export const DELIVERY_ID_PATTERN = "^dlv_[0-9a-hjkmnp-tv-z]{32}$";
