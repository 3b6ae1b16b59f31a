import { viewRun } from "./run-redaction.ts";
import {
  advance,
  canSeeTrace,
  type ExecutionPlan,
  type Progress,
  startProgress,
} from "#domains/workflows/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Partition } from "#kernel/db/database.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import {
  foldJournal,
  isStepMessage,
  type JournalLine,
  type JournalRecord,
} from "./engine/journal-record.ts";
import { isOver } from "./engine/store.ts";
import { liveTextOf } from "./live-text/live-text.ts";
import { planOfRun } from "./engine/run-plan.ts";
import { readStepLines } from "./summary/journal-outline.ts";
import { readRunOutline } from "./summary/run-outline.ts";
import { type NodeSummary, NodeTally } from "./summary/node-summary.ts";
import type { RunStep } from "./run.ts";
import * as store from "./store.ts";
import { listStartedSteps, toRunStep, type Traceable, buildTrace } from "./run-trace.ts";
import { runWatchOf, timesOut, Wakeup } from "./run-watch.ts";

const STEPS_AT_FIRST_MAX = 500;
const RETRY_MS = 1_000;

export interface StreamTiming {
  /** Sends a comment after this much silence, so that proxies keep the connection open. */
  readonly heartbeatMs: number;
  /** The stream ends after this time. The client reconnects, and its credential is checked again. */
  readonly lastsMs: number;
}

export interface StreamContent {
  /** The steps to send: all, only those outside of loops, or none. */
  readonly steps?: "all" | "top" | "none" | undefined;
  /** True to include the counts by node. */
  readonly summary?: boolean | undefined;
}

export interface StreamOptions extends StreamContent {
  readonly pace?: StreamTiming;
}

const STREAM_TIMING: StreamTiming = { heartbeatMs: 15_000, lastsMs: 5 * 60_000 };

/** Streams the current run, then every change until it ends, using server-sent events. */
export async function openStream(
  platform: Platform,
  caller: Caller,
  runId: string,
  { pace = STREAM_TIMING, ...content }: StreamOptions = {},
): Promise<AsyncIterable<string>> {
  const { disconnected } = caller;
  const follower = new RunFollower(platform, caller, runId, content);
  if (!(await follower.refresh())) throw new Failure(NotFound);
  return stream(platform, follower, { ...pace, runId, gone: disconnected });
}

async function* stream(
  platform: Platform,
  follower: RunFollower,
  options: StreamTiming & { readonly runId: string; readonly gone: AbortSignal | undefined },
): AsyncGenerator<string> {
  const wakeup = new Wakeup();
  const wake = (): void => wakeup.end();
  const signals = [platform.shutdown, ...(options.gone ? [options.gone] : [])];
  const endsAt = performance.now() + options.lastsMs;
  const unfollow = runWatchOf(platform).follow(options.runId, wake);
  const texts = new TextFrames(platform, follower, { runId: options.runId, wake });
  for (const signal of signals) signal.addEventListener("abort", wake, { once: true });
  try {
    yield `retry: ${RETRY_MS}\n\n`;
    yield* follower.firstFrames();
    for (;;) {
      const restMs = endsAt - performance.now();
      if (follower.isOver || restMs <= 0 || signals.some(({ aborted }) => aborted)) return;
      const woken = wakeup.begin();
      // Changes before `begin` do not trigger a wake-up.
      const frames = (await follower.refresh()) ? follower.changeFrames() : undefined;
      if (!frames) return;
      yield* frames;
      yield* texts.take();
      if (frames.length > 0 || follower.isOver) continue;
      if (await timesOut(woken, Math.min(options.heartbeatMs, restMs))) yield ":\n\n";
    }
  } finally {
    unfollow();
    texts.close();
    for (const signal of signals) signal.removeEventListener("abort", wake);
  }
}

const TEXT_INTERVAL_MS = 100;
const TEXT_CHARACTERS_MAX = 200_000;

/**
 * The text that steps receive while a client is connected. Joined into fewer frames, because a fast model would
 * otherwise create one per word.
 */
