import Type, { type Static } from "typebox";
import { EventsRead } from "#domains/audit/index.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import { compilePattern } from "#kernel/condition/event-pattern.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { EventFollowerPoint, type FollowedTopic } from "#kernel/contributions/event-follower.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { countUnread, readNewestEvents } from "#kernel/log/topic-log.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { resolveFeedKey } from "../read-topic.ts";
import { PLATFORM_EVENTS, platformTopics, TopicName } from "../topic.ts";

/** The number of newest events from which the types of a user topic are collected. */
const SAMPLE_EVENTS = 200;
const BEHIND_MAX = 1_000;

const Follower = Type.Object(
  {
    kind: Type.String({
      description: "`workflow`, `webhook`, or `reader` for a component of the platform",
    }),
    id: Type.String(),
    name: Type.String(),
    hears: Type.Array(Type.String()),
    status: Type.String(),
    behind: nullable(
      Type.Integer({ description: "Number of waiting events or deliveries, counted up to 1,000" }),
    ),
  },
  { title: "EventFollower" },
);
type Follower = Static<typeof Follower>;

export const listFollowers = query({
  id: "topics.list_followers",
  route: "GET /api/v1/events/topics/{name}/followers",
  summary: "List consumers of a topic and their lag",
  description:
    "Returns workflows that are triggered by its events, webhooks that receive them, and readers of the platform. For a topic with published messages, the types of its newest 200 events are used.",
  permission: EventsRead,
  params: object({ name: TopicName }),
  response: item(
    Type.Object(
      { types: Type.Array(Type.String()), followers: Type.Array(Follower) },
      { title: "EventFollowers" },
    ),
  ),
  example: { params: { name: "incident" } },
  async run(ctx, { params: { name } }) {
    const topic = await readFollowedTopic(ctx, name);
    const followers: Follower[] = [];
    for (const { kind, permission, list } of contributionsTo(
      EventFollowerPoint,
      ctx.services.contributions,
    )) {
      if (!holdsPermission(ctx.caller.permissions, permission)) continue;
      const found = await list(ctx, topic);
      followers.push(...found.map((one) => ({ kind, ...one, hears: [...one.hears] })));
    }
    return {
      types: [...topic.types],
      followers: [...followers, ...(await readReaders(ctx, topic))],
    };
  },
});

async function readFollowedTopic(ctx: ReadContext, name: string): Promise<FollowedTopic> {
  const { services, tx } = ctx;
  // Throws for a topic that the caller may not read.
  const { topics } = resolveFeedKey(services, ctx.caller, name);
  const isPlatform = name === PLATFORM_EVENTS || platformTopics(services).includes(name);
  if (isPlatform) {
    const known = services.eventTypes.map(({ type }) => type);
    const types = known.filter((type) => topics.includes(type.slice(0, type.indexOf("."))));
    return { name, names: [...new Set([name, PLATFORM_EVENTS])], types };
  }
  const events = await readNewestEvents(tx, {
    topic: name,
    hidden: [],
    limit: SAMPLE_EVENTS,
    light: true,
  });
  return { name, names: [name], types: [...new Set(events.map(({ type }) => type))].toSorted() };
}

/** The platform's own readers, with their unread events of this partition and topic. */
async function readReaders(ctx: ReadContext, topic: FollowedTopic): Promise<Follower[]> {
  const { services, tx } = ctx;
  const concerned = services.readers.flatMap(({ name, on }) => {
    const patterns = typeof on === "function" ? on(services) : on;
    return topic.types.some(compilePattern(patterns)) ? [{ name, patterns }] : [];
  });
  const topics = topic.name === PLATFORM_EVENTS ? platformTopics(services) : [topic.name];
  const names = concerned.map(({ name }) => name);
  const behind = await countUnread(tx, names, { topics, countMax: BEHIND_MAX });
  return concerned.map(({ name, patterns }) => ({
    kind: "reader",
    id: name,
    name,
    hears: [...patterns].slice(0, 20),
    status: "active",
    behind: behind.get(name) ?? null,
  }));
}
