import { PLATFORM_EVENTS, platformTopics } from "#domains/bus/index.ts";
import { compileCondition, type Condition } from "#kernel/condition/condition.ts";
import { compilePattern } from "#kernel/condition/event-pattern.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import { type RecordedEvent, toEventEnvelope } from "#kernel/log/event.ts";
import { subjectOf } from "#kernel/log/event-subject.ts";

/** Selects events of a topic by type and content. All events by default. */
export interface EventMatch {
  readonly eventType?: string | null | undefined;
  readonly filter?: Condition | null | undefined;
}

export function compileEventMatch({
  eventType,
  filter,
}: EventMatch): (event: RecordedEvent) => boolean {
  const matchesType = eventType ? compilePattern([eventType]) : () => true;
  const matchesFilter = filter ? compileCondition(filter) : () => true;
  return (event) => matchesType(event.type) && matchesFilter(subjectOf(event));
}

/** The topics of an event: its own, and the common topic for platform events. */
export function eventTopics(
  services: Pick<PlatformServices, "eventTypes">,
  { topic }: Pick<RecordedEvent, "topic">,
): readonly string[] {
  return platformTopics(services).includes(topic) ? [topic, PLATFORM_EVENTS] : [topic];
}

/** The event in expressions: the envelope, with the same `data` as in conditions. */
export function visibleEvent(event: RecordedEvent): Readonly<Record<string, unknown>> {
  // Runs see the same fields, whether or not a condition read the ticket.
  const { whole: _, ...bare } = event;
  return { ...toEventEnvelope(bare), ...subjectOf(bare) };
}
