/** Summarises the changes since a time by resource. */
import Type, { type Static } from "typebox";
import { EventsRead } from "#domains/audit/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { ActorSchema, EventEnvelope } from "#kernel/log/event.ts";
import { filterLightEvents, visibilityContext } from "#kernel/log/event-visibility.ts";
import { readNewestEvents } from "#kernel/log/topic-log.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { InputTime, object, Time } from "#kernel/schema/schema.ts";
import { AUDIT } from "../topic.ts";

/** The maximum number of scanned events. */
const CHANGED_EVENTS_MAX = 1_000;

const ResourceChange = Type.Object(
  {
    resource: EventEnvelope.properties.resource,
    count: Type.Integer({ description: "Number of its events since then" }),
    types: Type.Array(Type.String(), { description: "Event types, newest first" }),
    lastEventId: Type.String(),
    lastAt: Time,
    actor: ActorSchema,
  },
  { title: "ResourceChange" },
);

export const listChanges = query({
  id: "events.changes",
  route: "GET /api/v1/events/changes",
  summary: "List changed resources since a time",
  description:
    "Uses the newest 1,000 events since `since` that you can view, and returns one item per resource, last changed first. `others` omits your own changes. Account events are not included.",
  permission: EventsRead,
  query: object({
    since: InputTime,
    others: Type.Optional(Type.Boolean({ description: "Returns only changes by others" })),
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  }),
  response: item(
    Type.Object(
      {
        since: Time,
        changes: Type.Array(ResourceChange),
        truncated: Type.Boolean({ description: "Whether there were more events" }),
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
