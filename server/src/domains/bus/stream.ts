import { type PresenceFollower, presenceWatchOf } from "#domains/presence/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { eventIdOf, type RecordedEvent, toEventEnvelope } from "#kernel/log/event.ts";
import { readLogHead } from "#kernel/log/topic-log.ts";
import { type FeedKey, feedRegistryOf } from "./feed-registry.ts";
import { openFeedKey, parseCursor, type TopicFilter, topicFilter } from "./read-topic.ts";

const BATCH_EVENTS_MAX = 50;
const RETRY_MS = 1_000;

/** The timing of a stream. */
export interface StreamTiming {
  /** The interval of comments during silence, so that proxies keep the connection. */
  readonly heartbeatMs: number;
  /** The maximum duration of a stream. The client then reconnects, and its credential is checked again. */
  readonly lastsMs: number;
}

const STREAM_TIMING: StreamTiming = { heartbeatMs: 15_000, lastsMs: 5 * 60_000 };

interface StreamQuery {
  readonly name: string;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  /** True to include presence. */
  readonly presence?: boolean;
  /** Selects events to announce although the caller cannot see them. Their content must not be revealed. */
  readonly alsoTold?: (event: RecordedEvent) => boolean;
}

/** Resolves the start of a stream. Its frames are produced as the client reads them. */
export async function openStream(
  platform: Platform,
  caller: Caller,
  { name, after, limit, presence = false, alsoTold }: StreamQuery,
): Promise<AsyncIterable<string>> {
  const feed = await openFeedKey(platform, caller, name);
  const { disconnected, lastEventId } = caller;
  // A reconnecting browser repeats the URL with its old `after`; the header is newer.
  const requested =
    lastEventId === undefined
      ? after && parseCursor(after, "?after")
      : parseCursor(lastEventId, "Last-Event-ID");
  const from = requested ?? eventIdOf(await platform.db.read(feed.partition, readLogHead));
  const filterOwn = topicFilter(platform, caller, feed);
  const filterVisible: TopicFilter = async (events) => {
    const own = await filterOwn(events);
    if (!alsoTold) return own;
    const seen = new Set(own.map(({ id }) => id));
    return events.filter((event) => seen.has(event.id) || alsoTold(event));
  };
  return stream(platform, feed, {
    from,
    gone: disconnected,
    filterVisible,
    eventsMax: limit ?? Number.POSITIVE_INFINITY,
    ...(presence && {
      follow: (wake: () => void) => presenceWatchOf(platform).follow(caller, wake),
    }),
  });
}

/** Streams the feed as server-sent events. Reads the log only as fast as the client reads. */
export async function* stream(
  platform: Platform,
  feed: FeedKey,
  from: {
    readonly from: string;
    readonly gone?: AbortSignal | undefined;
    readonly filterVisible?: TopicFilter;
    readonly eventsMax: number;
    /** Also follows presence. */
    readonly follow?: (wake: () => void) => PresenceFollower;
  },
  { heartbeatMs, lastsMs }: StreamTiming = STREAM_TIMING,
): AsyncGenerator<string> {
  const { gone, eventsMax, filterVisible = async (events) => events } = from;
  const endsAt = performance.now() + lastsMs;
  let after = from.from;
  let left = eventsMax;
  using presence = new PresenceFrames(from.follow, gone);
  // An id without data: a client that is disconnected before the first event resumes here.
  yield `retry: ${RETRY_MS}\nid: ${after}\n\n`;
  while (left > 0) {
    const restMs = endsAt - performance.now();
    if (restMs <= 0) return;
    const interrupted = presence.begin();
    yield* presence.take();
    const { events } = await feedRegistryOf(platform).next(feed, {
      after,
      limit: Math.min(left, BATCH_EVENTS_MAX),
      waitMs: Math.ceil(Math.min(heartbeatMs, restMs)),
      settleMs: 0,
      gone: interrupted,
    });
    const visible = gone?.aborted ? [] : await filterVisible(events);
    for (const event of visible) {
      // Access to the rest may have been revoked while the client read the last event.
      if (gone?.aborted) return;
      yield frameOf(event);
    }
    left -= visible.length;
    after = events.at(-1)?.id ?? after;
    if (gone?.aborted || platform.shutdown.aborted) return;
    if (visible.length === 0) yield ":\n\n";
  }
}

/** Presence frames between those of the log: a change ends the wait for the next event. */
class PresenceFrames {
  readonly #gone: AbortSignal | undefined;
  readonly #follower: PresenceFollower | undefined;
  readonly #interrupt = (): void => this.#change.abort();
  #change = new AbortController();

  constructor(
    follow: ((wake: () => void) => PresenceFollower) | undefined,
    gone: AbortSignal | undefined,
  ) {
    this.#gone = gone;
    this.#follower = follow?.(this.#interrupt);
    if (this.#follower) gone?.addEventListener("abort", this.#interrupt);
  }

  /** Aborted at the next change from now on, or when the client has disconnected. */
  begin(): AbortSignal | undefined {
    if (!this.#follower) return this.#gone;
    this.#change = new AbortController();
    if (this.#gone?.aborted) this.#change.abort();
    return this.#change.signal;
  }

  take(): readonly string[] {
    return this.#gone?.aborted ? [] : (this.#follower?.takeFrames() ?? []);
  }

  [Symbol.dispose](): void {
    this.#follower?.close();
    this.#gone?.removeEventListener("abort", this.#interrupt);
  }
}

const frames = new WeakMap<RecordedEvent, string>();

/** Formats an event. Subscribers who share a read also share the text. */
function frameOf(recorded: RecordedEvent): string {
  let frame = frames.get(recorded);
  if (frame === undefined) {
    const { id, type } = recorded;
    frame = `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(toEventEnvelope(recorded))}\n\n`;
    frames.set(recorded, frame);
  }
  return frame;
}
