import type { Static } from "typebox";
import { AuditRead } from "#domains/audit/index.ts";
import { type Caller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { eventIdOf, positionOf, type RecordedEvent, toEventEnvelope } from "#kernel/log/event.ts";
import { filterEvents } from "#kernel/log/event-visibility.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { takeFittingPage } from "#kernel/operation/pagination.ts";
import { type FeedKey, feedRegistryOf } from "./feed-registry.ts";
import { AUDIT, PLATFORM_EVENTS, platformTopics, type TopicPage } from "./topic.ts";

/** What was just published should be in the next answer, though an older transaction is still open. */
const SETTLE_MAX_MS = 250;
const BEGINNING = eventIdOf({ epoch: 0, xid: 0, seq: 0 });
/** How many batches of which the caller sees nothing one answer passes by. */
const UNSEEN_BATCHES_MAX = 20;

export interface TopicQuery {
  readonly name: string;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly timeout: number;
}

/** A page of a topic, oldest first, as soon as there is something to show or the time is over. */
export async function readTopicPage(
  platform: Platform,
  caller: Caller,
  { name, after = BEGINNING, limit, timeout }: TopicQuery,
): Promise<Static<typeof TopicPage>> {
  const feed = feedKeyOf(platform, caller, name);
  const see = topicVisibility(platform, caller, feed);
  const endsAt = performance.now() + timeout;
  let nextCursor = cursorOf(after, "?after");
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
    const events = await see(next);
    // What is not for them to see is nothing new.
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

/** What a caller sees of the events of a feed. */
export type TopicReader = (events: readonly RecordedEvent[]) => Promise<readonly RecordedEvent[]>;

export function topicVisibility(
  platform: Platform,
  { principal }: Caller,
  { partition }: FeedKey,
): TopicReader {
  const place = {
    services: platform,
    partition,
    read: <T>(work: (tx: Tx) => Promise<T>) => platform.db.read(partition, work),
  };
  return (events) => filterEvents(place, principal, events);
}

/** The topics behind a name, as far as the caller may read them. */
export function feedKeyOf(services: PlatformServices, caller: Caller, name: string): FeedKey {
  const { workspace, environment } = caller;
  if (!workspace) throw new Error("A topic belongs to a workspace.");
  const partition = { workspace: workspace.key, environment };
  const hidden = hiddenTopics(caller);
  if (hidden.includes(name)) {
    throw new Failure(Forbidden, { detail: `This needs the permission ${AuditRead.name}.` });
  }
  if (name !== PLATFORM_EVENTS) return { partition, name, topics: [name] };
  const topics = platformTopics(services).filter((topic) => !hidden.includes(topic));
  // Those who see less do not share with those who see all. No topic's name has a space.
  return { partition, name: [name, ...hidden].join(" without "), topics };
}

/** The audit log has a permission of its own; a topic must not be the way around it. */
export function hiddenTopics({ permissions }: Caller): readonly string[] {
  return permissions.has(AuditRead.name) ? [] : [AUDIT];
}

/** Any event's id is a cursor of any topic. */
export function cursorOf(text: string, path: string): string {
  if (!positionOf(text))
    throw invalidField(path, "is neither an event's id nor a cursor of a topic");
  return text;
}
