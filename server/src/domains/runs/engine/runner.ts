import { plansOfVersions, type RunResult } from "#domains/workflows/index.ts";
import type { Platform, Engine, RunningEngine } from "#kernel/contract.ts";
import { newId } from "#kernel/schema/id.ts";
import { SHARDS, ShardLeases } from "#kernel/work/shard-leases.ts";
import { Loop, type LoopNext } from "#kernel/work/loop.ts";
import type { CommitNotice } from "#kernel/readers/commit-feed.ts";
import { Active } from "./active-runs.ts";
import { admit } from "../start/admission.ts";
import { Execution } from "./execution.ts";
import { runContextOf } from "../start/queued-start.ts";
import {
  type JournalEntry,
  findDueRuns,
  findGone,
  readJournals,
  readNewEntries,
  type RunRow,
} from "./store.ts";
import { RUNS_DUE_SIGNAL } from "./store.ts";
import { KeyedQueue } from "../start/admission.ts";
import { saveExecution } from "./checkpoint.ts";

const LOOK_MS = 1_000;
const ACTIVE_MAX = 1_000;
/** Of one workspace, however many it has. */
const ACTIVE_OF_ONE_MAX = 500;
const FETCH_PER_WORKSPACE = 50;
const STOP_MAX_MS = 5_000;
/** How long a lane that goes to another node waits for the steps under way. */
const LEAVE_MAX_MS = 10_000;
const STUMBLE_MIN_MS = 1_000;
const STUMBLE_MAX_MS = 60_000;

/** From runs to what they do. */
export const runner: Engine<Runner> = {
  name: "runs.runner",
  start: (platform) => new Runner(platform),
};

/**
 * Carries on the runs of the lanes that this node holds. A run is in memory only while something of
 * it is under way; whoever waits is in the database alone. After a crash the next holder of the lane
 * finds the run due, reads its journal and goes on where that ends.
 */
