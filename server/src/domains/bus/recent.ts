/** Reads the newest events that somebody may read: for feeds, and for what changed since they were here. */
import Type, { type Static } from "typebox";
import { EventsRead } from "#domains/audit/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { checkCondition, compileCondition, type Condition } from "#kernel/condition/condition.ts";
import {
  compilePattern,
  isPattern,
  PATTERN_CHARACTERS_MAX,
} from "#kernel/condition/event-pattern.ts";
import {
  ActorSchema,
  EventEnvelope,
  positionOf,
  type RecordedEvent,
  toEventEnvelope,
} from "#kernel/log/event.ts";
import { subjectOf } from "#kernel/log/event-subject.ts";
import {
  filterEvents,
  filterLightEvents,
  visibilityContext,
} from "#kernel/log/event-visibility.ts";
import { readNewestEvents } from "#kernel/log/topic-log.ts";
import { invalidField, invalidInput } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { InputTime, line, object, Time } from "#kernel/schema/schema.ts";
import { hiddenTopics } from "./read-topic.ts";
import { AUDIT, PLATFORM_EVENTS, platformTopics } from "./topic.ts";

/** How many events are looked at for what changed. */
const CHANGED_EVENTS_MAX = 1_000;
/** And for those that match a pattern, so many at a time. */
const MATCHED_EVENTS_MAX = 2_000;
const MATCH_BATCH_EVENTS = 200;

export const listRecentEvents = query({
  id: "events.recent",
  route: "GET /api/v1/events/recent",
  summary: "List the newest events that you may read, newest first",
  description:
    "Of all topics, or of one. What rules hide is left out, so that a page may be shorter than `limit`; those of the " +
    "topic `audit` need `audit:read`. `type`, a pattern, and `filter`, a condition, select those that a trigger or a " +
    "webhook would hear: of the newest 2000 on each page. To hear of new ones, follow a topic's stream.",
  permission: EventsRead,
  query: object({
    ...pageQuery,
    topic: Type.Optional(line(200)),
    type: Type.Optional(line(PATTERN_CHARACTERS_MAX, "As `incident.*`")),
    filter: Type.Optional(Type.String({ maxLength: 20_000, description: "A condition, in JSON" })),
  }),
  response: page(EventEnvelope),
  example: { query: { limit: 20, topic: "incident", type: "incident.*" } },
  run: readRecentEvents,
});

async function readRecentEvents(ctx: ReadContext, { query: { limit, after, ...of } }: RecentInput) {
  const matches = compileMatch(ctx, of);
  // Without a selection a page is read at once, and holds what its reader may see of it.
  const isSelection = of.type !== undefined || of.filter !== undefined;
  const batchMax = isSelection ? MATCH_BATCH_EVENTS : limit;
  const selected: RecordedEvent[] = [];
  let cursor = after ?? null;
  for (let looked = 0; ;) {
    const before = cursor === null ? undefined : positionOf(cursor);
    if (cursor !== null && !before) throw invalidField("?after", "is not a cursor of this list");
    const batch = toPage(
      await readNewestEvents(ctx.tx, {
        topic: of.topic === PLATFORM_EVENTS ? undefined : of.topic,
        hidden: hiddenTopics(ctx.caller),
        before,
        limit: batchMax + 1,
      }),
      batchMax,
      (event) => event,
      ({ id }) => id,
    );
    const visible = await filterEvents(visibilityContext(ctx), ctx.caller.principal, batch.data);
    const found = visible.filter(matches).slice(0, limit - selected.length);
    selected.push(...found);
    looked += batch.data.length;
    const isFull = selected.length === limit && isSelection;
    cursor = isFull ? (selected.at(-1)?.id ?? null) : batch.nextCursor;
    if (isFull || cursor === null || !isSelection || looked >= MATCHED_EVENTS_MAX) break;
  }
  return { data: selected.map(toEventEnvelope), nextCursor: cursor, limit };
}

/** Tells the events that a trigger with this topic, pattern and condition would hear. */
function compileMatch(
  { services }: ReadContext,
  { topic, type, filter }: Omit<RecentInput["query"], "limit" | "after">,
): (event: RecordedEvent) => boolean {
  if (type !== undefined && !isPattern(type)) throw invalidField("?type", "is not a pattern");
  const matchesType = type === undefined ? () => true : compilePattern([type]);
  const matchesFilter = filter === undefined ? () => true : compileCondition(readFilter(filter));
  const topics = topic === PLATFORM_EVENTS ? platformTopics(services) : undefined;
  return (event) =>
    topics?.includes(event.topic) !== false &&
    matchesType(event.type) &&
    matchesFilter(subjectOf(event));
}

function readFilter(text: string): Condition {
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
  // A condition without errors is one.
  return filter as Condition;
}

interface RecentInput {
  readonly query: {
    readonly limit: number;
    readonly after?: string;
    readonly topic?: string;
    readonly type?: string;
    readonly filter?: string;
  };
}

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
        truncated: Type.Boolean({ description: "Whether there was more than is selected" }),
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
