import type { TopicBatch } from "#kernel/log/topic-log.ts";

const SOON_MIN_MS = 3;
const SOON_MAX_MS = 100;

/** What somebody who follows a feed wants next. */
export interface FeedRequest {
  /** The id of an event, or any place between two. */
  readonly after: string;
  readonly limit: number;
  /** How long to wait for the first event. */
  readonly waitMs: number;
  /** How long to wait for what is committed already but may still be overtaken. */
  readonly settleMs: number;
  readonly gone?: AbortSignal | undefined;
}

type Look = (after: string, limit: number) => Promise<TopicBatch>;

/** One feed and those who wait for what comes on it. */
export class Feed {
  readonly #look: Look;
  readonly #waiters = new Set<Waiter>();
  /** Looks that have not begun, by what they look for. */
  readonly #planned = new Map<string, Promise<TopicBatch>>();
  readonly #underWay = new Map<string, Promise<unknown>>();
  #soon: NodeJS.Timeout | undefined;
  #soonCount = 0;

  constructor(look: Look) {
    this.#look = look;
  }

  get size(): number {
    return this.#waiters.size;
  }

  wake(): void {
    this.#soonCount = 0;
    this.#wakeAll();
  }

  close(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
  }

  async next(wish: FeedRequest, ending: AbortSignal): Promise<TopicBatch> {
    // Among the waiting before it looks, so that nothing comes about unnoticed in between.
    const waiter = new Waiter(wish);
    this.#waiters.add(waiter);
    try {
      for (;;) {
        waiter.sleep();
        const batch = await this.#share(wish.after, wish.limit);
        if (ending.aborted || waiter.accepts(batch)) return batch;
        if (batch.unsettled !== undefined) this.#lookAgainSoon();
        await waiter.woken;
      }
    } finally {
      this.#waiters.delete(waiter);
      waiter.leave();
    }
  }

  #wakeAll(): void {
    for (const waiter of this.#waiters) waiter.wake();
  }

  /**
   * Whoever wants the same shares a look that has not begun. One that is under way may have missed
   * what its latecomers know of, so the next one is theirs.
   */
  #share(after: string, limit: number): Promise<TopicBatch> {
    const key = `${after} ${limit}`;
    const planned = this.#planned.get(key) ?? this.#lookNext(key, after, limit);
    this.#planned.set(key, planned);
    return planned;
  }

  async #lookNext(key: string, after: string, limit: number): Promise<TopicBatch> {
    // Whether the one before failed is the affair of those who wanted it.
    await this.#underWay.get(key)?.catch(() => undefined);
    this.#planned.delete(key);
    const look = this.#look(after, limit);
    this.#underWay.set(key, look);
    try {
      return await look;
    } finally {
      if (this.#underWay.get(key) === look) this.#underWay.delete(key);
    }
  }

  /** What is committed and not settled settles without a word: another transaction's end tells nobody. */
  #lookAgainSoon(): void {
    if (this.#soon) return;
    const delayMs = Math.min(SOON_MIN_MS * 2 ** this.#soonCount, SOON_MAX_MS);
    this.#soonCount += 1;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.#wakeAll();
    }, delayMs);
  }
}

/** One who waits, from the first look to the answer. */
class Waiter {
  woken: Promise<void> = Promise.resolve();
  readonly #wish: FeedRequest;
  readonly #begunAt = performance.now();
  readonly #onGone = (): void => this.wake();
  #resolve: () => void = () => undefined;
  /** What was committed at the first look: an answer without it would seem to have lost it. */
  #owed: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looked = false;
  #over = false;

  constructor(wish: FeedRequest) {
    this.#wish = wish;
    this.#over = wish.waitMs === 0;
    wish.gone?.addEventListener("abort", this.#onGone);
  }

  /** From here on it hears that it is woken. */
  sleep(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.woken = promise;
    this.#resolve = resolve;
  }

  wake(): void {
    this.#resolve();
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#wish.gone?.removeEventListener("abort", this.#onGone);
  }

  accepts({ events, unsettled }: TopicBatch): boolean {
    if (!this.#looked) this.#begin(unsettled);
    if (this.#wish.gone?.aborted) return true;
    if (unsettled !== undefined && this.#owes(events)) return false;
    return events.length > 0 || this.#over;
  }

  #begin(unsettled: string | undefined): void {
    const { waitMs } = this.#wish;
    this.#looked = true;
    this.#owed = unsettled;
    if (this.#over) return;
    this.#timer = setTimeout(() => {
      this.#over = true;
      this.wake();
    }, waitMs);
  }

  #owes(events: TopicBatch["events"]): boolean {
    const { limit, settleMs } = this.#wish;
    const patient = performance.now() - this.#begunAt < settleMs;
    const last = events.at(-1)?.id ?? "";
    return patient && events.length < limit && this.#owed !== undefined && last < this.#owed;
  }
}
