import Type from "typebox";
import { AuditRead, EventsRead } from "#domains/audit/index.ts";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { unwrapped, created, eventStream, item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { listTopics as listCounted } from "#kernel/log/topic-log.ts";
import { topicCountReader } from "./topic-counter.ts";
import { EventsPublish } from "./topic.ts";
import { publish } from "./publish.ts";
import { hiddenTopics, readTopicPage } from "./read-topic.ts";
import { openStream } from "./stream.ts";
import {
  Message,
  PLATFORM_EVENTS,
  platformTopics,
  PublishedMessage,
  Topic,
  TopicName,
  TopicPage,
  TopicReserved,
} from "./topic.ts";
import { Trace, readTrace } from "./trace/trace.ts";

const TIMEOUT_MAX_MS = 60_000;
const ByName = object({ name: TopicName });
const example = { params: { name: "orders.shipping" } };
const LIST = "topics by name";

const WHAT_IS_THERE =
  "Events of the platform stand on the topic of their namespace, such as `incident`, and all " +
  "of them on `platform.events`; those of `audit` are shown to callers with `audit:read` only. A " +
  "topic that nobody has published on is empty.";

export const publishMessage = command({
  id: "topics.publish",
  effect: "ordinary",
  route: "POST /api/v1/events/topics/{name}/publish",
  summary: "Publish a message on a topic",
  description:
    "The topic comes into being by it. `payload` becomes the event's `data`; webhooks, workflows " +
    "and the audit log get the event as they get any other. A second message with the same " +
    "`deduplicationKey`, on the same topic and within 5 minutes of the first, is suppressed: the " +
    "answer is 200 with the first one's id. The platform's own topics and types are not for others.",
  permission: EventsPublish,
  params: ByName,
  body: object(Message),
  response: created(PublishedMessage, {
    alternative: { status: 200, when: ({ deduplicated }) => deduplicated },
    location: ({ id }) => `/api/v1/audit/${id}`,
  }),
  emits: [],
  publishes: true,
  allowNoop: true,
  fails: [TopicReserved],
  example: {
    ...example,
    body: {
      type: "order.shipped",
      payload: { order: 4711, carrier: "By hand" },
      deduplicationKey: "order 4711 shipped",
    },
  },
  run: (ctx, { params, body }) => publish(ctx, params.name, body),
});

export const readTopic = query({
  id: "topics.read",
  route: "GET /api/v1/events/topics/{name}/events",
  summary: "Read a topic, oldest event first",
  description:
    "Without `after` it begins at the oldest event that is kept. `nextCursor` is always there: who " +
    "sends it as `after` sees every event once and in order, however many write at the same time. " +
    "`after` also takes the id of an event. When there is nothing new the answer waits for up to " +
    `\`timeout\` milliseconds and comes as soon as there is. ${WHAT_IS_THERE}`,
  permission: EventsRead,
  params: ByName,
  query: object({
    ...pageQuery,
    timeout: Type.Integer({
      minimum: 0,
      maximum: TIMEOUT_MAX_MS,
      default: 0,
      description: "How long to wait for something new, in milliseconds",
    }),
  }),
  longRunning: true,
  response: unwrapped(TopicPage),
  example: { ...example, query: { limit: 50, timeout: 20_000 } },
  prepare: (platform, { params, query: topicQuery }, caller) =>
    readTopicPage(platform, caller, { ...params, ...topicQuery }),
  run: async (_ctx, _input, answer) => answer,
});

export const streamTopic = query({
  id: "topics.stream",
  route: "GET /api/v1/events/topics/{name}/stream",
  summary: "Follow a topic live, as server-sent events",
  description:
    "Each event has `id`, `event` (its type) and `data` (the event as JSON). `Last-Event-ID`, which " +
    "browsers send by themselves, or `after` goes on behind an event; without either the stream " +
    "begins now. It ends after 5 minutes, so that the credential is checked anew, or after `limit` " +
    "events; a client that comes back with the last id misses nothing. `platform.messages` has what people " +
    `publish, on the topics that were there when it was opened. ${WHAT_IS_THERE}`,
  permission: EventsRead,
  params: ByName,
  query: object({
    after: pageQuery.after,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: "End after so many events" }),
    ),
    presence: Type.Boolean({
      default: false,
      description:
        "Also `presence.changed`, without an id: who is at a thing, whenever that changes and while you are there",
    }),
  }),
  longRunning: true,
  response: eventStream(),
  example,
  prepare: (platform, { params, query: topicQuery }, caller) =>
    openStream(platform, caller, { ...params, ...topicQuery }),
  run: async (_ctx, _input, frames) => frames,
});

export const listTopics = query({
  id: "topics.list",
  route: "GET /api/v1/events/topics",
  summary: "List the topics that hold events, by name",
  permission: EventsRead,
  query: object(pageQuery),
  response: page(Topic),
  async run({ tx, services, caller }, { query: { limit, after } }) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const hidden = hiddenTopics(caller);
    const platform = platformTopics(services).filter((name) => !hidden.includes(name));
    const rows = await listCounted(tx, {
      reader: topicCountReader.name,
      sum: { name: PLATFORM_EVENTS, of: platform },
      hidden,
      after: String(start),
      limit: limit + 1,
    });
    const own = new Set([PLATFORM_EVENTS, ...platform]);
    return toPage(
      rows,
      limit,
      (row) => ({ ...row, platform: own.has(row.name) }),
      ({ name }) => services.cursors.encode(LIST, [name]),
    );
  },
});

export const traceEvent = query({
  id: "events.trace",
  route: "GET /api/v1/events/{id}/trace",
  summary: "Follow an event to its root and to everything that came of it",
  description:
    "`rootId` is the event that it goes back to; `events` is the whole chain of that correlation in " +
    "the order of the log, at most 1000; `effects` is what these events caused besides, such as " +
    "deliveries, each with the event that it comes from, at most 1000.",
  permission: AuditRead,
  params: object({ id: Type.String({ pattern: EVENT_ID_PATTERN }) }),
  response: item(Trace),
  run: (ctx, { params }) => readTrace(ctx, params.id),
});
