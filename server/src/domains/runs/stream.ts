import type { ExecutionPlan } from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { foldJournal, type JournalRecord } from "./engine/journal-record.ts";
import { isOver } from "./engine/store.ts";
import { planOfRun } from "./read-run.ts";
import type { Step } from "./run.ts";
import * as store from "./store.ts";
import { startedOf, stepOf, type Traceable, traceOf } from "./run-trace.ts";
import { Pause, watchOf } from "./run-watch.ts";

const STEPS_AT_FIRST_MAX = 500;
const RETRY_MS = 1_000;

/** How a stream keeps time. */
export interface Pace {
  /** A silence as long as that is broken, so that proxies do not take the connection for dead. */
  readonly heartbeatMs: number;
  /** It ends after this time; the client comes back, and its credential is checked anew. */
  readonly lastsMs: number;
}

const PACE: Pace = { heartbeatMs: 15_000, lastsMs: 5 * 60_000 };

/** The run as it is, then each change of it until it is over, as server-sent events. */
export async function openStream(
  platform: Platform,
  caller: Caller,
  runId: string,
  pace: Pace = PACE,
): Promise<AsyncIterable<string>> {
  const { workspace, environment, disconnected } = caller;
  if (!workspace) throw new Error("Runs belong to a workspace.");
  const follower = new Follower(platform, { workspace: workspace.key, environment }, runId);
  if (!(await follower.look())) throw new Failure(NotFound);
  return stream(platform, follower, { ...pace, runId, gone: disconnected });
}

async function* stream(
  platform: Platform,
  follower: Follower,
  how: Pace & { readonly runId: string; readonly gone: AbortSignal | undefined },
): AsyncGenerator<string> {
  const pause = new Pause();
  const wake = (): void => pause.end();
  const signals = [platform.shutdown, ...(how.gone ? [how.gone] : [])];
  const endsAt = performance.now() + how.lastsMs;
  const unfollow = watchOf(platform).follow(how.runId, wake);
  for (const signal of signals) signal.addEventListener("abort", wake, { once: true });
  try {
    yield `retry: ${RETRY_MS}\n\n`;
    yield* follower.beginning();
    for (;;) {
      const restMs = endsAt - performance.now();
      if (follower.over || restMs <= 0 || signals.some(({ aborted }) => aborted)) return;
      const woken = pause.begin();
      // What happened since the last look would wake nobody.
      const frames = (await follower.look()) ? follower.changes() : undefined;
      if (!frames) return;
      yield* frames;
      if (frames.length > 0 || follower.over) continue;
      if (await timesOut(woken, Math.min(how.heartbeatMs, restMs))) yield ":\n\n";
    }
  } finally {
    unfollow();
    for (const signal of signals) signal.removeEventListener("abort", wake);
  }
}

/** Whether the time was over first. */
async function timesOut(woken: Promise<void>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), ms);
  try {
    return await Promise.race([woken.then(() => false), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What one listener knows of a run. */
class Follower {
  readonly #platform: Platform;
  readonly #partition: Partition;
  readonly #runId: string;
  #run: store.StoredRun | undefined;
  #plan: ExecutionPlan | undefined;
  #steps = new Map<string, JournalRecord>();
  #entries = 0;
  /** Paths of which the journal said something new, and those that were shown as begun. */
  readonly #touched = new Set<string>();
  #started = new Map<string, JournalRecord>();
  #shown = "";

  constructor(platform: Platform, partition: Partition, runId: string) {
    this.#platform = platform;
    this.#partition = partition;
    this.#runId = runId;
  }

  get over(): boolean {
    return this.#run !== undefined && isOver(this.#run.status);
  }

  /** Reads what is new; false when there is no such run. */
  async look(): Promise<boolean> {
    return this.#platform.db.read(this.#partition, async (tx) => {
      // The run first: of one that is over the journal is then complete.
      const run = await store.find(tx, this.#runId);
      if (!run) return false;
      const entries = await store.readEntries(tx, this.#runId, this.#entries);
      if (this.#run?.versionId !== run.versionId) {
        this.#plan = await planOfRun({ tx, services: this.#platform }, run);
      }
      this.#run = run;
      const lines = entries.flatMap(({ records }) => records);
      for (const { path } of lines) this.#touched.add(path);
      this.#steps = foldJournal(lines, this.#steps);
      this.#entries = (entries.at(-1)?.entry ?? this.#entries - 1) + 1;
      return true;
    });
  }

  /** All that there is to say at first. */
  beginning(): string[] {
    const traceable = this.#traceable();
    this.#touched.clear();
    this.#started = startedBy(traceable);
    const { trigger: _, testRun: __, entries: ___, ...run } = this.#known();
    this.#shown = JSON.stringify(run);
    const trace = traceOf(traceable, { limit: STEPS_AT_FIRST_MAX });
    return [frame("run", { ...run, trace })];
  }

  /** What changed since the last time. */
  changes(): string[] {
    const traceable = this.#traceable();
    const started = startedBy(traceable);
    const paths = new Set([...this.#touched, ...this.#started.keys(), ...started.keys()]);
    const steps: Step[] = [];
    for (const path of paths) {
      const record = this.#steps.get(path) ?? started.get(path);
      const known = !this.#touched.has(path) && this.#started.has(path);
      if (record && !(known && !this.over)) steps.push(stepOf(traceable, record));
    }
    this.#touched.clear();
    this.#started = started;
    const { trigger: _, testRun: __, entries: ___, ...run } = this.#known();
    const shown = JSON.stringify(run);
    const changed = shown !== this.#shown;
    this.#shown = shown;
    return [...steps.map((step) => frame("step", step)), ...(changed ? [frame("run", run)] : [])];
  }

  #known(): store.StoredRun {
    if (!this.#run) throw new Error("Nothing is known before the first look.");
    return this.#run;
  }

  #traceable(): Traceable {
    const { status } = this.#known();
    const nowMs = this.#platform.clock.nowMs();
    return { status, plan: this.#plan, steps: this.#steps, nowMs };
  }
}

function startedBy(traceable: Traceable): Map<string, JournalRecord> {
  return new Map(startedOf(traceable).map((record) => [record.path, record]));
}

function frame(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
