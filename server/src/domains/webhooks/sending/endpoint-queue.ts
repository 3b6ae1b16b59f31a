import type { Due } from "./due-deliveries.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import type { Target } from "./target.ts";

/** How many deliveries to one webhook wait in memory; the rest stays in the database. */
export const WINDOW = 64;

const MS_PER_SECOND = 1_000;
const INITIAL_LIMIT = 2;
const FORGOTTEN_AFTER_MS = 600_000;

/**
 * What the sender knows of one webhook: what waits, what is under way, how fast it may go. At most
 * `most` go at once, and fewer to an endpoint that does not answer: it begins with two, each success
 * admits one more, and a failure leaves one. So endpoints that hang hold little.
 */
export class Endpoint {
  readonly id: string;
  readonly lane: number;
  /** Undefined until it was read, and again when it was changed. */
  target: Target | undefined;
  /** Counts its changes: what was read before the last one is no longer true. */
  changes = 0;
  /** Whether a timer will bring it back when its pace allows. */
  armed = false;
  /** Whether the database may hold deliveries that are due and not here. */
  backlog = false;
  /** How often something was left in the database because of that. */
  passedOver = 0;
  /** When the next delivery in the database is due. */
  nextDueMs = Number.POSITIVE_INFINITY;
  /** The endpoint asked to be left alone until then. */
  holdUntilMs = 0;
  readonly #most: number;
  readonly #queue: PendingDelivery[] = [];
  /** Deliveries that are here and whose outcome is not written yet. */
  readonly #known = new Set<string>();
  /** Resources of which a delivery is under way: the next of the same waits for it. */
  readonly #busy = new Set<string>();
  #settledMeanwhile: Set<string> | undefined;
  #underWay = 0;
  #limit = INITIAL_LIMIT;
  #paceMs = 0;
  #revision: number | undefined;
  #usedAtMs = performance.now();

  constructor(id: string, lane: number, most: number) {
    this.id = id;
    this.lane = lane;
    this.#most = most;
  }

  get known(): number {
    return this.#known.size;
  }

  /** Whether everything about it was over long ago, so that it can be forgotten. */
  get idle(): boolean {
    return (
      this.#known.size === 0 &&
      !this.backlog &&
      this.nextDueMs === Number.POSITIVE_INFINITY &&
      performance.now() - this.#usedAtMs > FORGOTTEN_AFTER_MS
    );
  }

  get hasQueue(): boolean {
    return this.#queue.length > 0;
  }

  get hasRoom(): boolean {
    return this.#queue.length < WINDOW / 2;
  }

  /** The webhook may have been changed, or the notice be an old one: what waits here is in doubt. */
  change(): void {
    this.changes += 1;
    this.target = undefined;
    this.clear();
    this.backlog = true;
    this.passedOver += 1;
  }

  /** Learns where to send. What another revision of the webhook asked for, such as a rest, is past. */
  aim(target: Target | undefined): void {
    this.target = target;
    if (!target || target.revision === this.#revision) return;
    this.#revision = target.revision;
    this.holdUntilMs = 0;
  }

  /** Takes in the rows that were read, `most` of them at most; `before` is how often it was passed over then. */
  fill(
    found: readonly Due[],
    read: { readonly most: number; readonly before: number },
    nowMs: number,
  ): void {
    const due = found.filter(({ dueMs }) => dueMs <= nowMs);
    const pushed = due.filter((delivery) => this.push(delivery));
    const later = found.find(({ dueMs }) => dueMs > nowMs)?.dueMs ?? Number.POSITIVE_INFINITY;
    this.nextDueMs = Math.min(this.nextDueMs, later);
    const complete = found.length < read.most && pushed.length === due.length;
    this.backlog = !complete || this.passedOver !== read.before;
  }

  /** From here to the end of the read, what is settled is noted: the read may have it as still due. */
  beginRead(): void {
    this.#settledMeanwhile = new Set();
  }

  endRead(): void {
    this.#settledMeanwhile = undefined;
  }

  /** False when it is full; the delivery is then found in the database later. */
  push(delivery: PendingDelivery): boolean {
    if (this.#known.has(delivery.id) || this.#settledMeanwhile?.has(delivery.id)) return true;
    if (this.#queue.length >= WINDOW) return false;
    this.#queue.push(delivery);
    this.#known.add(delivery.id);
    return true;
  }

  /** Takes what may be sent now, and notes it as under way. */
  take(nowMs: number): PendingDelivery | undefined {
    if (!this.target || this.#underWay >= Math.min(this.#limit, this.#most)) return undefined;
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

  /** How long its pace forbids the next one. */
  get pauseMs(): number {
    return this.#queue.length === 0 ? 0 : Math.max(0, this.#paceMs - performance.now());
  }

  /** The attempt is over, its outcome not yet written. */
  answered(delivery: PendingDelivery, well: boolean): void {
    this.#busy.delete(delivery.event.resource.id);
    this.#underWay -= 1;
    this.#limit = well ? Math.min(this.#limit + 1, this.#most) : 1;
  }

  /** Its outcome is written: the database may be asked for it again. */
  settled(delivery: PendingDelivery): void {
    this.#known.delete(delivery.id);
    this.#settledMeanwhile?.add(delivery.id);
  }

  /** Forgets what waits here; it is all in the database. */
  clear(): void {
    for (const { id } of this.#queue.splice(0)) this.#known.delete(id);
  }
}
