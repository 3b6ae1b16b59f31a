import { plansOfAll, type Over } from "#domains/workflows/index.ts";
import type { Outside } from "#kernel/caller.ts";
import type { Engine, RunningEngine } from "#kernel/engine.ts";
import { newId } from "#kernel/id.ts";
import { LANES, Lanes } from "#kernel/lanes.ts";
import { Loop, type Next } from "#kernel/loop.ts";
import type { Notice } from "#kernel/signal.ts";
import { admit } from "./admission.ts";
import { type Begun, Execution } from "./execution.ts";
import { factsOf } from "./facts-of.ts";
import {
  type Entry,
  findDueRuns,
  findEnded,
  readJournals,
  readNewEntries,
  type RunRow,
} from "./store.ts";
import { WORK } from "./work.ts";
import { writeExecution } from "./writing.ts";

const LOOK_MS = 1_000;
const ACTIVE_MAX = 1_000;
const FETCH_PER_WORKSPACE = 50;
const STOP_MAX_MS = 5_000;

/** From runs to what they do. */
export const runner: Engine<Runner> = {
  name: "runs.runner",
  start: (outside) => new Runner(outside),
};

/**
 * Carries on the runs of the lanes that this node holds. A run is in memory only while something of
 * it is under way; whoever waits is in the database alone. After a crash the next holder of the lane
 * finds the run due, reads its journal and goes on where that ends.
 */
export class Runner implements RunningEngine {
  readonly #outside: Outside;
  readonly #lanes: Lanes;
  readonly #active = new Map<string, Active>();
  /** Runs that were taken or dropped since the look under way began: what it read of them is old. */
  readonly #touched = new Set<string>();
  readonly #looking: Loop;
  readonly #loops: readonly Loop[];
  readonly #unsubscribe: readonly (() => void)[];
  #stopping = false;

