import type { Platform, Engine, RunningEngine } from "#kernel/contract.ts";
import { newId } from "#kernel/schema/id.ts";
import { SHARDS, ShardLeases } from "#kernel/work/shard-leases.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import type { CommitNotice } from "#kernel/readers/commit-feed.ts";
import { attemptDelivery } from "./attempt.ts";
import { Endpoint, WINDOW } from "./endpoint-queue.ts";
import {
  DELIVERIES_DUE_SIGNAL,
  findDueWebhooks,
  type PendingDelivery,
  readDueDeliveries,
} from "./pending-delivery.ts";
import { judgeAttempt, requestedPauseMs, type DeliveryResult } from "./attempt-result.ts";
import { ResultWriter } from "./result-writer.ts";
import { readTargets, type Target } from "./target.ts";

const SCAN_INTERVAL_MS = 1_000;
const ATTEMPTS_MAX = 2_000;
/** The most attempts of one workspace. */
const WORKSPACE_ATTEMPTS_MAX = 1_200;
/** The most endpoints that are filled by one query. */
const FILL_ENDPOINTS_MAX = 100;
/** How long the release of a shard waits for its last responses. */
const SHARD_DRAIN_MAX_MS = 5_000;
/** How long a shutdown waits for responses; the next node repeats an attempt without one. */
const STOP_MAX_MS = 5_000;

/** The engine that sends deliveries over HTTP. */
export const sender: Engine<Sender> = {
  name: "webhooks.sender",
  start: (platform) => new Sender(platform),
};

/**
 * Sends for the webhooks in the shards of this node. Each webhook has a short queue in memory, filled by the
 * fan-out reader or from the database: after a start, if the queue was full, and when a retry is due. A delivery in
 * memory is always stored in the database too.
 */
