import { compileCondition, type Condition } from "#kernel/condition/condition.ts";
import { compilePattern } from "#kernel/condition/event-pattern.ts";
import { eventIdOf, type LogPosition, type RecordedEvent } from "#kernel/log/event.ts";
import { subjectOf } from "#kernel/log/event-subject.ts";

/** What of a webhook decides which events it hears. */
export interface Subscription {
  readonly id: string;
  readonly events: readonly string[];
  readonly environments: readonly string[] | null;
  readonly filter: Condition | null;
  /** Whether whoever subscribed may read the audit log. */
  readonly hearsAudit: boolean;
}

/** Compiles the question whether a webhook wants an event, wherever that stands in the log. */
export function compileSubscription(one: Subscription): (event: RecordedEvent) => boolean {
  const wantsType = compilePattern(one.events);
  const environments = one.environments && new Set<string>(one.environments);
  const holds = one.filter && compileCondition(one.filter);
  return (event) =>
    wantsType(event.type) &&
    (one.hearsAudit || event.topic !== "audit") &&
    (environments === null || environments.has(event.environment)) &&
    // Told of its own failures, it would fail to be told.
    !(event.resource.type === "webhook" && event.resource.id === one.id) &&
    (holds === null || holds(subjectOf(event)));
}

const EVENT_PREFIX = "evt_".length;
const TAIL_CHARACTERS = 10;

/**
 * The id of the delivery of an event to a webhook. It follows from the two, so that handing an event
 * out twice makes one delivery.
 */
export function deliveryIdOf(place: LogPosition, webhookId: string): string {
  return `dlv_${eventIdOf(place).slice(EVENT_PREFIX)}${webhookId.slice(-TAIL_CHARACTERS)}`;
}

/** The pattern of delivery ids, for schemas. */
export const DELIVERY_ID_PATTERN = "^dlv_[0-9a-hjkmnp-tv-z]{32}$";
