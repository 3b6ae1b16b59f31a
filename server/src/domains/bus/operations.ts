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
  "Platform events are published to the topic of their namespace (for example `incident`) and to `platform.events`. Events of the topic `audit` require `audit:read`. A topic without messages is empty.";

export const publishMessage = command({
  id: "topics.publish",
  effect: "ordinary",
  route: "POST /api/v1/events/topics/{name}/publish",
  summary: "Publish a message to a topic",
  description:
    "Creates the topic if it does not exist. `payload` becomes the `data` of the event. Webhooks, workflows and the audit log receive the event like any other event. A second message with the same `deduplicationKey` in the same topic within 5 minutes is suppressed: the response is 200 with the id of the first message. Topics and types of the platform are reserved.",
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
      payload: { order: 4711, carrier: "Manual" },
      deduplicationKey: "order 4711 shipped",
    },
  },
  run: (ctx, { params, body }) => publish(ctx, params.name, body),
});

export const readTopic = query({
  id: "topics.read",
  route: "GET /api/v1/events/topics/{name}/events",
  summary: "List the events of a topic, oldest first",
  description: `Without \`after\`, starts at the oldest available event. \`nextCursor\` is always present: with it as \`after\`, you receive every event once and in order, even with concurrent writers. \`after\` also takes the id of an event. If there are no new events, the request waits up to \`timeout\` milliseconds for one. ${WHAT_IS_THERE}`,
  permission: EventsRead,
  params: ByName,
  query: object({
    ...pageQuery,
    timeout: Type.Integer({
      minimum: 0,
      maximum: TIMEOUT_MAX_MS,
      default: 0,
      description: "Maximum time to wait for new events, in milliseconds",
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
  summary: "Stream the events of a topic as server-sent events",
  description: `Each event has \`id\`, \`event\` (its type) and \`data\` (the event as JSON). \`Last-Event-ID\`, which browsers send automatically, or \`after\` continues after an event; without them, the stream starts now. The stream ends after 5 minutes, to check the credential again, or after \`limit\` events; a client that reconnects with the last id misses no events. \`platform.messages\` contains the messages of all topics that existed when the stream was opened. ${WHAT_IS_THERE}`,
  permission: EventsRead,
  params: ByName,
  query: object({
    after: pageQuery.after,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Maximum number of events" }),
    ),
    presence: Type.Boolean({
      default: false,
      description:
        "Adds `presence.changed` events without an id, with the users present at a resource. They are sent on each change while you are present there",
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
  summary: "List topics with events, by name",
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
  summary: "Get the trace of an event",
  description:
    "`rootId` is the first cause. `events` contains up to 1,000 events with the same correlation, in log order. `effects` contains up to 1,000 other effects (for example deliveries) with the causing event.",
  permission: AuditRead,
  params: object({ id: Type.String({ pattern: EVENT_ID_PATTERN }) }),
  response: item(Trace),
  run: (ctx, { params }) => readTrace(ctx, params.id),
});
