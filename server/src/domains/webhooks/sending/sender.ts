import type { Platform, Engine, RunningEngine } from "#kernel/contract.ts";
import { newId } from "#kernel/schema/id.ts";
import { SHARDS, ShardLeases } from "#kernel/work/shard-leases.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import type { CommitNotice } from "#kernel/readers/commit-feed.ts";
import { attemptDelivery } from "./attempt.ts";
import { findDue, readDue } from "./due-deliveries.ts";
import { Endpoint, WINDOW } from "./endpoint-queue.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import { judgeAttempt, requestedPauseMs, type DeliveryResult } from "./attempt-result.ts";
import { ResultWriter } from "./result-writer.ts";
import { readTargets, type Target } from "./target.ts";
import { DELIVERIES_DUE_SIGNAL } from "./pending-delivery.ts";

const LOOK_MS = 1_000;
const UNDER_WAY_MAX = 2_000;
/** Of one workspace. */
const UNDER_WAY_OF_ONE_MAX = 1_200;
/** How many endpoints are filled by one query. */
const FILLED_MAX = 100;
/** How long a lane that goes to another node waits for its last answers. */
const LEAVE_MAX_MS = 5_000;
/** How long an end in good order waits for answers; what has none is sent again by the next. */
const STOP_MAX_MS = 5_000;

/** From deliveries to HTTP. */
export const sender: Engine<Sender> = {
  name: "webhooks.sender",
  start: (platform) => new Sender(platform),
};

/**
 * Sends for the webhooks of the lanes that this node holds. Each webhook has a short queue in memory,
 * filled straight by the reader that hands events out, or from the database: after a start, when there
 * is more than the queue takes, and when a retry is due. What is in memory is never the only copy.
 */
