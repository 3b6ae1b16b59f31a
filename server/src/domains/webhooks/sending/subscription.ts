import { compileCondition, type Condition } from "#kernel/condition/condition.ts";
import { compilePattern } from "#kernel/condition/event-pattern.ts";
import { eventIdOf, type LogPosition, type RecordedEvent } from "#kernel/log/event.ts";
import { subjectOf } from "#kernel/log/event-subject.ts";

/** The part of a webhook that selects its events. */
export interface Subscription {
  readonly id: string;
  readonly events: readonly string[];
  readonly environments: readonly string[] | null;
  readonly filter: Condition | null;
  /** True when its last editor may read the audit log. */
  readonly hearsAudit: boolean;
}

/** Compiles the match of an event, wherever that is in the log. */
export function compileSubscription(subscription: Subscription): (event: RecordedEvent) => boolean {
  const matchesType = compilePattern(subscription.events);
  const environments = subscription.environments && new Set<string>(subscription.environments);
  const matchesFilter = subscription.filter && compileCondition(subscription.filter);
  return (event) =>
    matchesType(event.type) &&
    (subscription.hearsAudit || event.topic !== "audit") &&
    (environments === null || environments.has(event.environment)) &&
    // Events of its own failures would cause further failures.
    !(event.resource.type === "webhook" && event.resource.id === subscription.id) &&
    (matchesFilter === null || matchesFilter(subjectOf(event)));
}

const EVENT_PREFIX = "evt_".length;
const TAIL_CHARACTERS = 10;

/**
 * Builds the id of the delivery of an event to a webhook. It derives from both, so that a repeated fan-out creates
 * one delivery.
 */
export function buildDeliveryId(position: LogPosition, webhookId: string): string {
  return `dlv_${eventIdOf(position).slice(EVENT_PREFIX)}${webhookId.slice(-TAIL_CHARACTERS)}`;
}

/** The pattern of delivery ids, for schemas. */
export const DELIVERY_ID_PATTERN = "^dlv_[0-9a-hjkmnp-tv-z]{32}$";
