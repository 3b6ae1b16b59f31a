/** Selects events for the explorer: one predicate over the parts of an event that the caller can see. */
import { checkCondition, compileCondition, type Condition } from "#kernel/condition/condition.ts";
import { compilePattern, isPattern, patternSource } from "#kernel/condition/event-pattern.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { EventSelection } from "#kernel/log/event-scan.ts";
import { subjectOf } from "#kernel/log/event-subject.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { invalidField, invalidInput } from "#kernel/operation/failure.ts";
import { hiddenTopics } from "../read-topic.ts";
import { PLATFORM_EVENTS, platformTopics } from "../topic.ts";

/** The selecting part of a query. */
export interface EventQuery {
  readonly topic?: string;
  readonly type?: string;
  readonly filter?: string;
  readonly actorId?: string;
  readonly resourceType?: string;
  readonly resourceId?: string;
  readonly correlationId?: string;
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
}

/** The selection in SQL, which can include additional events. */
export function toSelection({ caller }: ReadContext, query: EventQuery): EventSelection {
  const { topic, type, filter: _, q, ...rest } = query;
  return {
    ...rest,
    topic: topic === PLATFORM_EVENTS ? undefined : topic,
    hiddenTopics: hiddenTopics(caller),
    type: type === undefined ? undefined : patternSource(type),
    text: q,
  };
}

/** Tests whether an event, as visible to the caller, matches the query. */
export function compileMatch(
  { services }: ReadContext,
  query: EventQuery,
): (event: RecordedEvent) => boolean {
  const { topic, type, filter, actorId, resourceType, resourceId, correlationId, from, to, q } =
    query;
  if (type !== undefined && !isPattern(type)) throw invalidField("?type", "is not a pattern");
  const [fromMs, toMs] = [from, to].map((time) => (time === undefined ? NaN : Date.parse(time)));
  const matchesType = type === undefined ? () => true : compilePattern([type]);
  const matchesFilter = filter === undefined ? () => true : compileCondition(readFilter(filter));
  const topics = topic === PLATFORM_EVENTS ? platformTopics(services) : topic && [topic];
  const word = q?.toLowerCase();
  return (event) => {
    const { resource, actor } = event;
    const atMs = Date.parse(event.createdAt);
    return (
      (!topics || topics.includes(event.topic)) &&
      matchesType(event.type) &&
      (actorId === undefined || actor.id === actorId) &&
      (resourceType === undefined || resource.type === resourceType) &&
      (resourceId === undefined || resource.id === resourceId) &&
      (correlationId === undefined || event.correlationId === correlationId) &&
      !(atMs < (fromMs ?? NaN)) &&
      !(atMs >= (toMs ?? NaN)) &&
      (word === undefined || holdsText(event, word)) &&
      matchesFilter(subjectOf(event))
    );
  };
}

/** True if the visible parts contain the text: a name, or a key or value of the data. */
function holdsText({ type, resource, actor, data }: RecordedEvent, word: string): boolean {
  const names = [type, resource.id, resource.number, resource.displayName, actor.name];
  return names.some((name) => name?.toLowerCase().includes(word)) || holdsWord(data, word);
}

function holdsWord(value: unknown, word: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(word);
  if (typeof value !== "object" || value === null) return String(value).includes(word);
  if (Array.isArray(value)) return value.some((one) => holdsWord(one, word));
  return Object.entries(value).some(
    ([name, one]) => name.toLowerCase().includes(word) || holdsWord(one, word),
  );
}

/** The condition of a query. Throws a 422 if it is invalid. */
export function readFilter(text: string): Condition {
  let filter: unknown;
  try {
    filter = JSON.parse(text);
  } catch {
    throw invalidField("?filter", "must be JSON");
  }
  const errors = checkCondition(filter);
  if (errors.length > 0) {
    throw invalidInput(errors.map((error) => ({ ...error, path: `?filter${error.path}` })));
  }
  // Without errors, it is a condition.
  return filter as Condition;
}
