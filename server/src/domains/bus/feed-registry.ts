import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { positionOf } from "#kernel/log/event.ts";
import type { CommitNotice } from "#kernel/readers/commit-feed.ts";
import { readTopics, type TopicBatch } from "#kernel/log/topic-log.ts";
import { Feed, type FeedRequest } from "./feed.ts";

/** What a reader follows: one topic, or all those of the platform, in one partition. */
export interface FeedKey {
  readonly partition: Partition;
  readonly name: string;
  readonly topics: readonly string[];
}

/**
 * Where those wait who have read a topic to its end. They hold no connection and ask nothing: a commit
 * wakes those of its topic, on this node at once, and they share one look at the log between them.
 */
export class FeedRegistry {
  /** How often the log was looked at, for whoever watches the cost. */
  looks = 0;
  readonly #platform: Platform;
  readonly #channels = new Map<string, Feed>();
  readonly #byTopic = new Map<string, Set<Feed>>();
  readonly #ears = new Map<string, Ear>();

  constructor(platform: Platform) {
    this.#platform = platform;
    platform.shutdown.addEventListener("abort", () => {
      for (const channel of this.#channels.values()) channel.wake();
    });
  }

  /** How many wait. */
  get waiting(): number {
    return this.#channels.values().reduce((sum, channel) => sum + channel.size, 0);
  }

  /** What comes next on a feed; nothing when the time is over, the client gone or the process ending. */
  async next(feed: FeedKey, wish: FeedRequest): Promise<TopicBatch> {
    const key = keyOf(feed.partition, feed.name);
    const channel = this.#channels.get(key) ?? this.#open(key, feed);
    try {
      return await channel.next(wish, this.#platform.shutdown);
    } finally {
      if (channel.size === 0 && this.#channels.get(key) === channel) this.#shut(key, feed, channel);
    }
  }

  #open(key: string, feed: FeedKey): Feed {
    const channel = new Feed((after, limit) => this.#look(feed, after, limit));
    this.#channels.set(key, channel);
    for (const topic of feed.topics) {
      const place = keyOf(feed.partition, topic);
      const channels = this.#byTopic.get(place) ?? new Set();
      this.#byTopic.set(place, channels.add(channel));
      this.#listen(topic);
    }
    return channel;
  }

  #shut(key: string, feed: FeedKey, channel: Feed): void {
    channel.close();
    this.#channels.delete(key);
    for (const topic of feed.topics) {
      const place = keyOf(feed.partition, topic);
      const channels = this.#byTopic.get(place);
      channels?.delete(channel);
      if (channels?.size === 0) this.#byTopic.delete(place);
      this.#unlisten(topic);
    }
  }

  #listen(topic: string): void {
    const ear = this.#ears.get(topic);
    if (ear) {
      ear.count += 1;
      return;
    }
    const unsubscribe = this.#platform.commitFeed.subscribe([topic], (notice) =>
      this.#hear(notice),
    );
    this.#ears.set(topic, { unsubscribe, count: 1 });
  }

  #unlisten(topic: string): void {
    const ear = this.#ears.get(topic);
    if (!ear) return;
    ear.count -= 1;
    if (ear.count > 0) return;
    ear.unsubscribe();
    this.#ears.delete(topic);
  }

  #hear({ topic, ...partition }: CommitNotice): void {
    const channels = this.#byTopic.get(keyOf(partition, topic));
    if (channels) for (const channel of channels) channel.wake();
  }

  async #look(feed: FeedKey, after: string, limit: number): Promise<TopicBatch> {
    const place = positionOf(after);
    if (!place) throw new Error("A cursor is the id of an event.");
    this.looks += 1;
    return this.#platform.db.read(feed.partition, (tx) =>
      readTopics(tx, feed.topics, place, limit),
    );
  }
}

/** What hears of a topic, for as long as a channel wants to. */
interface Ear {
  readonly unsubscribe: () => void;
  count: number;
}

const lobbies = new WeakMap<Platform, FeedRegistry>();

/** The one lobby of this process, in whichever role it runs. */
export function feedRegistryOf(platform: Platform): FeedRegistry {
  let lobby = lobbies.get(platform);
  if (!lobby) lobbies.set(platform, (lobby = new FeedRegistry(platform)));
  return lobby;
}

function keyOf(
  { workspace, environment }: { readonly workspace: string; readonly environment: string },
  name: string,
): string {
  return `${workspace} ${environment} ${name}`;
}