export class Sender implements RunningEngine {
  readonly #platform: Platform;
  readonly #shards: ShardLeases;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Endpoints that may have deliveries to send, in round-robin order. */
  readonly #ready = new Set<Endpoint>();
  readonly #resultWriter: ResultWriter;
  readonly #loops: readonly Loop[];
  readonly #scanLoop: Loop;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #abort = new AbortController();
  readonly #attempts = new Set<Promise<void>>();
  /** The number of running attempts by workspace. */
  readonly #attemptsByWorkspace = new Map<string, number>();
  #stopping = false;
  #scannedAtMs = Number.NEGATIVE_INFINITY;
  /** Counts requested and completed rescans. */
  #rescans = 0;
  #rescansDone = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
    const { db, log, wakeSignal, commitFeed } = platform;
    this.#shards = new ShardLeases({
      db,
      name: sender.name,
      node: newId("node"),
      onGain: (shards) => this.#gainShards(shards),
      onLose: (shard) => this.#loseShard(shard),
      onExpire: (shard) => void this.#loseShard(shard),
    });
    const onError = (error: unknown): void => log.error({ err: error }, "can't send webhooks");
    this.#resultWriter = new ResultWriter(platform, (finishDeliveries) =>
      this.#finishDeliveries(finishDeliveries),
    );
    this.#scanLoop = new Loop(() => this.#scan(), onError);
    this.#loops = [new Loop(() => this.#shards.step(), onError), this.#scanLoop];
    this.#unsubscribe = [
      wakeSignal.subscribe((signal) => {
        if (signal === DELIVERIES_DUE_SIGNAL) this.#scanNow();
      }),
      commitFeed.subscribe(["webhook"], (notice) => this.#reloadWebhook(notice)),
    ];
  }

  /** Queues new deliveries; returns the number that belongs to shards of other nodes. */
  enqueue(deliveries: readonly PendingDelivery[]): number {
    const ours = deliveries.filter(({ shard }) => !this.#stopping && this.#shards.holds(shard));
    const isBehind = this.#rescans !== this.#rescansDone;
    let incomplete = isBehind;
    for (const delivery of ours) {
      const endpoint = this.#endpoint(delivery.webhookId, delivery.shard);
      // Queued after those in the database, so that the order is kept.
      if (isBehind || endpoint.hasBacklog || !endpoint.push(delivery)) {
        endpoint.hasBacklog = true;
        endpoint.skippedCount += 1;
      }
      incomplete ||= !endpoint.target;
      this.#ready.add(endpoint);
    }
    if (incomplete) this.#scanLoop.wake();
    this.#pump();
    return deliveries.length - ours.length;
  }

  /**
   * Records that other processes may have written deliveries for these webhooks, such as a replay after a pause:
   * later deliveries must not overtake them.
   */
  markBacklog(webhooks: readonly { readonly id: string; readonly shard: number }[]): void {
    for (const { id, shard } of webhooks) {
      if (!this.#shards.holds(shard)) continue;
      const endpoint = this.#endpoint(id, shard);
      endpoint.hasBacklog = true;
      // A running scan may have been too early.
      endpoint.skippedCount += 1;
      this.#scanLoop.wake();
    }
  }

  /** Scans for deliveries that other processes created for webhooks of this node. */
  rescan(): void {
    this.#rescans += 1;
    this.#scanNow();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    const late = setTimeout(() => this.#abort.abort(), STOP_MAX_MS);
    await Promise.all(this.#attempts);
    clearTimeout(late);
    await this.#resultWriter.stop();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#shards.close();
  }

  /** Sends one delivery of each ready endpoint in turn, while attempt slots are free. */
  #pump(): void {
    if (this.#stopping) return;
    const nowMs = this.#platform.clock.nowMs();
    for (const endpoint of this.#ready) {
      if (this.#attempts.size >= ATTEMPTS_MAX) return;
      this.#ready.delete(endpoint);
      const delivery = this.#maySend(endpoint) ? endpoint.take(nowMs) : undefined;
      if (delivery && endpoint.target) {
        this.#send(endpoint, endpoint.target, delivery);
        // Added at the end, so that other endpoints get their turn; the iteration reaches it again.
        this.#ready.add(endpoint);
      } else this.#scheduleWake(endpoint);
    }
  }

  /** Limits the attempts of one workspace; the next scan returns to its waiting endpoints. */
  #maySend({ shard, target }: Endpoint): boolean {
    const busy = target ? (this.#attemptsByWorkspace.get(target.workspace) ?? 0) : 0;
    return this.#shards.holds(shard) && busy < WORKSPACE_ATTEMPTS_MAX;
  }

  /** Schedules an endpoint that cannot send now: with a timer for its rate, or by a scan. */
  #scheduleWake(endpoint: Endpoint): void {
    const { pauseMs } = endpoint;
    if (pauseMs > 0 && !endpoint.isTimerSet) {
      endpoint.isTimerSet = true;
      setTimeout(() => {
        endpoint.isTimerSet = false;
        this.#wake(endpoint);
      }, pauseMs).unref();
    }
    const isOnHold = this.#platform.clock.nowMs() < endpoint.holdUntilMs;
    if (endpoint.hasBacklog && endpoint.hasRoom && !isOnHold) this.#scanLoop.wake();
  }

  #wake(endpoint: Endpoint): void {
    this.#ready.add(endpoint);
    this.#pump();
  }

  #send(endpoint: Endpoint, target: Target, delivery: PendingDelivery): void {
    const { workspace } = target;
    this.#attemptsByWorkspace.set(workspace, (this.#attemptsByWorkspace.get(workspace) ?? 0) + 1);
    const done = this.#attempt(endpoint, target, delivery).finally(() => {
      this.#attempts.delete(done);
      this.#attemptsByWorkspace.set(workspace, (this.#attemptsByWorkspace.get(workspace) ?? 1) - 1);
      this.#wake(endpoint);
    });
    this.#attempts.add(done);
  }

  async #attempt(endpoint: Endpoint, target: Target, delivery: PendingDelivery): Promise<void> {
    const attempt = await attemptDelivery(this.#platform, target, delivery, this.#abort.signal);
    const verdict = judgeAttempt(target, delivery, attempt, Math.random());
    endpoint.finishAttempt(delivery, verdict.kind === "succeeded");
    const pauseRequestedMs = requestedPauseMs(attempt);
    if (pauseRequestedMs > 0) endpoint.holdUntilMs = attempt.at.getTime() + pauseRequestedMs;
    // Aborted by the shutdown of this node: the result is unknown, and the delivery is still due.
    if (!this.#abort.signal.aborted) this.#resultWriter.add({ delivery, attempt, verdict });
  }

  #finishDeliveries(results: readonly DeliveryResult[]): void {
    for (const { delivery, verdict } of results) {
      const endpoint = this.#endpoints.get(delivery.webhookId);
      endpoint?.finishDelivery(delivery);
      if (endpoint && verdict.kind === "retrying") {
        endpoint.nextDueMs = Math.min(endpoint.nextDueMs, verdict.dueAt.getTime());
        this.#scanLoop.wake();
      }
    }
  }

  /** Fills the queues from the database if required. */
  async #scan(): Promise<LoopNext> {
    if (this.#stopping) return SCAN_INTERVAL_MS;
    if (performance.now() - this.#scannedAtMs >= SCAN_INTERVAL_MS) await this.#findBacklogs();
    await this.#readTargets();
    const nowMs = this.#platform.clock.nowMs();
    const fillable = [...this.#endpoints.values()].filter(
      (endpoint) =>
        endpoint.target &&
        endpoint.hasRoom &&
        this.#shards.holds(endpoint.shard) &&
        nowMs >= endpoint.holdUntilMs &&
        (endpoint.hasBacklog || endpoint.nextDueMs <= nowMs),
    );
    for (let from = 0; from < fillable.length; from += FILL_ENDPOINTS_MAX) {
      await this.#fill(fillable.slice(from, from + FILL_ENDPOINTS_MAX), nowMs);
    }
    for (const endpoint of this.#endpoints.values()) {
      if (endpoint.isIdle) this.#endpoints.delete(endpoint.id);
      else if (endpoint.hasQueue) this.#ready.add(endpoint);
    }
    this.#pump();
    return this.#untilNext();
  }

  async #findBacklogs(): Promise<void> {
    const rescans = this.#rescans;
    this.#scannedAtMs = performance.now();
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) =>
      this.#shards.holds(shard),
    );
    const soon = new Date(this.#platform.clock.nowMs() + SCAN_INTERVAL_MS);
    for (const { id, shard } of await findDueWebhooks(this.#platform, shards, soon)) {
      this.#endpoint(id, shard).hasBacklog = true;
    }
    this.#rescansDone = rescans;
  }

  async #readTargets(): Promise<void> {
    const missing = [...this.#endpoints.values()].filter(({ target }) => !target);
    const changes = missing.map((endpoint) => endpoint.changeCount);
    const targets = await readTargets(
      this.#platform,
      missing.map(({ id }) => id),
    );
    const byId = new Map(targets.map((target) => [target.id, target]));
    for (const [index, endpoint] of missing.entries()) {
      // The webhook was changed during the read, and is read again.
      if (endpoint.changeCount !== changes[index]) {
        this.#scanLoop.wake();
        continue;
      }
      endpoint.setTarget(byId.get(endpoint.id));
      if (endpoint.target) continue;
      // The webhook is paused or deleted. Its deliveries stay in the database.
      endpoint.clear();
      endpoint.hasBacklog = false;
      endpoint.nextDueMs = Number.POSITIVE_INFINITY;
    }
  }

  async #fill(endpoints: readonly Endpoint[], nowMs: number): Promise<void> {
    for (const endpoint of endpoints) {
      // Until the rows have been read, new deliveries must queue behind them.
      endpoint.hasBacklog = true;
      endpoint.nextDueMs = Number.POSITIVE_INFINITY;
      endpoint.beginRead();
    }
    const reads = endpoints.map(({ id, known, skippedCount }) => ({
      id,
      limit: known + WINDOW,
      skippedBefore: skippedCount,
    }));
    try {
      const rows = Map.groupBy(
        await readDueDeliveries(this.#platform, reads),
        ({ webhookId }) => webhookId,
      );
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
    let nextMs = SCAN_INTERVAL_MS;
    for (const { nextDueMs, holdUntilMs, hasRoom } of this.#endpoints.values()) {
      const atMs = Math.max(nextDueMs, holdUntilMs);
      if (hasRoom && atMs > nowMs) nextMs = Math.min(nextMs, atMs - nowMs);
    }
    return Math.max(1, nextMs);
  }

  #scanNow(): void {
    this.#scannedAtMs = Number.NEGATIVE_INFINITY;
    this.#scanLoop.wake();
  }

  /** Reloads a changed webhook before its next attempt. */
  #reloadWebhook({ type, resourceId }: CommitNotice): void {
    // Events of deliveries do not change the webhook.
    if (type.startsWith("webhook.delivery_")) return;
    const endpoint = this.#endpoints.get(resourceId);
    if (!endpoint) return;
    endpoint.markChanged();
    this.#scanLoop.wake();
  }

  #endpoint(id: string, shard: number): Endpoint {
    let endpoint = this.#endpoints.get(id);
    if (!endpoint) {
      endpoint = new Endpoint(id, shard, this.#platform.settings.webhookConcurrency);
      // Another node, or an earlier process of this one, may have left deliveries.
      endpoint.hasBacklog = true;
      this.#endpoints.set(id, endpoint);
    }
    return endpoint;
  }

  /** Empties the queues of gained shards, because another node may have sent their deliveries. */
  #gainShards(shards: readonly number[]): void {
    for (const endpoint of this.#endpoints.values()) {
      if (shards.includes(endpoint.shard)) endpoint.clear();
    }
    this.rescan();
  }

  /**
   * Stops sending for a shard and waits for its attempts, with a timeout: an unresponsive endpoint must not delay
   * the others of its shard on the next node.
   */
  async #loseShard(shard: number): Promise<void> {
    const leaving = [...this.#endpoints.values()].filter((endpoint) => endpoint.shard === shard);
    const until = performance.now() + SHARD_DRAIN_MAX_MS;
    for (;;) {
      // A running read may have filled it again; those deliveries are not sent.
      for (const endpoint of leaving) endpoint.clear();
      if (performance.now() > until || leaving.every(({ known }) => known === 0)) break;
      await this.#resultWriter.nextWrite();
    }
    for (const endpoint of leaving) {
      this.#ready.delete(endpoint);
      this.#endpoints.delete(endpoint.id);
    }
  }
}
