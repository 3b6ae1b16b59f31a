import { plansOfVersions, type RunResult } from "#domains/workflows/index.ts";
import type { Engine, Platform, RunningEngine } from "#kernel/contract.ts";
import type { CommitNotice } from "#kernel/readers/commit-feed.ts";
import { newId } from "#kernel/schema/id.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import { SHARDS, ShardLeases } from "#kernel/work/shard-leases.ts";
import { admitRun, KEY_WAIT_MS, KeyedQueue } from "../start/admission.ts";
import { toRunContext } from "../start/queued-start.ts";
import { type ActiveRun, ActiveRuns } from "./active-runs.ts";
import { saveCheckpoint } from "./checkpoint.ts";
import { Execution } from "./execution.ts";
import { isStepMessage } from "./journal-record.ts";
import {
  findDueRuns,
  findInterrupted,
  findStartEvents,
  type JournalEntry,
  readJournals,
  readNewEntries,
  type RunRow,
  RUNS_DUE_SIGNAL,
} from "./store.ts";

const POLL_INTERVAL_MS = 1_000;
const FETCHED_PER_WORKSPACE_MAX = 50;
const STOP_MAX_MS = 5_000;
/** The maximum time to finish running steps before handing over a shard. */
const DRAIN_MAX_MS = 10_000;
const BACKOFF_MIN_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;

/** Executes runs. */
export const runner: Engine<Runner> = {
  name: "runs.runner",
  start: (platform) => new Runner(platform),
};

/**
 * Executes the runs of the shards leased by this node. A run is in memory only while its steps are in flight; a
 * waiting run is in the database only. After a crash the next lease holder finds the due run, reads its journal and
 * continues from there.
 */
