/**
 * The live stream of a public app. All visitors of an app see the same data, so one reader of the log per node
 * serves all of them; streams are limited per address and app. Visitors learn only that data changed, and only as
 * often as all of them can reload the page.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openStream, PLATFORM_EVENTS } from "#domains/bus/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { StreamLimit } from "#kernel/http/stream-limit.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";

/** Limits of open streams per node. */
const ADDRESS_STREAMS_MAX = 6;
const APP_STREAMS_MAX = 200;
/**
 * The minimum time between two signals on a stream, so that all streams of an app can reload its page within the
 * rate limit.
 */
const SIGNAL_MS = 5_000;
const HEARTBEAT_MS = 15_000;
/** After this time, the client reconnects, and the server checks again whether the app is public. */
const LASTS_MS = 5 * 60_000;
const RETRY_MS = 5_000;

export interface VisitorStreamOptions {
  /** The followed deployment. */
  readonly deploymentId: string;
  readonly isOfInterest: (frame: string) => boolean;
  /** When the page was read that follows it, in milliseconds. */
  readonly since?: number | undefined;
  /** The number of signals after which the stream ends. */
  readonly limit?: number | undefined;
}

/** Opens the stream of a visitor; throws a 429 if too many are open. */
export async function openVisitorStream(
  platform: Platform,
  caller: Caller,
  options: VisitorStreamOptions,
): Promise<AsyncIterable<string>> {
  const { apps, addresses, watches } = watchersOf(platform);
  const { deploymentId: key } = options;
  const leaveApp = apps.take(key);
  let leaveAddress: () => void;
  try {
    leaveAddress = addresses.take(classifyAddress(caller.address));
  } catch (error) {
    leaveApp();
    throw error;
  }
  let watch = watches.get(key);
  if (!watch || watch.isOver)
    watches.set(key, (watch = new AppWatch(platform, caller, options.isOfInterest)));
  const held = watch;
  held.enter();
  let isOpen = true;
  const leave = (): void => {
    if (!isOpen) return;
    isOpen = false;
    leaveApp();
    leaveAddress();
    if (held.leave() && watches.get(key) === held) watches.delete(key);
  };
  // A stream that is never read does not run its cleanup. A client that disconnected while the app was opened sends
  // no further signal.
  caller.disconnected?.addEventListener("abort", leave, { once: true });
  if (caller.disconnected?.aborted) leave();
  try {
    await held.started;
  } catch (error) {
    leave();
    throw error;
  }
  return signals(held, caller, options, leave);
}

async function* signals(
  watch: AppWatch,
  { disconnected, lastEventId }: Caller,
  { since = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY }: VisitorStreamOptions,
  leave: () => void,
): AsyncGenerator<string> {
  try {
    // An id without data: a client that is disconnected before the first change then reconnects with an id.
    yield `retry: ${RETRY_MS}\nid: 0\n\n`;
    const endsAtMs = performance.now() + LASTS_MS;
    // A reconnecting client may have missed a change, and so may a page that was read before the last change.
    const isLate = lastEventId !== undefined || since <= watch.changedAtMs;
    let seen = isLate ? -1 : watch.changes;
    for (let sent = 0; sent < limit;) {
      if (disconnected?.aborted || watch.isOver || performance.now() >= endsAtMs) return;
      if (watch.changes === seen) {
        await watch.next(HEARTBEAT_MS, disconnected);
        if (watch.changes === seen) yield ":\n\n";
        continue;
      }
      seen = watch.changes;
      yield "id: 0\nevent: changed\ndata: {}\n\n";
      sent += 1;
      if (sent < limit) await pause(SIGNAL_MS, disconnected);
    }
  } finally {
    leave();
  }
}

/** Follows the log for all visitors of one deployment, as long as there are any. */
class AppWatch {
  changes = 0;
  /** The time of the last known change; changes before its start are unknown. */
  changedAtMs: number;
  isOver = false;
  /** From then on no change is missed. */
  readonly started: Promise<void>;
  #streams = 0;
  readonly #clock: Platform["clock"];
  readonly #end = new AbortController();
  readonly #waiting = new Set<() => void>();

  constructor(platform: Platform, caller: Caller, isOfInterest: (frame: string) => boolean) {
    this.#clock = platform.clock;
    this.changedAtMs = this.#clock.nowMs();
    const { lastEventId: _, ...rest } = caller;
    const reader = { ...rest, disconnected: this.#end.signal };
    const frames = openStream(platform, reader, { name: PLATFORM_EVENTS });
    this.started = frames.then(() => undefined);
    // Its readers reconnect, and a new watch starts with them.
    void this.#follow(frames, isOfInterest)
      .catch((error: unknown) =>
        platform.log.error({ err: error }, "the stream of a public app ended"),
      )
      .finally(() => {
        this.isOver = true;
        this.#wake();
      });
  }

  enter(): void {
    this.#streams += 1;
  }

  /** Returns true if it has no readers left. */
  leave(): boolean {
    this.#streams -= 1;
    if (this.#streams === 0) this.#end.abort();
    return this.#streams === 0;
  }

  /** Waits for a change, with a timeout. */
  async next(forMs: number, gone: AbortSignal | undefined): Promise<void> {
    const stop = new AbortController();
    const wake = (): void => stop.abort();
    this.#waiting.add(wake);
    await pause(forMs, gone ? AbortSignal.any([gone, stop.signal]) : stop.signal);
    this.#waiting.delete(wake);
  }

  async #follow(
    frames: Promise<AsyncIterable<string>>,
    isOfInterest: (frame: string) => boolean,
  ): Promise<void> {
    for await (const frame of await frames) {
      if (!isOfInterest(frame)) continue;
      this.changes += 1;
      this.changedAtMs = this.#clock.nowMs();
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}

/** Sleeps until the timeout or the abort signal. */
async function pause(forMs: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(forMs, undefined, { signal, ref: false }).catch(() => undefined);
}

interface Watchers {
  readonly addresses: StreamLimit;
  readonly apps: StreamLimit;
  readonly watches: Map<string, AppWatch>;
}

const watchers = new WeakMap<Platform["commitFeed"], Watchers>();

function watchersOf({ commitFeed }: Platform): Watchers {
  let own = watchers.get(commitFeed);
  if (!own) {
    own = {
      addresses: new StreamLimit({ openMax: ADDRESS_STREAMS_MAX }),
      apps: new StreamLimit({ openMax: APP_STREAMS_MAX }),
      watches: new Map(),
    };
    watchers.set(commitFeed, own);
  }
  return own;
}