export class Sender implements RunningEngine {
  readonly #platform: Platform;
  readonly #lanes: ShardLeases;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Endpoints that may have something to send, in the order of their turns. */
  readonly #ready = new Set<Endpoint>();
  readonly #settler: ResultWriter;
  readonly #loops: readonly Loop[];
  readonly #looking: Loop;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #abort = new AbortController();
  readonly #attempts = new Set<Promise<void>>();
  /** How many attempts are under way by workspace. */
  readonly #busyIn = new Map<string, number>();
  #stopping = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** How often others may have written deliveries for us, and up to which time we found them all. */
  #missed = 0;
  #found = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
    const { db, log, wakeSignal, commitFeed } = platform;
    this.#lanes = new ShardLeases({
      db,
      name: sender.name,
      node: newId("node"),
      onGain: (lanes) => this.#enter(lanes),
      onLose: (lane) => this.#leave(lane),
      onExpire: (lane) => void this.#leave(lane),
    });
    const onError = (error: unknown): void => log.error({ err: error }, "webhooks can't be sent");
    this.#settler = new ResultWriter(platform, (settled) => this.#settled(settled));
    this.#looking = new Loop(() => this.#look(), onError);
    this.#loops = [new Loop(() => this.#lanes.step(), onError), this.#looking];
    this.#unsubscribe = [
      wakeSignal.subscribe((what) => {
        if (what === DELIVERIES_DUE_SIGNAL) this.#lookNow();
      }),
      commitFeed.subscribe(["webhook"], (notice) => this.#hear(notice)),
    ];
  }

  /** Takes deliveries that were just written; tells how many of them it will not send itself. */
  enqueue(deliveries: readonly PendingDelivery[]): number {
    const ours = deliveries.filter(({ lane }) => !this.#stopping && this.#lanes.holds(lane));
    const blind = this.#missed !== this.#found;
    let incomplete = blind;
    for (const delivery of ours) {
      const endpoint = this.#endpoint(delivery.webhookId, delivery.lane);
      // Behind what waits in the database, so that none overtakes another.
      if (blind || endpoint.backlog || !endpoint.push(delivery)) {
        endpoint.backlog = true;
        endpoint.passedOver += 1;
      }
      incomplete ||= !endpoint.target;
      this.#ready.add(endpoint);
    }
    if (incomplete) this.#looking.wake();
    this.#pump();
    return deliveries.length - ours.length;
  }

  /**
   * Deliveries to these webhooks were perhaps written by somebody else, such as one who made up for a
   * pause: what is offered next must not overtake them.
   */
  markBacklog(webhooks: readonly { readonly id: string; readonly lane: number }[]): void {
    for (const { id, lane } of webhooks) {
      if (!this.#lanes.holds(lane)) continue;
      const endpoint = this.#endpoint(id, lane);
      endpoint.backlog = true;
      // A look that is under way may have been too early.
      endpoint.passedOver += 1;
      this.#looking.wake();
    }
  }

  /** The same, of whichever webhooks. */
  rescan(): void {
    this.#missed += 1;
    this.#lookNow();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    const late = setTimeout(() => this.#abort.abort(), STOP_MAX_MS);
    await Promise.all(this.#attempts);
    clearTimeout(late);
    await this.#settler.stop();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#lanes.close();
  }

  /** One endpoint after the other, one delivery each, for as long as there is room. */
  #pump(): void {
    if (this.#stopping) return;
    const nowMs = this.#platform.clock.nowMs();
    for (const endpoint of this.#ready) {
      if (this.#attempts.size >= UNDER_WAY_MAX) return;
      this.#ready.delete(endpoint);
      const delivery = this.#maySend(endpoint) ? endpoint.take(nowMs) : undefined;
      if (delivery && endpoint.target) {
        this.#send(endpoint, endpoint.target, delivery);
        // At the end, so that the others have their turn; the iteration comes to it again.
        this.#ready.add(endpoint);
      } else this.#await(endpoint);
    }
  }

  /** No workspace takes all the hands there are: the next look comes back to those that wait. */
  #maySend({ lane, target }: Endpoint): boolean {
    const busy = target ? (this.#busyIn.get(target.workspace) ?? 0) : 0;
    return this.#lanes.holds(lane) && busy < UNDER_WAY_OF_ONE_MAX;
  }

  /** Nothing to send for now: what would bring it back? */
  #await(endpoint: Endpoint): void {
    const { pauseMs } = endpoint;
    if (pauseMs > 0 && !endpoint.armed) {
      endpoint.armed = true;
      setTimeout(() => {
        endpoint.armed = false;
        this.#wake(endpoint);
      }, pauseMs).unref();
    }
    const held = this.#platform.clock.nowMs() < endpoint.holdUntilMs;
    if (endpoint.backlog && endpoint.hasRoom && !held) this.#looking.wake();
  }

  #wake(endpoint: Endpoint): void {
    this.#ready.add(endpoint);
    this.#pump();
  }

  #send(endpoint: Endpoint, target: Target, delivery: PendingDelivery): void {
    const { workspace } = target;
    this.#busyIn.set(workspace, (this.#busyIn.get(workspace) ?? 0) + 1);
    const done = this.#attempt(endpoint, target, delivery).finally(() => {
      this.#attempts.delete(done);
      this.#busyIn.set(workspace, (this.#busyIn.get(workspace) ?? 1) - 1);
      this.#wake(endpoint);
    });
    this.#attempts.add(done);
  }

  async #attempt(endpoint: Endpoint, target: Target, delivery: PendingDelivery): Promise<void> {
    const attempted = await attemptDelivery(this.#platform, target, delivery, this.#abort.signal);
    const verdict = judgeAttempt(target, delivery, attempted, Math.random());
    endpoint.answered(delivery, verdict.kind === "succeeded");
    const askedMs = requestedPauseMs(attempted);
    if (askedMs > 0) endpoint.holdUntilMs = attempted.at.getTime() + askedMs;
    // Cut off by our own end: nothing is known of it, and it is still due.
    if (!this.#abort.signal.aborted) this.#settler.add({ delivery, attempted, verdict });
  }

  #settled(settlements: readonly DeliveryResult[]): void {
    for (const { delivery, verdict } of settlements) {
      const endpoint = this.#endpoints.get(delivery.webhookId);
      endpoint?.settled(delivery);
      if (endpoint && verdict.kind === "retrying") {
        endpoint.nextDueMs = Math.min(endpoint.nextDueMs, verdict.dueAt.getTime());
        this.#looking.wake();
      }
    }
  }

  /** Fills the queues from the database, where that is needed. */
  async #look(): Promise<LoopNext> {
    if (this.#stopping) return LOOK_MS;
    if (performance.now() - this.#lookedAtMs >= LOOK_MS) await this.#find();
    await this.#readTargets();
    const nowMs = this.#platform.clock.nowMs();
    const wanting = [...this.#endpoints.values()].filter(
      (endpoint) =>
        endpoint.target &&
        endpoint.hasRoom &&
        this.#lanes.holds(endpoint.lane) &&
        nowMs >= endpoint.holdUntilMs &&
        (endpoint.backlog || endpoint.nextDueMs <= nowMs),
    );
    for (let from = 0; from < wanting.length; from += FILLED_MAX) {
      await this.#fill(wanting.slice(from, from + FILLED_MAX), nowMs);
    }
    for (const endpoint of this.#endpoints.values()) {
      if (endpoint.idle) this.#endpoints.delete(endpoint.id);
      else if (endpoint.hasQueue) this.#ready.add(endpoint);
    }
    this.#pump();
    return this.#untilNext();
  }

  async #find(): Promise<void> {
    const missed = this.#missed;
    this.#lookedAtMs = performance.now();
    const lanes = Array.from({ length: SHARDS }, (_, lane) => lane).filter((lane) =>
      this.#lanes.holds(lane),
    );
    const soon = new Date(this.#platform.clock.nowMs() + LOOK_MS);
    for (const { id, lane } of await findDue(this.#platform, lanes, soon)) {
      this.#endpoint(id, lane).backlog = true;
    }
    this.#found = missed;
  }

  async #readTargets(): Promise<void> {
    const missing = [...this.#endpoints.values()].filter(({ target }) => !target);
    const changes = missing.map((endpoint) => endpoint.changes);
    const targets = await readTargets(
      this.#platform,
      missing.map(({ id }) => id),
    );
    const byId = new Map(targets.map((target) => [target.id, target]));
    for (const [index, endpoint] of missing.entries()) {
      // It was changed while it was read, and is read again.
      if (endpoint.changes !== changes[index]) {
        this.#looking.wake();
        continue;
      }
      endpoint.aim(byId.get(endpoint.id));
      if (endpoint.target) continue;
      // It is paused or gone. What waited for it stays in the database.
      endpoint.clear();
      endpoint.backlog = false;
      endpoint.nextDueMs = Number.POSITIVE_INFINITY;
    }
  }

  async #fill(endpoints: readonly Endpoint[], nowMs: number): Promise<void> {
    for (const endpoint of endpoints) {
      // Until the rows are here, whatever is offered must line up behind them.
      endpoint.backlog = true;
      endpoint.nextDueMs = Number.POSITIVE_INFINITY;
      endpoint.beginRead();
    }
    const reads = endpoints.map(({ id, known, passedOver }) => ({
      id,
      most: known + WINDOW,
      before: passedOver,
    }));
    try {
      const rows = Map.groupBy(await readDue(this.#platform, reads), ({ webhookId }) => webhookId);
      for (const [index, endpoint] of endpoints.entries()) {
        const read = reads[index];
        if (read) endpoint.fill(rows.get(endpoint.id) ?? [], read, nowMs);
      }
    } finally {
      for (const endpoint of endpoints) endpoint.endRead();
    }
  }

  #untilNext(): number {
    const nowMs = this.#platform.clock.nowMs();
    let nextMs = LOOK_MS;
    for (const { nextDueMs, holdUntilMs, hasRoom } of this.#endpoints.values()) {
      const atMs = Math.max(nextDueMs, holdUntilMs);
      if (hasRoom && atMs > nowMs) nextMs = Math.min(nextMs, atMs - nowMs);
    }
    return Math.max(1, nextMs);
  }

  #lookNow(): void {
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    this.#looking.wake();
  }

  /** A webhook that was changed is read anew before the next attempt. */
  #hear({ type, resourceId }: CommitNotice): void {
    // What became of a delivery changes nothing about the webhook.
    if (type.startsWith("webhook.delivery_")) return;
    const endpoint = this.#endpoints.get(resourceId);
    if (!endpoint) return;
    endpoint.change();
    this.#looking.wake();
  }

  #endpoint(id: string, lane: number): Endpoint {
    let endpoint = this.#endpoints.get(id);
    if (!endpoint) {
      endpoint = new Endpoint(id, lane, this.#platform.settings.webhookConcurrency);
      // Nothing is known of it yet: there may be deliveries that another node, or an earlier life of
      // this one, has left.
      endpoint.backlog = true;
      this.#endpoints.set(id, endpoint);
    }
    return endpoint;
  }

  /** What waits here from an earlier time, somebody else may have sent meanwhile. */
  #enter(lanes: readonly number[]): void {
    for (const endpoint of this.#endpoints.values()) {
      if (lanes.includes(endpoint.lane)) endpoint.clear();
    }
    this.rescan();
  }

  /**
   * Sends nothing more for a lane and waits for what is under way, though not for ever: an endpoint
   * that hangs must not keep the others of its lane from being served by the next node.
   */
  async #leave(lane: number): Promise<void> {
    const leaving = [...this.#endpoints.values()].filter((endpoint) => endpoint.lane === lane);
    const until = performance.now() + LEAVE_MAX_MS;
    for (;;) {
      // A read that was under way may have filled it again, and nothing of that will be sent.
      for (const endpoint of leaving) endpoint.clear();
      if (performance.now() > until || leaving.every(({ known }) => known === 0)) break;
      await this.#settler.written();
    }
    for (const endpoint of leaving) {
      this.#ready.delete(endpoint);
      this.#endpoints.delete(endpoint.id);
    }
  }
}