export class Runner implements RunningEngine {
  readonly #platform: Platform;
  readonly #leases: ShardLeases;
  readonly #active = new ActiveRuns();
  /** Runs added or dropped since the poll started. Rows of these runs from the poll are stale. */
  readonly #touched = new Set<string>();
  /** Admits the queued runs of each workflow in order. */
  readonly #admissions = new KeyedQueue();
  /** Runs that failed to advance: number of failures, and the time of the next attempt. */
  readonly #backoffs = new Map<string, { readonly times: number; readonly untilMs: number }>();
  readonly #pollLoop: Loop;
  readonly #loops: readonly Loop[];
  readonly #unsubscribe: readonly (() => void)[];
  #stopping = false;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#leases = new ShardLeases({
      db: platform.db,
      name: runner.name,
      node: newId("node"),
      onGain: () => this.#pollLoop.wake(),
      onLose: (shard) => this.#drainShard(shard),
      onExpire: (shard) => this.#abandonShard(shard),
    });
    const onError = (error: unknown): void =>
      platform.log.error({ err: error }, "can't continue runs");
    this.#pollLoop = new Loop(() => this.#poll(), onError);
    this.#loops = [new Loop(() => this.#leases.step(), onError), this.#pollLoop];
    this.#unsubscribe = [
      platform.wakeSignal.subscribe((what) => {
        if (what === RUNS_DUE_SIGNAL) this.#pollLoop.wake();
      }),
      platform.commitFeed.subscribe(
        ["workflow"],
        (notice) => void this.#onNotice(notice).catch(onError),
      ),
    ];
  }

  /** Takes a new run with pending steps. Returns false if the run belongs to another node. */
  offer(execution: Execution): boolean {
    const { id, shard, workspace } = execution.run;
    const hasRoom = this.#active.room > 0 && this.#active.roomIn(workspace) > 0;
    if (this.#stopping || !this.#leases.holds(shard) || !hasRoom) return false;
    // A poll between the commit and this call may already have loaded the run.
    if (this.#active.has(id)) return true;
    const active = this.#active.add(execution);
    this.#touched.add(id);
    this.#startSteps(active);
    return true;
  }

  /** Polls for due runs at once. */
  wake(): void {
    this.#pollLoop.wake();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#pollLoop.stop();
    const timer = setTimeout(() => this.#abandonAll(), STOP_MAX_MS);
    await Promise.all(this.#active.all().map(({ ended }) => ended));
    clearTimeout(timer);
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#leases.close();
  }

  async #poll(): Promise<LoopNext> {
    if (this.#stopping) return POLL_INTERVAL_MS;
    await this.#readMessages();
    this.#advanceOverdue();
    const { room } = this.#active;
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) =>
      this.#leases.holds(shard),
    );
    if (room <= 0 || shards.length === 0) return POLL_INTERVAL_MS;
    const now = this.#platform.clock.now();
    this.#touched.clear();
    const except = [...this.#active.ids(), ...this.#backedOff(now.getTime())];
    const mostPerWorkspace = Math.min(FETCHED_PER_WORKSPACE_MAX, room);
    const rows = await findDueRuns(this.#platform, shards, now, { except, mostPerWorkspace });
    const before = this.#active.size;
    await this.#loadRuns(interleaveByWorkspace(rows).slice(0, room));
    const hasMore = rows.length >= mostPerWorkspace && this.#active.size > before;
    return hasMore ? "again" : POLL_INTERVAL_MS;
  }

  #backedOff(nowMs: number): string[] {
    return [...this.#backoffs].filter(([, { untilMs }]) => untilMs > nowMs).map(([id]) => id);
  }

  async #loadRuns(rows: readonly RunRow[]): Promise<void> {
    if (rows.length === 0) return;
    const versions = await plansOfVersions(
      this.#platform,
      rows.map(({ version_id }) => version_id),
    );
    const journals = Map.groupBy(
      await readJournals(
        this.#platform,
        rows.filter(({ entries }) => entries > 0).map(({ id }) => id),
      ),
      ({ run_id }) => run_id,
    );
    const startEvents = await findStartEvents(this.#platform, rows);
    for (const row of rows) {
      if (this.#active.has(row.id) || this.#touched.has(row.id)) continue;
      if (this.#active.roomIn(row.workspace_id) <= 0) continue;
      const version = versions.get(row.version_id);
      if (!version) {
        this.#platform.log.error({ run: row.id }, "the version of a run was deleted");
        continue;
      }
      const entries = journals.get(row.id) ?? [];
      const run = toRunContext(row, version, startEvents.get(row.id));
      const execution = new Execution(this.#platform, run, version.plan, {
        lines: entries.flatMap((entry) => [...entry.records]),
        entries: entries.length,
      });
      const active = this.#active.add(execution);
      if (row.status === "queued") void this.#admit(active, row, version.definition);
      else void this.#queueAdvance(active);
    }
  }

  async #admit(
    active: ActiveRun,
    row: RunRow,
    limits: Parameters<typeof admitRun>[2],
  ): Promise<void> {
    await this.#runExclusive(active, async () => {
      const outcome = await this.#admissions.run(row.workflow_id, () =>
        admitRun(this.#platform, row, limits, active.execution),
      );
      if (outcome === "started") return this.#advance(active);
      this.#drop(active);
      if (outcome === "changed") this.#pollLoop.wake();
      if (outcome === "later") this.#wakeAt(this.#platform.clock.nowMs() + KEY_WAIT_MS);
    });
  }

  #queueAdvance(active: ActiveRun): Promise<void> {
    return this.#runExclusive(active, () => this.#advance(active));
  }

  /** Serialises the work on one run, also if several steps end at the same time. */
  async #runExclusive(active: ActiveRun, work: () => Promise<void>): Promise<void> {
    active.tail = active.tail.then(work).catch((error: unknown) => {
      const { id } = active.execution.run;
      this.#platform.log.error(
        { err: error, run: id },
        "a run failed because of an internal error",
      );
      // The run stays due, and is loaded again with increasing delays.
      const { times = 0 } = this.#backoffs.get(id) ?? {};
      const delayMs = Math.min(BACKOFF_MIN_MS * 2 ** times, BACKOFF_MAX_MS);
      const untilMs = this.#platform.clock.nowMs() + delayMs;
      this.#backoffs.set(id, { times: times + 1, untilMs });
      this.#drop(active);
    });
    await active.tail;
  }

  /** Advances a run as far as possible, writes a checkpoint if needed, and starts the next steps. */
  async #advance(active: ActiveRun): Promise<void> {
    const { execution } = active;
    if (active.dropped) return;
    const result = await execution.settle();
    // The new lease holder of the shard continues the run.
    if (active.dropped) return;
    if (result || execution.mustWrite) {
      const outcome = await this.#saveCheckpoint(active, result);
      if (outcome === "again") return this.#advance(active);
      if (outcome === "over") return this.#drop(active);
      this.#backoffs.delete(execution.run.id);
    }
    if (execution.inFlight === 0 && execution.dueMs <= this.#platform.clock.nowMs()) {
      return this.#advance(active);
    }
    this.#startSteps(active);
  }

  async #saveCheckpoint(
    active: ActiveRun,
    result: RunResult | undefined,
  ): Promise<"saved" | "again" | "over"> {
    const { execution } = active;
    if (await saveCheckpoint(this.#platform, execution, result)) return result ? "over" : "saved";
    // Another write came first: a message, the end of the run, or a retry. Or the database lost a write.
    const received = await this.#receiveNew(active);
    // The run was reloaded after the database lost a write, or was deleted. Only a new load shows the current state.
    if (received === "nothing") this.#abandon(active);
    return received === "new" ? "again" : "over";
  }

  /**
   * Applies changes that other processes made to the journal, or that a crash lost. Returns "over" if this node must
   * stop executing the run.
   */
  async #receiveNew(active: ActiveRun): Promise<"new" | "nothing" | "over"> {
    const { execution } = active;
    const { id, generation } = execution.run;
    if ((await findInterrupted(this.#platform, [{ id, generation }])).length > 0) {
      this.#abandon(active);
      return "over";
    }
    const known = { id, entries: execution.journal.flushedEntries };
    const entries = await readNewEntries(this.#platform, [known]);
    const isRestored = execution.journal.restoreLost(entries);
    const unread = entries.filter(({ entry }) => entry >= execution.journal.entries);
    if (!this.#receiveEntries(active, unread)) return "over";
    return isRestored || unread.length > 0 ? "new" : "nothing";
  }

  /** Starts pending steps, unless the shard moves to another node; then steps in flight are awaited. */
  #startSteps(active: ActiveRun): void {
    const { execution } = active;
    this.#wakeAt(execution.dueMs);
    const pending = this.#leases.holds(execution.run.shard) ? execution.takePending() : [];
    const left = execution.pendingCount;
    if (left > 0 && execution.inFlight === left) return this.#drop(active);
    if (execution.inFlight === 0) return this.#drop(active);
    const steps = [
      ...(execution.speculative?.release() ?? []),
      ...pending.map((step) => execution.executePending(step)),
    ];
    for (const step of steps) {
      void step.then(
        () => this.#queueAdvance(active),
        (error: unknown) =>
          this.#runExclusive(active, async () => {
            throw error;
          }),
      );
    }
  }

  /** Polls at this time, if the next poll is later. */
  #wakeAt(dueMs: number): void {
    const inMs = dueMs - this.#platform.clock.nowMs();
    if (inMs < POLL_INTERVAL_MS) {
      setTimeout(() => this.#pollLoop.wake(), Math.max(inMs, 1)).unref();
    }
  }

  /**
   * Applies new journal entries. Returns false if they are not only messages: another node then advanced the run, and
   * the state in memory is stale.
   */
  #receiveEntries(active: ActiveRun, entries: readonly JournalEntry[]): boolean {
    const last = entries.at(-1);
    if (!last) return true;
    const lines = entries.flatMap((entry) => [...entry.records]);
    const messages = lines.filter(isStepMessage);
    if (messages.length < lines.length) {
      this.#abandon(active);
      return false;
    }
    active.execution.receive(messages, last.entry + 1);
    return true;
  }

  /** Reads the messages for runs in memory. */
  async #readMessages(): Promise<void> {
    const known = this.#active.all().map(({ execution }) => ({
      id: execution.run.id,
      entries: execution.journal.entries,
    }));
    if (known.length === 0) return;
    const entries = await readNewEntries(this.#platform, known);
    for (const id of new Set(entries.map(({ run_id }) => run_id))) {
      const active = this.#active.get(id);
      if (!active) continue;
      // Read again inside the queue of the run, because this node may write in between.
      void this.#runExclusive(active, async () => {
        if ((await this.#receiveNew(active)) !== "over") await this.#advance(active);
      });
    }
  }

  /** Advances runs in memory with an expired wait or time limit while a step is in flight. */
  #advanceOverdue(): void {
    const nowMs = this.#platform.clock.nowMs();
    for (const active of this.#active.all()) {
      if (active.execution.dueMs <= nowMs) void this.#queueAdvance(active);
    }
  }

  /**
   * Stops the steps of a cancelled run. A notice can arrive after a retry restarted the run, so the generation in
   * memory is compared with the database.
   */
  async #onNotice({ type, resourceId }: CommitNotice): Promise<void> {
    const active = INTERRUPTING_EVENTS.has(type) && this.#active.get(resourceId);
    if (!active) return;
    const { id, generation } = active.execution.run;
    const interrupted = await findInterrupted(this.#platform, [{ id, generation }]);
    if (interrupted.length > 0) this.#abandon(active);
  }

  /** Drops a run and stops its steps. The next node that loads the run starts them again. */
  #abandon(active: ActiveRun): void {
    this.#drop(active);
    active.execution.abort();
    this.#pollLoop.wake();
  }

  #drop(active: ActiveRun): void {
    if (active.dropped) return;
    active.dropped = true;
    const mayLoadMore = this.#active.remove(active);
    this.#touched.add(active.execution.run.id);
    active.end();
    if (mayLoadMore) this.#pollLoop.wake();
  }

  #abandonAll(): void {
    for (const active of this.#active.all()) {
      this.#drop(active);
      active.execution.abort();
    }
  }

  /** Waits for steps in flight up to a limit, because other runs of the shard are waiting too. */
  async #drainShard(shard: number): Promise<void> {
    const timer = setTimeout(() => this.#abandonShard(shard), DRAIN_MAX_MS);
    await Promise.all(this.#active.inShard(shard).map(({ ended }) => ended));
    clearTimeout(timer);
  }

  /** Another node holds the lease, so further work here would be done twice. */
  #abandonShard(shard: number): void {
    for (const active of this.#active.inShard(shard)) this.#abandon(active);
  }
}

const INTERRUPTING_EVENTS: ReadonlySet<string> = new Set([
  "workflow.run_cancelled",
  "workflow.run_retried",
]);

/** Takes one run per workspace in turn, so a busy workspace does not block others. */
function interleaveByWorkspace(rows: readonly RunRow[]): RunRow[] {
  const queues = [...Map.groupBy(rows, (row) => row.workspace_id).values()];
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, index) => index).flatMap((index) =>
    queues.flatMap((queue) => queue[index] ?? []),
  );
}
