import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { eventIdOf, type RecordedEvent, toEventEnvelope } from "#kernel/log/event.ts";
import { logHead } from "#kernel/log/topic-log.ts";
import { type FeedKey, feedRegistryOf } from "./feed-registry.ts";
import { cursorOf, feedKeyOf, type TopicReader, topicVisibility } from "./read-topic.ts";

const BATCH_EVENTS_MAX = 50;
const RETRY_MS = 1_000;

/** How a stream keeps time. */
export interface Pace {
  /** A silence as long as that is broken, so that proxies do not take the connection for dead. */
  readonly heartbeatMs: number;
  /** It ends after this time; the client comes back, and its credential is checked anew. */
  readonly lastsMs: number;
}

const PACE: Pace = { heartbeatMs: 15_000, lastsMs: 5 * 60_000 };

/** Decides where a stream begins; what it gives is made as it is taken. */
export async function openStream(
  platform: Platform,
  caller: Caller,
  { name, after, limit }: { name: string; after?: string | undefined; limit?: number | undefined },
): Promise<AsyncIterable<string>> {
  const feed = feedKeyOf(platform, caller, name);
  const { disconnected, lastEventId } = caller;
  // A browser that comes back repeats the address with its old `after`; the header is newer.
  const given =
    lastEventId === undefined
      ? after && cursorOf(after, "?after")
      : cursorOf(lastEventId, "Last-Event-ID");
  const from = given ?? eventIdOf(await platform.db.read(feed.partition, logHead));
  const see = topicVisibility(platform, caller, feed);
  return stream(platform, feed, {
    from,
    gone: disconnected,
    see,
    eventsMax: limit ?? Number.POSITIVE_INFINITY,
  });
}

/** The feed as server-sent events. The log is read no faster than the client takes it. */
export async function* stream(
  platform: Platform,
  feed: FeedKey,
  from: {
    readonly from: string;
    readonly gone?: AbortSignal | undefined;
    readonly see?: TopicReader;
    readonly eventsMax: number;
  },
  { heartbeatMs, lastsMs }: Pace = PACE,
): AsyncGenerator<string> {
  const { gone, eventsMax, see = async (events) => events } = from;
  const endsAt = performance.now() + lastsMs;
  let after = from.from;
  let left = eventsMax;
  // An id without data: who is cut off before the first event comes back to this place.
  yield `retry: ${RETRY_MS}\nid: ${after}\n\n`;
  while (left > 0) {
    const restMs = endsAt - performance.now();
    if (restMs <= 0) return;
    const { events } = await feedRegistryOf(platform).next(feed, {
      after,
      limit: Math.min(left, BATCH_EVENTS_MAX),
      waitMs: Math.ceil(Math.min(heartbeatMs, restMs)),
      settleMs: 0,
      gone,
    });
    const seen = await see(events);
    for (const one of seen) yield frameOf(one);
    left -= seen.length;
    after = events.at(-1)?.id ?? after;
    if (gone?.aborted || platform.shutdown.aborted) return;
    if (seen.length === 0) yield ":\n\n";
  }
}

const frames = new WeakMap<RecordedEvent, string>();

/** Those who shared a look share the text too. */
function frameOf(recorded: RecordedEvent): string {
  let frame = frames.get(recorded);
  if (frame === undefined) {
    const { id, type } = recorded;
    frame = `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(toEventEnvelope(recorded))}\n\n`;
    frames.set(recorded, frame);
  }
  return frame;
}