export class Runner implements RunningEngine {
  readonly #platform: Platform;
  readonly #lanes: ShardLeases;
  readonly #active = new Map<string, Active>();
  /** Runs that were taken or dropped since the look under way began: what it read of them is old. */
  readonly #touched = new Set<string>();
  /** How many are in memory by workspace. */
  readonly #activeIn = new Map<string, number>();
  /** Of those that wait for the same room, who came first is let in first. */
  readonly #admissions = new KeyedQueue();
  /** Runs that could not be carried on: how often, and until when they are left alone. */
  readonly #stumbled = new Map<string, { readonly times: number; readonly untilMs: number }>();
  readonly #looking: Loop;
  readonly #loops: readonly Loop[];
  readonly #unsubscribe: readonly (() => void)[];
  #stopping = false;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#lanes = new ShardLeases({
      db: platform.db,
      name: runner.name,
      node: newId("node"),
      onGain: () => this.#looking.wake(),
      onLose: (lane) => this.#leave(lane),
      onExpire: (lane) => this.#abandonLane(lane),
    });
    const onError = (error: unknown): void =>
      platform.log.error({ err: error }, "runs can't be carried on");
    this.#looking = new Loop(() => this.#look(), onError);
    this.#loops = [new Loop(() => this.#lanes.step(), onError), this.#looking];
    this.#unsubscribe = [
      platform.wakeSignal.subscribe((what) => {
        if (what === RUNS_DUE_SIGNAL) this.#looking.wake();
      }),
      platform.commitFeed.subscribe(
        ["workflow"],
        (notice) => void this.#hear(notice).catch(onError),
      ),
    ];
  }

  /** Takes a run that was just written and has something to begin; false when it is another node's. */
  offer(execution: Execution): boolean {
    const { id, lane, workspace } = execution.facts;
    const room = this.#active.size < ACTIVE_MAX && this.#roomIn(workspace) > 0;
    if (this.#stopping || !this.#lanes.holds(lane) || !room) return false;
    // A look came between the commit and us, and has it already.
    if (this.#active.has(id)) return true;
    const active = this.#hold(execution);
    this.#touched.add(id);
    this.#begin(active);
    return true;
  }

  /** Some runs were written and are due; looks for them at once. */
  wake(): void {
    this.#looking.wake();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#looking.stop();
    const late = setTimeout(() => this.#abandonAll(), STOP_MAX_MS);
    await Promise.all([...this.#active.values()].map(({ ended }) => ended));
    clearTimeout(late);
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#lanes.close();
  }

  async #look(): Promise<LoopNext> {
    if (this.#stopping) return LOOK_MS;
    await this.#catchUp();
    this.#remind();
    const room = ACTIVE_MAX - this.#active.size;
    const lanes = Array.from({ length: SHARDS }, (_, lane) => lane).filter((lane) =>
      this.#lanes.holds(lane),
    );
    if (room <= 0 || lanes.length === 0) return LOOK_MS;
    const now = this.#platform.clock.now();
    this.#touched.clear();
    const except = [...this.#active.keys(), ...this.#resting(now.getTime())];
    const mostPerWorkspace = Math.min(FETCH_PER_WORKSPACE, room);
    const rows = await findDueRuns(this.#platform, lanes, now, { except, mostPerWorkspace });
    const before = this.#active.size;
    await this.#take(inTurns(rows).slice(0, room));
    const more = rows.length >= mostPerWorkspace && this.#active.size > before;
    return more ? "again" : LOOK_MS;
  }

  #resting(nowMs: number): string[] {
    return [...this.#stumbled].filter(([, { untilMs }]) => untilMs > nowMs).map(([id]) => id);
  }

  #roomIn(workspace: string): number {
    return ACTIVE_OF_ONE_MAX - (this.#activeIn.get(workspace) ?? 0);
  }

  #hold(execution: Execution): Active {
    const { id, workspace } = execution.facts;
    const active = new Active(execution);
    this.#active.set(id, active);
    this.#activeIn.set(workspace, (this.#activeIn.get(workspace) ?? 0) + 1);
    return active;
  }

  async #take(rows: readonly RunRow[]): Promise<void> {
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
    for (const row of rows) {
      if (this.#active.has(row.id) || this.#touched.has(row.id)) continue;
      if (this.#roomIn(row.workspace_id) <= 0) continue;
      const version = versions.get(row.version_id);
      if (!version) {
        this.#platform.log.error({ run: row.id }, "a run's version is gone");
        continue;
      }
      const entries = journals.get(row.id) ?? [];
      const execution = new Execution(this.#platform, runContextOf(row, version), version.plan, {
        lines: entries.flatMap((entry) => [...entry.records]),
        entries: entries.length,
      });
      const active = this.#hold(execution);
      if (row.status === "queued") void this.#admit(active, row, version.definition);
      else void this.#advance(active);
    }
  }

  async #admit(active: Active, row: RunRow, limits: Parameters<typeof admit>[2]): Promise<void> {
    await this.#guarded(active, async () => {
      const outcome = await this.#admissions.after(row.workflow_id, () =>
        admit(this.#platform, row, limits, active.execution),
      );
      if (outcome === "started") return this.#step(active);
      this.#drop(active);
      if (outcome === "keyed") this.#looking.wake();
    });
  }

  #advance(active: Active): Promise<void> {
    return this.#guarded(active, () => this.#step(active));
  }

  /** One at a time for each run, however many steps end at the same moment. */
  async #guarded(active: Active, work: () => Promise<void>): Promise<void> {
    active.turn = active.turn.then(work).catch((error: unknown) => {
      const { id } = active.execution.facts;
      this.#platform.log.error({ err: error, run: id }, "a run stumbled");
      // It stays due, and is taken up again, ever later.
      const { times = 0 } = this.#stumbled.get(id) ?? {};
      const restMs = Math.min(STUMBLE_MIN_MS * 2 ** times, STUMBLE_MAX_MS);
      const untilMs = this.#platform.clock.nowMs() + restMs;
      this.#stumbled.set(id, { times: times + 1, untilMs });
      this.#drop(active);
    });
    await active.turn;
  }

  /** Goes on as far as it can, writes what must be kept, begins what comes next. */
  async #step(active: Active): Promise<void> {
    const { execution } = active;
    if (active.dropped) return;
    const { over } = await execution.settle();
    // Whoever has the lane now goes on with it.
    if (active.dropped) return;
    if (over || execution.mustWrite) {
      const outcome = await this.#write(active, over);
      if (outcome === "again") return this.#step(active);
      if (outcome === "over") return this.#drop(active);
      this.#stumbled.delete(execution.facts.id);
    }
    if (execution.underWay === 0 && execution.dueMs <= this.#platform.clock.nowMs()) {
      return this.#step(active);
    }
    this.#begin(active);
  }

  async #write(active: Active, over: RunResult | undefined): Promise<"written" | "again" | "over"> {
    const { execution } = active;
    if (await saveExecution(this.#platform, execution, over)) return over ? "over" : "written";
    // Somebody left word, ended it, or took it up anew.
    const { id, generation } = execution.facts;
    if ((await findGone(this.#platform, [{ id, generation }])).length > 0) {
      this.#abandon(active);
      return "over";
    }
    const news = await readNewEntries(this.#platform, [{ id, entries: execution.entries }]);
    return this.#takeIn(active, news) ? "again" : "over";
  }

  /** In a lane that goes to another node nothing is begun any more; what is under way is awaited. */
  #begin(active: Active): void {
    const { execution } = active;
    this.#wakeAt(execution.dueMs);
    const begun = this.#lanes.holds(execution.facts.lane) ? execution.takeBegun() : [];
    if (execution.toBegin > 0 && execution.underWay === execution.toBegin) {
      return this.#drop(active);
    }
    if (execution.underWay === 0) return this.#drop(active);
    const ended = [
      ...(execution.early?.take() ?? []),
      ...begun.map((step) => execution.carryOut(step)),
    ];
    for (const step of ended) {
      void step.then(
        () => this.#advance(active),
        (error: unknown) =>
          this.#guarded(active, async () => {
            throw error;
          }),
      );
    }
  }

  /** Looks again at that time; whatever is due between two looks is found by the next one anyway. */
  #wakeAt(dueMs: number): void {
    const inMs = dueMs - this.#platform.clock.nowMs();
    if (inMs < LOOK_MS) setTimeout(() => this.#looking.wake(), Math.max(inMs, 1)).unref();
  }

  /**
   * Takes in what others left for the run. False when that is more than words: then another node has
   * carried it on, before or after it had the lane, and what is in memory here never happened.
   */
  #takeIn(active: Active, entries: readonly JournalEntry[]): boolean {
    const last = entries.at(-1);
    if (!last) return true;
    const lines = entries.flatMap((entry) => [...entry.records]);
    const words = lines.filter((line) => "told" in line);
    if (words.length < lines.length) {
      this.#abandon(active);
      return false;
    }
    active.execution.hear(words, last.entry + 1);
    return true;
  }

  /** Runs that are in memory may have been told something meanwhile. */
  async #catchUp(): Promise<void> {
    const known = [...this.#active.values()].map(({ execution }) => ({
      id: execution.facts.id,
      entries: execution.entries,
    }));
    if (known.length === 0) return;
    for (const [id, entries] of Map.groupBy(
      await readNewEntries(this.#platform, known),
      ({ run_id }) => run_id,
    )) {
      const active = this.#active.get(id);
      if (!active) continue;
      void this.#guarded(active, async () => {
        const { execution } = active;
        const { id, generation } = execution.facts;
        const gone = await findGone(this.#platform, [{ id, generation }]);
        if (gone.length > 0) return this.#abandon(active);
        const news = entries.filter(({ entry }) => entry >= execution.entries);
        if (this.#takeIn(active, news)) await this.#step(active);
      });
    }
  }

  /** While one step is under way, others may have waited long enough, or the run taken too long. */
  #remind(): void {
    const nowMs = this.#platform.clock.nowMs();
    for (const active of this.#active.values()) {
      if (active.execution.dueMs <= nowMs) void this.#advance(active);
    }
  }

  /**
   * Stops what is under way of a run that was cancelled. A notice may come late, when the run goes on
   * again by a retry: what the database says of it counts, and of the one that was in memory before.
   */
  async #hear({ type, resourceId }: CommitNotice): Promise<void> {
    const active = CHANGED.has(type) && this.#active.get(resourceId);
    if (!active) return;
    const { id, generation } = active.execution.facts;
    if ((await findGone(this.#platform, [{ id, generation }])).length > 0) this.#abandon(active);
  }

  /** Whoever takes it up next begins anew. */
  #abandon(active: Active): void {
    this.#drop(active);
    active.execution.abort();
    this.#looking.wake();
  }

  #drop(active: Active): void {
    if (active.dropped) return;
    active.dropped = true;
    const { id, workspace } = active.execution.facts;
    if (this.#active.get(id) === active) this.#active.delete(id);
    const left = (this.#activeIn.get(workspace) ?? 1) - 1;
    this.#activeIn.set(workspace, left);
    this.#touched.add(id);
    active.end();
    // Others of the workspace may wait for room; by halves, so that one look takes up many.
    if (this.#active.size < ACTIVE_MAX / 2 && left !== ACTIVE_OF_ONE_MAX / 2) return;
    this.#looking.wake();
  }

  /** What is under way is cut off and nothing of it written: whoever comes next begins it again. */
  #abandonAll(): void {
    for (const active of this.#active.values()) {
      this.#drop(active);
      active.execution.abort();
    }
  }

  /** Waits for the steps under way, though not for ever: others of the lane wait too. */
  async #leave(lane: number): Promise<void> {
    const late = setTimeout(() => this.#abandonLane(lane), LEAVE_MAX_MS);
    await Promise.all(this.#activeOf(lane).map(({ ended }) => ended));
    clearTimeout(late);
  }

  /** Another node has the lane: whatever is done here from now on would be done twice. */
  #abandonLane(lane: number): void {
    for (const active of this.#activeOf(lane)) this.#abandon(active);
  }

  #activeOf(lane: number): Active[] {
    return [...this.#active.values()].filter(({ execution }) => execution.facts.lane === lane);
  }
}

const CHANGED: ReadonlySet<string> = new Set(["workflow.run_cancelled", "workflow.run_retried"]);

/** One of each workspace, then the next of each: whoever has many waits with the many. */
function inTurns(rows: readonly RunRow[]): RunRow[] {
  const queues = [...Map.groupBy(rows, (row) => row.workspace_id).values()];
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, turn) => turn).flatMap((turn) =>
    queues.flatMap((queue) => queue[turn] ?? []),
  );
}
