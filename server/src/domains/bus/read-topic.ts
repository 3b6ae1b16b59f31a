import type { Static } from "typebox";
import { AuditRead, EventsRead } from "#domains/audit/index.ts";
import { type Caller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { eventIdOf, positionOf, type RecordedEvent, toEventEnvelope } from "#kernel/log/event.ts";
import { filterEvents } from "#kernel/log/event-visibility.ts";
import { listTopics } from "#kernel/log/topic-log.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { takeFittingPage } from "#kernel/operation/pagination.ts";
import { type FeedKey, feedRegistryOf } from "./feed-registry.ts";
import { TOPIC_COUNT_READER } from "./topic-counter.ts";
import {
  AUDIT,
  PLATFORM_EVENTS,
  PLATFORM_MESSAGES,
  platformTopics,
  type TopicPage,
} from "./topic.ts";

/** How long a response waits for new events to settle while an older transaction is open. */
const SETTLE_MAX_MS = 250;
const BEGINNING = eventIdOf({ epoch: 0, xid: 0, seq: 0 });
/** The maximum number of batches without visible events that one request skips. */
const UNSEEN_BATCHES_MAX = 20;
/** The maximum number of user topics that are followed together. */
const MESSAGE_TOPICS_MAX = 200;

export interface TopicQuery {
  readonly name: string;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly timeout: number;
}

/** Reads a page of a topic, oldest first, when there are events or after the timeout. */
export async function readTopicPage(
  platform: Platform,
  caller: Caller,
  { name, after = BEGINNING, limit, timeout }: TopicQuery,
): Promise<Static<typeof TopicPage>> {
  const feed = await openFeedKey(platform, caller, name);
  const filterVisible = topicFilter(platform, caller, feed);
  const endsAt = performance.now() + timeout;
  let nextCursor = parseCursor(after, "?after");
  for (let batches = 1; ; batches += 1) {
    const batch = await feedRegistryOf(platform).next(feed, {
      after: nextCursor,
      limit,
      waitMs: batches === 1 ? timeout : Math.max(0, Math.ceil(endsAt - performance.now())),
      settleMs: SETTLE_MAX_MS,
      gone: caller.disconnected,
    });
    const next = takeFittingPage(batch.events);
    const last = next.at(-1);
    nextCursor = last?.id ?? nextCursor;
    const events = await filterVisible(next);
    // A batch without events visible to the caller is skipped.
    if (
      events.length > 0 ||
      !last ||
      batches === UNSEEN_BATCHES_MAX ||
      caller.disconnected?.aborted
    ) {
      const hasMore = batch.hasMore || next.length < batch.events.length;
      return { data: events.map(toEventEnvelope), pagination: { nextCursor, hasMore, limit } };
    }
  }
}

/** Filters the events of a feed for a caller. */
export type TopicFilter = (events: readonly RecordedEvent[]) => Promise<readonly RecordedEvent[]>;

export function topicFilter(
  platform: Platform,
  { principal }: Caller,
  { partition }: FeedKey,
): TopicFilter {
  const source = {
    services: platform,
    partition,
    read: <T>(work: (tx: Tx) => Promise<T>) => platform.db.read(partition, work),
  };
  return (events) => filterEvents(source, principal, events);
}

/** Resolves a topic name to the topics that the caller can read. */
export function resolveFeedKey(services: PlatformServices, caller: Caller, name: string): FeedKey {
  const { workspace, environment } = caller;
  if (!workspace) throw new Error("A topic belongs to a workspace.");
  const partition = { workspace: workspace.key, environment };
  const hidden = hiddenTopics(caller);
  if (hidden.includes(name)) {
    throw new Failure(Forbidden, { detail: `This requires the permission ${AuditRead.name}.` });
  }
  if (name !== PLATFORM_EVENTS) return { partition, name, topics: [name] };
  const topics = platformTopics(services).filter((topic) => !hidden.includes(topic));
  // Callers with limited access do not share a feed with others. Topic names contain no spaces.
  return { partition, name: [name, ...hidden].join(" without "), topics };
}

/** The audit log requires a separate permission, which a topic must not bypass. */
export function hiddenTopics({ permissions }: Caller): readonly string[] {
  return permissions.has(AuditRead.name) ? [] : [AUDIT];
}

/** True if the user may receive events of a topic on any channel: the same check as `topics.read`. */
export function mayHear({ permissions }: Pick<Caller, "permissions">, topic: string): boolean {
  return permissions.has(EventsRead.name) && (topic !== AUDIT || permissions.has(AuditRead.name));
}

/** Opens the feed of a topic name. The feed of all messages contains the current topics. */
export async function openFeedKey(
  platform: Platform,
  caller: Caller,
  name: string,
): Promise<FeedKey> {
  const feed = resolveFeedKey(platform, caller, name);
  if (name !== PLATFORM_MESSAGES) return feed;
  const own = [...platformTopics(platform), AUDIT];
  const listed = await platform.db.read(feed.partition, (tx) =>
    listTopics(tx, {
      reader: TOPIC_COUNT_READER,
      sum: { name: PLATFORM_EVENTS, of: [] },
      hidden: own,
      after: "",
      limit: MESSAGE_TOPICS_MAX,
    }),
  );
  const topics = listed.map((topic) => topic.name).filter((topic) => topic !== PLATFORM_EVENTS);
  // Later subscribers may have more topics.
  return { ...feed, name: [name, ...topics].join(" "), topics };
}

/** The id of any event is a valid cursor of any topic. */
export function parseCursor(text: string, path: string): string {
  if (!positionOf(text))
    throw invalidField(path, "is neither the id of an event nor a cursor of a topic");
  return text;
}
