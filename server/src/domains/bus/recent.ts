/** Reads the newest events that somebody may read: for feeds, and for what changed since they were here. */
import Type, { type Static } from "typebox";
import { EventsRead } from "#domains/audit/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { ActorSchema, EventEnvelope, positionOf, toEventEnvelope } from "#kernel/log/event.ts";
import {
  filterEvents,
  filterLightEvents,
  visibilityContext,
} from "#kernel/log/event-visibility.ts";
import { readNewestEvents } from "#kernel/log/topic-log.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { InputTime, line, object, Time } from "#kernel/schema/schema.ts";
import { hiddenTopics } from "./read-topic.ts";
import { AUDIT } from "./topic.ts";

/** How many events are looked at for what changed. */
const CHANGED_EVENTS_MAX = 1_000;

export const listRecentEvents = query({
  id: "events.recent",
  route: "GET /api/v1/events/recent",
  summary: "List the newest events that you may read, newest first",
  description:
    "Of all topics, or of one. What rules hide is left out, so that a page may be shorter than `limit`; those of the " +
    "topic `audit` need `audit:read`. To hear of new ones, follow a topic's stream.",
  permission: EventsRead,
  query: object({ ...pageQuery, topic: Type.Optional(line(200)) }),
  response: page(EventEnvelope),
  example: { query: { limit: 20, topic: "incident" } },
  async run(ctx, { query: { limit, after, topic } }) {
    const before = after === undefined ? undefined : positionOf(after);
    if (after !== undefined && !before)
      throw invalidField("?after", "is not a cursor of this list");
    const hidden = hiddenTopics(ctx.caller);
    const found = await readNewestEvents(ctx.tx, { topic, hidden, before, limit: limit + 1 });
    const events = toPage(
      found,
      limit,
      (event) => event,
      ({ id }) => id,
    );
    const visible = await filterEvents(visibilityContext(ctx), ctx.caller.principal, events.data);
    return { ...events, data: visible.map(toEventEnvelope) };
  },
});

const ResourceChange = Type.Object(
  {
    resource: EventEnvelope.properties.resource,
    count: Type.Integer({ description: "Its events since then" }),
    types: Type.Array(Type.String(), { description: "Their types, newest first" }),
    lastEventId: Type.String(),
    lastAt: Time,
    actor: ActorSchema,
  },
  { title: "ResourceChange" },
);

export const listChanges = query({
  id: "events.changes",
  route: "GET /api/v1/events/changes",
  summary: "List what changed since some time, by resource",
  description:
    "Of the newest 1000 events, those since `since` that you may read: one item for each resource, the one that " +
    "changed last first. `others` leaves your own acts out. Acts on accounts are not among them.",
  permission: EventsRead,
  query: object({
    since: InputTime,
    others: Type.Optional(Type.Boolean({ description: "Only what others did" })),
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  }),
  response: item(
    Type.Object(
      {
        since: Time,
        changes: Type.Array(ResourceChange),
        truncated: Type.Boolean({ description: "Whether there was more than is shown" }),
      },
      { title: "Changes" },
    ),
  ),
  example: { query: { since: "2026-01-01T00:00:00Z", limit: 50, others: true } },
  run: readChanges,
});

async function readChanges(
  ctx: ReadContext,
  { query: { since, others = false, limit } }: ChangesInput,
) {
  const { caller } = ctx;
  const found = await readNewestEvents(ctx.tx, {
    hidden: [AUDIT],
    limit: CHANGED_EVENTS_MAX,
    light: true,
  });
  const from = new Date(since).toISOString();
  const late = found.filter(
    ({ createdAt, actor }) => createdAt >= from && !(others && actor.id === caller.actor.id),
  );
  const visible = await filterLightEvents(visibilityContext(ctx), caller.principal, late);
  const byResource = [...Map.groupBy(visible, ({ resource }) => `${resource.type} ${resource.id}`)];
  const changes = byResource.slice(0, limit).flatMap(([, events]): Change[] => {
    const [last] = events;
    if (!last) return [];
    const types = [...new Set(events.map(({ type }) => type))];
    const { resource, actor, id, createdAt } = last;
    return [
      {
        resource: { ...resource },
        count: events.length,
        types,
        lastEventId: id,
        lastAt: createdAt,
        actor: { ...actor },
      },
    ];
  });
  const oldest = found.at(-1);
  const isCut = found.length === CHANGED_EVENTS_MAX && (oldest?.createdAt ?? "") >= from;
  return { since: from, changes, truncated: isCut || byResource.length > limit };
}

type Change = Static<typeof ResourceChange>;

interface ChangesInput {
  readonly query: { readonly since: string; readonly others?: boolean; readonly limit: number };
}