  constructor(outside: Outside) {
    this.#outside = outside;
    this.#lanes = new Lanes({
      db: outside.db,
      name: runner.name,
      node: newId("node"),
      onGain: () => this.#looking.wake(),
      onLose: (lane) => this.#leave(lane),
    });
    const onError = (error: unknown): void =>
      outside.log.error({ err: error }, "runs can't be carried on");
    this.#looking = new Loop(() => this.#look(), onError);
    this.#loops = [new Loop(() => this.#lanes.step(), onError), this.#looking];
    this.#unsubscribe = [
      outside.signal.subscribe((what) => {
        if (what === WORK) this.#looking.wake();
      }),
      outside.news.subscribe((notice) => void this.#hear(notice).catch(onError)),
    ];
  }

  /** Takes a run that was just written, with what it is to begin; false when it is another node's. */
  offer(execution: Execution, begun: readonly Begun[]): boolean {
    const { id, lane } = execution.facts;
    if (this.#stopping || !this.#lanes.holds(lane) || this.#active.size >= ACTIVE_MAX) return false;
    // A look came between the commit and us, and has it already.
    if (this.#active.has(id)) return true;
    const active = new Active(execution);
    this.#active.set(id, active);
    this.#touched.add(id);
    this.#begin(active, begun);
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

  async #look(): Promise<Next> {
    if (this.#stopping) return LOOK_MS;
    await this.#catchUp();
    this.#remind();
    const room = ACTIVE_MAX - this.#active.size;
    const lanes = Array.from({ length: LANES }, (_, lane) => lane).filter((lane) =>
      this.#lanes.holds(lane),
    );
    if (room <= 0 || lanes.length === 0) return LOOK_MS;
    const now = this.#outside.clock.now();
    this.#touched.clear();
    const except = [...this.#active.keys()];
    const mostPerWorkspace = Math.min(FETCH_PER_WORKSPACE, room);
    const rows = await findDueRuns(this.#outside, lanes, now, { except, mostPerWorkspace });
    const taken = rows.slice(0, room).filter(({ id }) => !this.#active.has(id));
    await this.#take(taken);
    return rows.length >= mostPerWorkspace && this.#active.size < ACTIVE_MAX ? "again" : LOOK_MS;
  }

  async #take(rows: readonly RunRow[]): Promise<void> {
    if (rows.length === 0) return;
    const versions = await plansOfAll(
      this.#outside,
      rows.map(({ version_id }) => version_id),
    );
    const journals = Map.groupBy(
      await readJournals(
        this.#outside,
        rows.filter(({ entries }) => entries > 0).map(({ id }) => id),
      ),
      ({ run_id }) => run_id,
    );
    for (const row of rows) {
      if (this.#active.has(row.id) || this.#touched.has(row.id)) continue;
      const version = versions.get(row.version_id);
      if (!version) {
        this.#outside.log.error({ run: row.id }, "a run's version is gone");
        continue;
      }
      const entries = journals.get(row.id) ?? [];
      const execution = new Execution(this.#outside, factsOf(row, version), version.plan, {
        lines: entries.flatMap((entry) => [...entry.records]),
        entries: entries.length,
      });
      const active = new Active(execution);
      this.#active.set(row.id, active);
      if (row.status === "queued") void this.#admit(active, row, version.definition);
      else void this.#advance(active);
    }
  }

  async #admit(active: Active, row: RunRow, limits: Parameters<typeof admit>[2]): Promise<void> {
    await this.#guarded(active, async () => {
      const outcome = await admit(this.#outside, row, limits, active.execution);
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
      this.#outside.log.error({ err: error, run: active.execution.facts.id }, "a run stumbled");
      // It stays due, and is taken up again at the next look.
      this.#drop(active);
    });
    await active.turn;
  }

  /** Goes on as far as it can, writes what must be kept, begins what comes next. */
  async #step(active: Active): Promise<void> {
    const { execution } = active;
    if (active.dropped) return;
    const { begun, over } = await execution.settle();
    if (over || execution.mustWrite) {
      const outcome = await this.#write(active, over);
      if (outcome === "again") return this.#step(active);
      if (outcome === "over") return this.#drop(active);
    }
    if (execution.underWay === 0 && execution.dueMs <= this.#outside.clock.nowMs()) {
      return this.#step(active);
    }
    this.#begin(active, begun);
  }

  async #write(active: Active, over: Over | undefined): Promise<"written" | "again" | "over"> {
    const { execution } = active;
    if (await writeExecution(this.#outside, execution, over)) return over ? "over" : "written";
    // Somebody left word, or ended it.
    const { id } = execution.facts;
    const ended = await findEnded(this.#outside, [id]);
    if (ended.length > 0) {
      execution.abort();
      return "over";
    }
    const news = await readNewEntries(this.#outside, [{ id, entries: execution.entries }]);
    if (news.some(takesBack)) {
      this.#abandon(active);
      return "over";
    }
    this.#merge(execution, news);
    return "again";
  }

  #begin(active: Active, begun: readonly Begun[]): void {
    const { execution } = active;
    this.#wakeAt(execution.dueMs);
    if (begun.length === 0 && execution.underWay === 0) return this.#drop(active);
    for (const step of begun) {
      void execution.carryOut(step).then(
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
    const inMs = dueMs - this.#outside.clock.nowMs();
    if (inMs < LOOK_MS) setTimeout(() => this.#looking.wake(), Math.max(inMs, 1)).unref();
  }

  #merge(execution: Execution, entries: readonly Entry[]): void {
    const last = entries.at(-1);
    if (last)
      execution.merge(
        entries.flatMap((entry) => [...entry.records]),
        last.entry + 1,
      );
  }

  /** Runs that are in memory may have been told something meanwhile. */
  async #catchUp(): Promise<void> {
    const known = [...this.#active.values()].map(({ execution }) => ({
      id: execution.facts.id,
      entries: execution.entries,
    }));
    if (known.length === 0) return;
    for (const [id, entries] of Map.groupBy(
      await readNewEntries(this.#outside, known),
      ({ run_id }) => run_id,
    )) {
      const active = this.#active.get(id);
      if (!active) continue;
      void this.#guarded(active, async () => {
        const { execution } = active;
        const news = entries.filter(({ entry }) => entry >= execution.entries);
        if (news.some(takesBack)) return this.#abandon(active);
        this.#merge(execution, news);
        await this.#step(active);
      });
    }
  }

  /** While one step is under way, others may have waited long enough, or the run taken too long. */
  #remind(): void {
    const nowMs = this.#outside.clock.nowMs();
    for (const active of this.#active.values()) {
      if (active.execution.dueMs <= nowMs) void this.#advance(active);
    }
  }

  /**
   * Stops what is under way of a run that was cancelled. A notice may come late, when the run goes on
   * again by a retry: what the database says of it counts, and of the one that was in memory before.
   */
  async #hear({ type, resourceId }: Notice): Promise<void> {
    const active = type === "workflow.run_cancelled" && this.#active.get(resourceId);
    if (!active || (await findEnded(this.#outside, [resourceId])).length === 0) return;
    this.#abandon(active);
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
    const { id } = active.execution.facts;
    if (this.#active.get(id) === active) this.#active.delete(id);
    this.#touched.add(id);
    active.end();
    if (this.#active.size < ACTIVE_MAX / 2) return;
    this.#looking.wake();
  }

  /** What is under way is cut off and nothing of it written: whoever comes next begins it again. */
  #abandonAll(): void {
    for (const active of this.#active.values()) {
      this.#drop(active);
      active.execution.abort();
    }
  }

  async #leave(lane: number): Promise<void> {
    const leaving = [...this.#active.values()].filter(
      ({ execution }) => execution.facts.lane === lane,
    );
    await Promise.all(leaving.map(({ ended }) => ended));
  }
}

/** Whether somebody retried the run meanwhile: what is under way here is of the time before. */
function takesBack({ records }: Entry): boolean {
  return records.some((line) => "forgotten" in line);
}

/** A run that is in memory. */
class Active {
  readonly execution: Execution;
  readonly ended: Promise<void>;
  readonly end: () => void;
  turn: Promise<void> = Promise.resolve();
  dropped = false;

  constructor(execution: Execution) {
    this.execution = execution;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.end = resolve;
  }
}
