import type { TopicBatch } from "#kernel/log/topic-log.ts";

const RETRY_MIN_MS = 3;
const RETRY_MAX_MS = 100;

/** A subscriber's request for the next events. */
export interface FeedRequest {
  /** The id of an event, or any position between two. */
  readonly after: string;
  readonly limit: number;
  /** How long to wait for the first event. */
  readonly waitMs: number;
  /** How long to wait for committed events to settle. */
  readonly settleMs: number;
  readonly gone?: AbortSignal | undefined;
}

type ReadBatch = (after: string, limit: number) => Promise<TopicBatch>;

/** One feed and its waiting subscribers. */
export class Feed {
  readonly #read: ReadBatch;
  readonly #waiters = new Set<Waiter>();
  /** Queued reads by position and limit. */
  readonly #queued = new Map<string, Promise<TopicBatch>>();
  readonly #inFlight = new Map<string, Promise<unknown>>();
  #retryTimer: NodeJS.Timeout | undefined;
  #retries = 0;

  constructor(read: ReadBatch) {
    this.#read = read;
  }

  get size(): number {
    return this.#waiters.size;
  }

  wake(): void {
    this.#retries = 0;
    this.#wakeAll();
  }

  close(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
  }

  async next(request: FeedRequest, shutdown: AbortSignal): Promise<TopicBatch> {
    // Added before the read, so that no commit is missed in between.
    const waiter = new Waiter(request);
    this.#waiters.add(waiter);
    try {
      for (;;) {
        waiter.sleep();
        const batch = await this.#shareRead(request.after, request.limit);
        if (shutdown.aborted || waiter.isSatisfiedBy(batch)) return batch;
        if (batch.unsettled !== undefined) this.#retrySoon();
        await waiter.woken;
      }
    } finally {
      this.#waiters.delete(waiter);
      waiter.close();
    }
  }

  #wakeAll(): void {
    for (const waiter of this.#waiters) waiter.wake();
  }

  /**
   * Shares a queued read. A running read may have missed the commit that woke a later subscriber, who gets the next
   * one.
   */
  #shareRead(after: string, limit: number): Promise<TopicBatch> {
    const key = `${after} ${limit}`;
    const queued = this.#queued.get(key) ?? this.#readNext(key, after, limit);
    this.#queued.set(key, queued);
    return queued;
  }

  async #readNext(key: string, after: string, limit: number): Promise<TopicBatch> {
    // A failure of the previous read concerns only its subscribers.
    await this.#inFlight.get(key)?.catch(() => undefined);
    this.#queued.delete(key);
    const read = this.#read(after, limit);
    this.#inFlight.set(key, read);
    try {
      return await read;
    } finally {
      if (this.#inFlight.get(key) === read) this.#inFlight.delete(key);
    }
  }

  /** Reads again soon: events settle when an older transaction ends, without a notification. */
  #retrySoon(): void {
    if (this.#retryTimer) return;
    const delayMs = Math.min(RETRY_MIN_MS * 2 ** this.#retries, RETRY_MAX_MS);
    this.#retries += 1;
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#wakeAll();
    }, delayMs);
  }
}

/** A subscriber, from its first read to the response. */
class Waiter {
  woken: Promise<void> = Promise.resolve();
  readonly #request: FeedRequest;
  readonly #startedAt = performance.now();
  readonly #onGone = (): void => this.wake();
  #resolve: () => void = () => undefined;
  /** The last event committed before the first read: a response without it would appear to have lost it. */
  #expected: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasRead = false;
  #isTimedOut = false;

  constructor(request: FeedRequest) {
    this.#request = request;
    this.#isTimedOut = request.waitMs === 0;
    request.gone?.addEventListener("abort", this.#onGone);
  }

  /** From here on it can be woken. */
  sleep(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.woken = promise;
    this.#resolve = resolve;
  }

  wake(): void {
    this.#resolve();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#request.gone?.removeEventListener("abort", this.#onGone);
  }

  isSatisfiedBy({ events, unsettled }: TopicBatch): boolean {
    if (!this.#hasRead) this.#begin(unsettled);
    if (this.#request.gone?.aborted) return true;
    if (unsettled !== undefined && this.#isIncomplete(events)) return false;
    return events.length > 0 || this.#isTimedOut;
  }

  #begin(unsettled: string | undefined): void {
    const { waitMs } = this.#request;
    this.#hasRead = true;
    this.#expected = unsettled;
    if (this.#isTimedOut) return;
    this.#timer = setTimeout(() => {
      this.#isTimedOut = true;
      this.wake();
    }, waitMs);
  }

  #isIncomplete(events: TopicBatch["events"]): boolean {
    const { limit, settleMs } = this.#request;
    const maySettle = performance.now() - this.#startedAt < settleMs;
    const last = events.at(-1)?.id ?? "";
    return (
      maySettle && events.length < limit && this.#expected !== undefined && last < this.#expected
    );
  }
}