class TextFrames {
  readonly #texts = new Map<string, string>();
  readonly #unfollow: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    platform: Platform,
    follower: RunFollower,
    { runId, wake }: { readonly runId: string; readonly wake: () => void },
  ) {
    this.#unfollow = liveTextOf(platform).follow(runId, ({ path, text }) => {
      const before = this.#texts.get(path) ?? "";
      if (!follower.showsText || before.length > TEXT_CHARACTERS_MAX) return;
      this.#texts.set(path, before + text);
      this.#timer ??= setTimeout(wake, TEXT_INTERVAL_MS);
    });
  }

  take(): string[] {
    if (this.#texts.size === 0) return [];
    const frames = [...this.#texts].map(([path, text]) => frame("text", { path, text }));
    this.#texts.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return frames;
  }

  close(): void {
    this.#unfollow();
    clearTimeout(this.#timer);
  }
}

/** One listener's view of a run. */
class RunFollower {
  readonly #platform: Platform;
  readonly #caller: Caller;
  readonly #partition: Partition;
  readonly #runId: string;
  #run: store.StoredRun | undefined;
  #plan: ExecutionPlan | undefined;
  #steps = new Map<string, JournalRecord>();
  /** The progress of the interpreter. Recomputed when steps are reverted. */
  #progress: Progress | undefined;
  #entries = 0;
  /** Paths with new journal records, and the steps sent as started. */
  readonly #touched = new Set<string>();
  #started: StartedSteps = new Map();
  #lastRun = "";
  readonly #content: StreamContent;
  #tally: NodeTally | undefined;
  /** The counts if the run had already ended. */
  #nodes: NodeSummary[] | undefined;

  constructor(platform: Platform, caller: Caller, runId: string, content: StreamContent) {
    this.#content = content;
    this.#platform = platform;
    this.#caller = caller;
    this.#partition = partitionOfCaller(caller);
    this.#runId = runId;
  }

  get isOver(): boolean {
    return this.#run !== undefined && isOver(this.#run.status);
  }

  /** True if the listener may see text that steps receive. */
  get showsText(): boolean {
    if (this.#content.steps === "none" || this.#run === undefined) return false;
    return canSeeTrace(this.#caller, this.#run.runAs);
  }

  /** Reads the run and new journal entries. Returns false if the run does not exist. */
  async refresh(): Promise<boolean> {
    return this.#platform.db.read(this.#partition, async (tx) => {
      // The run is read first: if it has ended, the journal read after it is complete.
      const run = await store.find(tx, this.#runId);
      if (!run) return false;
      if (!this.#run && !this.#sendsAll) await this.#readOutline(tx, run);
      const entries = await store.readEntries(tx, this.#runId, this.#entries);
      if (this.#run?.versionId !== run.versionId) {
        this.#plan = await planOfRun({ tx, services: this.#platform }, run);
        this.#progress = undefined;
      }
      this.#run = run;
      const lines = entries.flatMap(({ records }) => records.map((line) => this.#toKept(line)));
      for (const line of lines) {
        this.#touched.add(line.path);
        if ("forgotten" in line) this.#progress = undefined;
      }
      this.#steps = foldJournal(lines, this.#steps);
      this.#entries = (entries.at(-1)?.entry ?? this.#entries - 1) + 1;
      return true;
    });
  }

  /** Starts with the outline shared by all listeners, and with inputs and outputs of steps outside of loops. */
  async #readOutline(tx: Tx, run: store.StoredRun): Promise<void> {
    const outline = await readRunOutline({ tx, services: this.#platform }, run);
    this.#steps = new Map(outline.traceable.steps);
    this.#entries = outline.entries;
    this.#nodes = isOver(run.status) ? outline.nodes : undefined;
    if (this.#content.steps === "none") return;
    const paths = [...this.#steps.keys()].filter((path) => this.#isSent(path));
    const lines = await readStepLines(tx, this.#runId, paths, outline.entries);
    foldJournal(
      lines.map(({ line }) => line),
      this.#steps,
    );
  }

  /** A journal line without the data that no listener receives. */
  #toKept(line: JournalLine): JournalLine {
    if (this.#isSent(line.path) || isStepMessage(line)) return line;
    const { input: _, output: __, logs: ___, ...rest } = line;
    return rest;
  }

  get #sendsAll(): boolean {
    return (this.#content.steps ?? "all") === "all";
  }

  firstFrames(): string[] {
    const traceable = this.#traceable();
    this.#started = this.#findStarted(traceable);
    this.#touched.clear();
    const run = this.#visibleRun();
    this.#lastRun = JSON.stringify(run);
    const { step } = viewRun(this.#caller, this.#loadedRun());
    const limit = this.#content.steps === "none" ? 0 : STEPS_AT_FIRST_MAX;
    const top = new Map([...this.#steps].filter(([path]) => this.#isSent(path)));
    const outermost = { ...traceable, steps: this.#sendsAll ? this.#steps : top };
    const started = [...this.#started.values()].filter(({ path }) => this.#isSent(path));
    const { steps, ...trace } = buildTrace(outermost, { limit }, started);
    const sent = steps.map(step);
    const total = this.#steps.size + this.#started.size;
    const { trigger } = viewRun(this.#caller, this.#loadedRun()).run;
    const summary = this.#content.summary ? { summary: this.#countAll(traceable) } : {};
    return [frame("run", { ...run, trigger, trace: { ...trace, steps: sent, total }, ...summary })];
  }

  /** The frames for changes since the last frames. */
  changeFrames(): string[] {
    const traceable = this.#traceable();
    const started = this.#findStarted(traceable);
    const paths = new Set([...this.#touched, ...this.#started.keys(), ...started.keys()]);
    const summary = this.#countChanges(traceable, { paths, started });
    const steps: RunStep[] = [];
    for (const path of paths) {
      if (!this.#isSent(path)) continue;
      const record = this.#steps.get(path) ?? started.get(path);
      const isSent = !this.#touched.has(path) && this.#started.has(path);
      if (record && !(isSent && !this.isOver)) steps.push(toRunStep(traceable, record));
    }
    this.#touched.clear();
    this.#started = started;
    const run = this.#visibleRun();
    const lastRun = JSON.stringify(run);
    const changed = lastRun !== this.#lastRun;
    this.#lastRun = lastRun;
    const { step: toVisible } = viewRun(this.#caller, this.#loadedRun());
    const frames = steps.map((step) => frame("step", toVisible(step)));
    return [
      ...frames,
      ...(summary.length > 0 ? [frame("summary", { nodes: summary })] : []),
      ...(changed ? [frame("run", run)] : []),
    ];
  }

  /** The steps in flight, from changes since the last call. */
  #findStarted(traceable: Traceable): StartedSteps {
    const decide = (plan: ExecutionPlan) => {
      const changed = this.#progress ? this.#touched : this.#steps.keys();
      this.#progress ??= startProgress(plan);
      const records = [...changed].flatMap((path) => this.#steps.get(path) ?? []);
      return advance(this.#progress, records);
    };
    return new Map(listStartedSteps(traceable, decide).map((record) => [record.path, record]));
  }

  #isSent(path: string): boolean {
    const { steps = "all" } = this.#content;
    return steps === "all" || (steps === "top" && !path.includes("["));
  }

  /** Counts all steps again. */
  #countAll(traceable: Traceable): { readonly nodes: NodeSummary[] } {
    if (this.#nodes) return { nodes: this.#nodes };
    this.#tally = new NodeTally(this.#plan);
    for (const record of [...this.#started.values(), ...this.#steps.values()]) {
      this.#tally.put(traceable, record);
    }
    return { nodes: this.#tally.summaries() };
  }

  /** Counts nodes with changed steps. Counts all nodes at the end because unfinished steps are aborted. */
  #countChanges(
    traceable: Traceable,
    { paths, started }: { readonly paths: Iterable<string>; readonly started: StartedSteps },
  ): NodeSummary[] {
    if (!this.#tally) return [];
    if (this.isOver) {
      this.#started = started;
      return this.#countAll(traceable).nodes;
    }
    for (const path of paths) {
      const record = this.#steps.get(path) ?? started.get(path);
      if (record) this.#tally.put(traceable, record);
      else this.#tally.remove(path);
    }
    return this.#tally.takeChanges();
  }

  /** The fields of the run that the caller can see. */
  #visibleRun() {
    const stored = this.#loadedRun();
    const { trigger: _, testRun: __, entries: ___, runAs: ____, ...run } = stored;
    const { trigger: _____, ...visible } = viewRun(this.#caller, stored).run;
    return { ...run, ...visible };
  }

  #loadedRun(): store.StoredRun {
    if (!this.#run) throw new Error("The run is read before it is streamed.");
    return this.#run;
  }

  #traceable(): Traceable {
    const { status } = this.#loadedRun();
    const nowMs = this.#platform.clock.nowMs();
    return { status, plan: this.#plan, steps: this.#steps, nowMs };
  }
}

type StartedSteps = Map<string, JournalRecord>;

function frame(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
