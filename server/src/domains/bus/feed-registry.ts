import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { positionOf } from "#kernel/log/event.ts";
import type { CommitNotice } from "#kernel/readers/commit-feed.ts";
import { readTopics, type TopicBatch } from "#kernel/log/topic-log.ts";
import { Feed, type FeedRequest } from "./feed.ts";

/** Identifies a feed: one topic, or all platform topics, in one partition. */
export interface FeedKey {
  readonly partition: Partition;
  readonly name: string;
  readonly topics: readonly string[];
}

/**
 * The feeds of a process. Subscribers at the end of a topic wait without a database connection: a commit wakes those
 * of its topic, and they share one read of the log.
 */
export class FeedRegistry {
  /** The number of reads of the log, for monitoring the cost. */
  reads = 0;
  readonly #platform: Platform;
  readonly #feeds = new Map<string, Feed>();
  readonly #byTopic = new Map<string, Set<Feed>>();
  readonly #subscriptions = new Map<string, TopicSubscription>();

  constructor(platform: Platform) {
    this.#platform = platform;
    platform.shutdown.addEventListener("abort", () => {
      for (const feed of this.#feeds.values()) feed.wake();
    });
  }

  /** The number of waiting subscribers. */
  get waiting(): number {
    return this.#feeds.values().reduce((sum, feed) => sum + feed.size, 0);
  }

  /** The next events of a feed. Empty after a timeout, a disconnect or on shutdown. */
  async next(feedKey: FeedKey, request: FeedRequest): Promise<TopicBatch> {
    const id = toFeedId(feedKey.partition, feedKey.name);
    const feed = this.#feeds.get(id) ?? this.#openFeed(id, feedKey);
    try {
      return await feed.next(request, this.#platform.shutdown);
    } finally {
      if (feed.size === 0 && this.#feeds.get(id) === feed) this.#closeFeed(id, feedKey, feed);
    }
  }

  #openFeed(id: string, feedKey: FeedKey): Feed {
    const feed = new Feed((after, limit) => this.#readBatch(feedKey, after, limit));
    this.#feeds.set(id, feed);
    for (const topic of feedKey.topics) {
      const topicId = toFeedId(feedKey.partition, topic);
      const feeds = this.#byTopic.get(topicId) ?? new Set();
      this.#byTopic.set(topicId, feeds.add(feed));
      this.#subscribe(topic);
    }
    return feed;
  }

  #closeFeed(id: string, feedKey: FeedKey, feed: Feed): void {
    feed.close();
    this.#feeds.delete(id);
    for (const topic of feedKey.topics) {
      const topicId = toFeedId(feedKey.partition, topic);
      const feeds = this.#byTopic.get(topicId);
      feeds?.delete(feed);
      if (feeds?.size === 0) this.#byTopic.delete(topicId);
      this.#unsubscribeFrom(topic);
    }
  }

  #subscribe(topic: string): void {
    const subscription = this.#subscriptions.get(topic);
    if (subscription) {
      subscription.count += 1;
      return;
    }
    const unsubscribe = this.#platform.commitFeed.subscribe([topic], (notice) =>
      this.#wakeFeeds(notice),
    );
    this.#subscriptions.set(topic, { unsubscribe, count: 1 });
  }

  #unsubscribeFrom(topic: string): void {
    const subscription = this.#subscriptions.get(topic);
    if (!subscription) return;
    subscription.count -= 1;
    if (subscription.count > 0) return;
    subscription.unsubscribe();
    this.#subscriptions.delete(topic);
  }

  #wakeFeeds({ topic, ...partition }: CommitNotice): void {
    const feeds = this.#byTopic.get(toFeedId(partition, topic));
    if (feeds) for (const feed of feeds) feed.wake();
  }

  async #readBatch(feedKey: FeedKey, after: string, limit: number): Promise<TopicBatch> {
    const position = positionOf(after);
    if (!position) throw new Error("A cursor is the id of an event.");
    this.reads += 1;
    return this.#platform.db.read(feedKey.partition, (tx) =>
      readTopics(tx, feedKey.topics, position, limit),
    );
  }
}

/** The subscription to a topic's commits while a feed needs it. */
interface TopicSubscription {
  readonly unsubscribe: () => void;
  count: number;
}

const registries = new WeakMap<Platform, FeedRegistry>();

/** The registry of this process, in every role. */
export function feedRegistryOf(platform: Platform): FeedRegistry {
  let registry = registries.get(platform);
  if (!registry) registries.set(platform, (registry = new FeedRegistry(platform)));
  return registry;
}

function toFeedId(
  { workspace, environment }: { readonly workspace: string; readonly environment: string },
  name: string,
): string {
  return `${workspace} ${environment} ${name}`;
}
