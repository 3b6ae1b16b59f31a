import { PLATFORM_EVENTS, platformTopics } from "#domains/bus/index.ts";
import { compileCondition, type Condition } from "#kernel/condition/condition.ts";
import { compilePattern } from "#kernel/condition/event-pattern.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import { type RecordedEvent, toEventEnvelope } from "#kernel/log/event.ts";
import { subjectOf } from "#kernel/log/event-subject.ts";

/** Which of the events on a topic somebody means: any type and any content unless it says more. */
export interface EventMatch {
  readonly eventType?: string | null | undefined;
  readonly filter?: Condition | null | undefined;
}

/** Compiles the question whether an event is meant. */
export function compileEventMatch({
  eventType,
  filter,
}: EventMatch): (event: RecordedEvent) => boolean {
  const isOfType = eventType ? compilePattern([eventType]) : () => true;
  const holds = filter ? compileCondition(filter) : () => true;
  return (event) => isOfType(event.type) && holds(subjectOf(event));
}

/** The topics that an event stands on: its own, and if the platform tells it, also the one for all of those. */
export function topicsOf(
  services: Pick<PlatformServices, "eventTypes">,
  { topic }: Pick<RecordedEvent, "topic">,
): readonly string[] {
  return platformTopics(services).includes(topic) ? [topic, PLATFORM_EVENTS] : [topic];
}

/** An event as expressions see it: the envelope, with the same `data` that conditions see. */
export function visibleEvent(event: RecordedEvent): Readonly<Record<string, unknown>> {
  return { ...toEventEnvelope(event), ...subjectOf(event) };
}
