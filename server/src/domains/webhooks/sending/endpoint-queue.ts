import type { DueDelivery, PendingDelivery } from "./pending-delivery.ts";
import type { Target } from "./target.ts";

/** The number of deliveries per webhook in memory; the others stay in the database. */
export const WINDOW = 64;

const MS_PER_SECOND = 1_000;
const INITIAL_LIMIT = 2;
const IDLE_AFTER_MS = 600_000;

/**
 * The in-memory queue of one webhook: waiting deliveries, running attempts, and its rate. At most `concurrencyMax`
 * attempts run in parallel, fewer for an endpoint that does not respond: it starts with two, each success allows
 * one more, and a failure reduces it to one. So unresponsive endpoints hold few connections.
 */
export class Endpoint {
  readonly id: string;
  readonly shard: number;
  /** Undefined until it is read, and after each change. */
  target: Target | undefined;
  /** Counts the changes of the webhook: a target read before the last one is stale. */
  changeCount = 0;
  /** True while a timer will bring it back when its pace allows. */
  isTimerSet = false;
  /** True if the database may contain due deliveries that are not queued here. */
  hasBacklog = false;
  /** The number of deliveries left in the database because the queue was full. */
  skippedCount = 0;
  /** Due time of the next delivery in the database. */
  nextDueMs = Number.POSITIVE_INFINITY;
  /** The end of the pause that the endpoint requested with `Retry-After`. */
  holdUntilMs = 0;
  readonly #concurrencyMax: number;
  readonly #queue: PendingDelivery[] = [];
  /** Deliveries in memory whose result is not written yet. */
  readonly #known = new Set<string>();
  /** Resources with a running delivery: the next one of the same resource waits for it. */
  readonly #busy = new Set<string>();
  #finishedDuringRead: Set<string> | undefined;
  #underWay = 0;
  #limit = INITIAL_LIMIT;
  #paceMs = 0;
  #revision: number | undefined;
  #usedAtMs = performance.now();

  constructor(id: string, shard: number, concurrencyMax: number) {
    this.id = id;
    this.shard = shard;
    this.#concurrencyMax = concurrencyMax;
  }

  get known(): number {
    return this.#known.size;
  }

  /** True if it has been idle long enough to be dropped. */
  get isIdle(): boolean {
    return (
      this.#known.size === 0 &&
      !this.hasBacklog &&
      this.nextDueMs === Number.POSITIVE_INFINITY &&
      performance.now() - this.#usedAtMs > IDLE_AFTER_MS
    );
  }

  get hasQueue(): boolean {
    return this.#queue.length > 0;
  }

  get hasRoom(): boolean {
    return this.#queue.length < WINDOW / 2;
  }

  /** Empties the queue after a change of the webhook, because its deliveries may be outdated. */
  markChanged(): void {
    this.changeCount += 1;
    this.target = undefined;
    this.clear();
    this.hasBacklog = true;
    this.skippedCount += 1;
  }

  /** Sets the target. A pause requested by the endpoint of an earlier revision ends. */
  setTarget(target: Target | undefined): void {
    this.target = target;
    if (!target || target.revision === this.#revision) return;
    this.#revision = target.revision;
    this.holdUntilMs = 0;
  }

  /** Queues the rows that were read, at most `limit`; `skippedBefore` is the count when the read began. */
  fill(
    rows: readonly DueDelivery[],
    read: { readonly limit: number; readonly skippedBefore: number },
    nowMs: number,
  ): void {
    const due = rows.filter(({ dueMs }) => dueMs <= nowMs);
    const pushed = due.filter((delivery) => this.push(delivery));
    const later = rows.find(({ dueMs }) => dueMs > nowMs)?.dueMs ?? Number.POSITIVE_INFINITY;
    this.nextDueMs = Math.min(this.nextDueMs, later);
    const complete = rows.length < read.limit && pushed.length === due.length;
    this.hasBacklog = !complete || this.skippedCount !== read.skippedBefore;
  }

  /** Records deliveries that finish during a read, because the read may still return them as due. */
  beginRead(): void {
    this.#finishedDuringRead = new Set();
  }

  endRead(): void {
    this.#finishedDuringRead = undefined;
  }

  /** Queues a delivery; false if the queue is full, and it will be read from the database later. */
  push(delivery: PendingDelivery): boolean {
    if (this.#known.has(delivery.id) || this.#finishedDuringRead?.has(delivery.id)) return true;
    if (this.#queue.length >= WINDOW) return false;
    this.#queue.push(delivery);
    this.#known.add(delivery.id);
    return true;
  }

  /** Takes the next delivery that may be sent now, and marks it as running. */
  take(nowMs: number): PendingDelivery | undefined {
    if (!this.target || this.#underWay >= Math.min(this.#limit, this.#concurrencyMax))
      return undefined;
    if (nowMs < this.holdUntilMs || performance.now() < this.#paceMs) return undefined;
    const index = this.#queue.findIndex(({ event }) => !this.#busy.has(event.resource.id));
    const [delivery] = index === -1 ? [] : this.#queue.splice(index, 1);
    if (!delivery) return undefined;
    this.#busy.add(delivery.event.resource.id);
    this.#underWay += 1;
    this.#usedAtMs = performance.now();
    const { maxPerSecond } = this.target;
    if (maxPerSecond !== null) this.#paceMs = performance.now() + MS_PER_SECOND / maxPerSecond;
    return delivery;
  }

  /** Time until `maxPerSecond` allows the next attempt. */
  get pauseMs(): number {
    return this.#queue.length === 0 ? 0 : Math.max(0, this.#paceMs - performance.now());
  }

  /** Ends an attempt whose result is not yet written. */
  finishAttempt(delivery: PendingDelivery, succeeded: boolean): void {
    this.#busy.delete(delivery.event.resource.id);
    this.#underWay -= 1;
    this.#limit = succeeded ? Math.min(this.#limit + 1, this.#concurrencyMax) : 1;
  }

  /** Removes a delivery after its result was written: a later read may return it again. */
  finishDelivery(delivery: PendingDelivery): void {
    this.#known.delete(delivery.id);
    this.#finishedDuringRead?.add(delivery.id);
  }

  /** Empties the queue; every delivery is still in the database. */
  clear(): void {
    for (const { id } of this.#queue.splice(0)) this.#known.delete(id);
  }
}
