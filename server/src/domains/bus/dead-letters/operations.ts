import Type, { type Static } from "typebox";
import { permission } from "#kernel/access/permission.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import {
  event,
  EVENT_ID_PATTERN,
  EventEnvelope,
  eventIdOf,
  positionOf,
  toEventEnvelope,
} from "#kernel/log/event.ts";
import { filterEvents, visibilityContext } from "#kernel/log/event-visibility.ts";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { noContent, page } from "#kernel/operation/response.ts";
import { line, nullable, object, Time } from "#kernel/schema/schema.ts";
import {
  handleDeadLetter,
  readDeadLetters,
  removeDeadLetter,
} from "#kernel/readers/dead-letter.ts";
import { hiddenTopics } from "../read-topic.ts";

export const EventsRepair = permission("events:repair", "View, retry and discard dead letters", []);

const DeadLetter = Type.Object(
  {
    reader: Type.String({ description: "The reader that could not process the event" }),
    eventId: Type.String({ pattern: EVENT_ID_PATTERN }),
    error: Type.String({ description: "Error of the last attempt" }),
    at: Time,
    event: nullable(EventEnvelope),
  },
  { title: "DeadLetter" },
);

const Settled = Type.Object({ reader: Type.String(), eventId: Type.String() });
const DeadLetterRetried = event("dead_letter.retried", {
  resource: "event",
  summary: "A dead letter was processed by a retry.",
  data: Settled,
});
const DeadLetterSkipped = event("dead_letter.skipped", {
  resource: "event",
  summary: "A dead letter was discarded.",
  data: Settled,
});
export const deadLetterEvents = [DeadLetterRetried, DeadLetterSkipped];

const RetryFailed = failure("retry_failed", 409, "The retry failed.");
const ByPlace = object({
  reader: line(100),
  eventId: Type.String({ pattern: EVENT_ID_PATTERN }),
});
const example = { params: { reader: "workflows.triggers", eventId: "evt_0100000000g000000000g0" } };

export const listDeadLetters = query({
  id: "dead_letters.list",
  route: "GET /api/v1/events/dead-letters",
  summary: "List dead letters, newest first",
  description:
    "An event that keeps failing becomes a dead letter, so that it does not block other events. `event` is null if you can't view it, or if the log no longer contains it.",
  permission: EventsRepair,
  query: object(pageQuery),
  response: page(DeadLetter),
  async run(ctx, { query: { limit, after } }) {
    const before = after === undefined ? undefined : positionOf(after);
    if (after !== undefined && !before)
      throw invalidField("?after", "is not a valid cursor for this list");
    const letters = await readDeadLetters(ctx.tx, { before, limit: limit + 1 });
    const hidden = hiddenTopics(ctx.caller);
    const events = letters.flatMap((letter) => letter.event ?? []);
    const open = events.filter(({ topic }) => !hidden.includes(topic));
    const seen = await filterEvents(visibilityContext(ctx), ctx.caller.principal, open);
    const visible = new Map(seen.map((one) => [one.id, one]));
    return toPage(
      letters,
      limit,
      ({ position, reader, error, at }): Static<typeof DeadLetter> => {
        const eventId = eventIdOf(position);
        const found = visible.get(eventId);
        return { reader, eventId, error, at, event: found ? toEventEnvelope(found) : null };
      },
      ({ position }) => eventIdOf(position),
    );
  },
});

export const retryDeadLetter = command({
  id: "dead_letters.retry",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/v1/events/dead-letters/{reader}/{eventId}/retry",
  summary: "Retry a dead letter",
  description:
    "Processes the event now, after later events. If it fails again, the response is 409 with the reason.",
  permission: EventsRepair,
  params: ByPlace,
  response: noContent(),
  emits: [DeadLetterRetried],
  fails: [RetryFailed],
  example,
  async prepare(platform, { params }, caller) {
    const { reader, position } = findPlace(platform, params);
    const place = { platform, partition: partitionOfCaller(caller) };
    const outcome = reader && (await handleDeadLetter(place, reader, position));
    if (outcome === undefined || outcome === "gone") throw new Failure(NotFound);
    if (outcome !== "done") throw new Failure(RetryFailed, { detail: outcome.reason });
  },
  async run({ emit }, { params }) {
    emit(DeadLetterRetried, { id: params.eventId }, params);
  },
});

export const skipDeadLetter = command({
  id: "dead_letters.skip",
  route: "DELETE /api/v1/events/dead-letters/{reader}/{eventId}",
  summary: "Discard a dead letter",
  permission: EventsRepair,
  params: ByPlace,
  response: noContent(),
  emits: [DeadLetterSkipped],
  example,
  async run({ emit, send, expectRevision }, { params }) {
    // A dead letter has only one revision, because it never changes.
    expectRevision(1);
    const position = positionOf(params.eventId);
    const isThere = position && (await removeDeadLetter(send, params.reader, position));
    if (isThere !== true) throw new Failure(NotFound);
    emit(DeadLetterSkipped, { id: params.eventId }, params);
  },
});

function findPlace({ readers }: PlatformServices, params: Static<typeof ByPlace>) {
  const position = positionOf(params.eventId);
  if (!position) throw new Failure(NotFound);
  return { reader: readers.find(({ name }) => name === params.reader), position };
}
