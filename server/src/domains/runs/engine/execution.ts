import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import {
  advance,
  afterFailure,
  type ExecutionPlan,
  nodeAt,
  type PlanNode,
  type Progress,
  resetLoop,
  type RunDecision,
  runOutput,
  type RunResult,
  planOfTrigger,
  startProgress,
  type StepError,
  TIMEOUT_BRANCH,
} from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { RacingSteps } from "../control/racing-steps.ts";
import { ResumeAddresses } from "../calls/resume-address.ts";
import { executeStep, type StepAttemptResult } from "../steps/execute-step.ts";
import { findMock, type RecordedOutcomes } from "../steps/mocked-steps.ts";
import { SpeculativeSteps } from "../steps/speculative-steps.ts";
import { outputSizeError } from "../steps/step-error.ts";
import {
  type JournalRecord,
  limitWait,
  newStepRecord,
  type StepMessage,
  type StoredJournal,
  resolveWait,
} from "./journal-record.ts";
import { LoopOutputs } from "./loop-outputs.ts";
import { Pacer } from "./pacer.ts";
import type { RunContext } from "./run-context.ts";
import { RunJournal } from "./run-journal.ts";

const STEPS_MAX = 20_000;
const STEPS_BETWEEN_YIELDS = 100;

/** A step with effects outside that has not started yet. */
export interface PendingStep {
  readonly path: string;
  readonly node: PlanNode;
  readonly attempt: number;
}

/**
 * One run in memory: its plan and its journal. Computing steps are executed at once. Steps with effects outside
 * become pending and are started by the runner. This class writes nothing to the database.
 */
export class Execution {
  readonly run: RunContext;
  /** The steps that started before the run was written. */
  speculative: SpeculativeSteps | undefined;
  readonly #platform: Platform;
  readonly #plan: ExecutionPlan;
  readonly #journal: RunJournal;
  readonly #recorded: RecordedOutcomes | undefined;
  readonly #isBegun: boolean;
  readonly #abort = new AbortController();
  readonly #pacer = new Pacer();
  readonly #racing: RacingSteps;
  #loopOutputs: LoopOutputs;
  #progress: Progress;
  /** Steps that start after the records before them are written. */
  #pending: PendingStep[] = [];
  #inFlight = 0;
  #stopError: StepError | undefined;

  constructor(
    platform: Platform,
    run: RunContext,
    plan: ExecutionPlan,
    // `recorded` contains the recorded outputs of steps in a rehearsal.
    journal: StoredJournal & { readonly recorded?: RecordedOutcomes },
  ) {
    this.#recorded = journal.recorded;
    this.#isBegun = journal.isBegun ?? true;
    this.#platform = platform;
    this.run = run;
    this.#plan = planOfTrigger(plan, run.trigger);
    this.#racing = new RacingSteps(this.#plan);
    this.#journal = new RunJournal(run, journal, ResumeAddresses.open(platform, run.id, plan));
    this.#loopOutputs = new LoopOutputs(this.#plan, this.#journal.steps);
    this.#progress = startProgress(this.#plan);
  }

  get steps(): ReadonlyMap<string, JournalRecord> {
    return this.#journal.steps;
  }

  /** Read by the code that writes the journal. Only this class adds records. */
  get journal(): RunJournal {
    return this.#journal;
  }

  get hasWaits(): boolean {
    return this.#journal.hasWaits;
  }

  /** True if a step can have a stored call. */
  get takesCalls(): boolean {
    return this.#plan.takesCalls;
  }

  /** The number of steps that are pending, in flight, or ended during a write. */
  get inFlight(): number {
    return this.#inFlight + this.#journal.changeCount;
  }

  /** The reason for stopping the run. Undefined for a cancelled run. */
  get stopError(): StepError | undefined {
    return this.#stopError;
  }

  get output(): unknown {
    return runOutput(this.#plan, this.#journal.steps);
  }

  /** The time at which the run must continue if nothing happens before. */
  get dueMs(): number {
    if (this.#abort.signal.aborted) return Number.POSITIVE_INFINITY;
    return Math.min(this.run.deadlineMs, this.#journal.dueMs);
  }

  /** The status of an unfinished run. */
  get status(): "running" | "waiting" | "paused" {
    if (this.inFlight > 0) return "running";
    return this.#journal.hasPausedStep ? "paused" : "waiting";
  }

  /** Stops the steps in flight. */
  abort(): void {
    this.#abort.abort();
  }

  /**
   * True if a checkpoint must be written before another step starts. Computed results need none because they can be
   * computed again.
   */
  get mustWrite(): boolean {
    const mayLose = this.#journal.lastUnflushed !== undefined && this.#hasPendingEffect;
    return mayLose || this.#journal.hasUnwrittenEffects || this.inFlight === 0;
  }

  /**
   * True if the next checkpoint must be flushed to disk before another step starts. A flush is not needed if only
   * replayable steps follow replayable results: a database crash then repeats no effect.
   */
  get mustFlush(): boolean {
    return !this.#journal.isReplayable || this.#pending.length === 0 || this.#hasPendingEffect;
  }

  get #hasPendingEffect(): boolean {
    return this.#pending.some(({ node }) => !node.type.replays);
  }

  /** Starts the speculative steps, and waits for them at most this long. */
  receive(messages: readonly StepMessage[], entries: number): void {
    this.#journal.entries = entries;
    this.#journal.receive(messages);
  }

  get pendingCount(): number {
    return this.#pending.length;
  }

  /** True when a pending step may start before the run is written. */
  get hasSpeculative(): boolean {
    return this.#pending.some(({ node }) => node.type.computesFirst);
  }

  /** Starts those steps, and waits for them no longer than this. */
  async startSpeculative(ms: number): Promise<void> {
    const steps = this.#pending.filter(({ node }) => node.type.computesFirst);
    this.#pending = this.#pending.filter(({ node }) => !node.type.computesFirst);
    this.speculative ??= new SpeculativeSteps();
    await this.speculative.waitFor(
      steps.map((step) => this.executePending(step)),
      ms,
    );
  }

  /** The pending steps. Each step is returned once. */
  takePending(): PendingStep[] {
    return this.#pending.splice(0);
  }

  /** Advances the run until only steps with effects outside are left. Returns the result once the run has ended. */
  async settle(): Promise<RunResult | undefined> {
    const nowMs = this.#platform.clock.nowMs();
    if (nowMs >= this.run.deadlineMs) this.#stop("timeout", "The run exceeded its time limit.");
    if (!this.#abort.signal.aborted) await this.#wakeDueSteps(nowMs);
    for (;;) {
      const stopped = this.#stopError ? ("failed" as const) : ("cancelled" as const);
      const stop = this.#abort.signal.aborted ? { stop: stopped } : {};
      const decision = advance(this.#progress, this.#journal.takeChanges(), stop);
      await this.#applyDecision(decision);
      // The run was stopped in the meantime. The next decision determines how it ends.
      if (this.#abort.signal.aborted && !("stop" in stop)) continue;
      if (decision.result) return decision.result;
      if (this.#journal.changeCount === 0) return undefined;
      if (this.#journal.steps.size > STEPS_MAX) {
        this.#stop("too_many_steps", `A run can have at most ${STEPS_MAX} steps.`);
      }
    }
  }

  #stop(code: string, message: string, path?: string): void {
    if (this.#abort.signal.aborted) return;
    this.#stopError = { code, message, retryable: false, ...(path !== undefined && { path }) };
    this.abort();
  }

  /** Executes a step with effects outside, and adds its result to the journal. */
  async executePending(step: PendingStep): Promise<void> {
    try {
      await this.#pacer.untilTurn(step, this.#abort.signal);
      const startedAt = this.#now();
      const isLost = () => this.#journal.read(step.path).status === "cancelled";
      if (isLost()) return;
      const ended = await this.#attemptStep(step);
      // Results of a branch that lost its race in the meantime are dropped.
      if (!isLost()) this.#endAttempt({ ...step, startedAt }, ended);
    } finally {
      this.#inFlight -= 1;
      this.#racing.remove(step.path);
    }
  }

  async #applyDecision(decision: RunDecision): Promise<void> {
    const journal = this.#journal;
    for (const path of decision.skip) journal.append({ ...newStepRecord(path), status: "skipped" });
    for (const path of decision.cancel) this.#cancelStep(path);
    for (const { path, output } of decision.complete) this.#completeLoop(path, output);
    for (const { path, cause } of decision.fail) this.#failLoop(path, cause);
    for (const [index, { path, node }] of decision.start.entries()) {
      await this.#startStep({ path, node, attempt: 1 });
      // Computing steps never wait, so without a yield they would block the event loop.
      if (index % STEPS_BETWEEN_YIELDS === STEPS_BETWEEN_YIELDS - 1) await yieldToEventLoop();
    }
  }

  #cancelStep(path: string): void {
    const record = this.#journal.read(path);
    const at = this.#now();
    const log = this.#racing.abort(path, at);
    const cutOff = log && { finishedAt: at, logs: [...(record.logs ?? []), log] };
    this.#journal.append({ ...record, status: "cancelled", ...cutOff });
  }

  async #startStep(step: PendingStep): Promise<void> {
    const { path, node, attempt } = step;
    if (node.type.effect === "outside" && !this.run.test) {
      this.#inFlight += 1;
      this.#pending.push(step);
      // In memory only. Another node that loads the run starts the step again.
      const { retryAtMs: _, error: __, ...record } = this.#journal.read(path);
      this.#journal.note({ ...record, status: "running", attempts: attempt });
    } else this.#endAttempt({ ...step, startedAt: this.#now() }, await this.#attemptStep(step));
  }

  #attemptStep({ path, node, attempt }: PendingStep): Promise<StepAttemptResult> {
    const [platform, run, { scope }, at] = [this.#platform, this.run, this.#journal, this.#now()];
    const mock = this.#recorded
      ? this.#recorded.find(node, { path, at })
      : run.test && findMock(run.test, node, { path, at });
    const signal = this.#racing.joinSignal(path, this.#abort.signal);
    const stepKey = this.#journal.keyOf(path);
    const isFirst = attempt === 1 && !this.#isBegun;
    const step = { platform, run, node, path, attempt, isFirst, scope, signal, stepKey, mock };
    return executeStep({ ...step, speculative: this.speculative });
  }

  #endAttempt(step: PendingStep & { readonly startedAt: string }, ended: StepAttemptResult): void {
    const { path, node, attempt, startedAt } = step;
    const { input, logs, childRunId } = ended;
    if (node.type.effect !== "pure") {
      const isReplayable =
        "result" in ended && "output" in ended.result && ended.result.isReplayable;
      this.#journal.noteEffect(isReplayable ? "replayable" : "once");
    }
    const before = this.#journal.steps.get(path);
    const logsBefore = before?.logs ?? [];
    const record = {
      path,
      node: node.id,
      attempts: attempt,
      startedAt: before?.startedAt ?? startedAt,
      ...(before?.postponements !== undefined && { postponements: before.postponements }),
      ...(input !== undefined && { input }),
      ...(childRunId !== undefined && { childRunId }),
      ...(logs.length + logsBefore.length > 0 && { logs: [...logsBefore, ...logs] }),
    };
    const output = "result" in ended && "output" in ended.result ? ended.result.output : undefined;
    if (this.#loopOutputs.count({ path, input, output })) {
      this.#stop("run_too_large", "The steps of its loops exceed 64 MiB in total.", path);
    }
    if ("error" in ended) return this.#failStep(node, record, ended.error);
    const { result } = ended;
    if ("wait" in result) {
      const status = result.wait.kind === "approval" ? "paused" : "waiting";
      // The response can arrive before the step is recorded as waiting.
      const { answer } = before ?? {};
      const wait = limitWait(node, result.wait, this.#platform.clock.nowMs());
      this.#journal.append({ ...record, status, wait, ...(answer && { answer }) });
    } else if ("items" in result || "turns" in result) {
      const items = "turns" in result ? result.turns : result.items.length;
      this.#journal.append({ ...record, status: "running", items });
    } else {
      const { branch, page } = result;
      const finishedAt = this.#now();
      const chosen = { ...(branch !== undefined && { branch }), ...(page && { page }) };
      this.#completeStep(node, { ...record, status: "completed", output, ...chosen, finishedAt });
    }
  }

  /** A step of a loop adds to the output of the loop, which later steps cannot reduce. */
  #completeStep(node: PlanNode, record: JournalRecord): void {
    this.#journal.append(record);
    const loop = this.#loopOutputs.add(node, record);
    if (loop === undefined) return;
    const message = `The outputs of ${loop.path} exceed 1 MiB in total, after ${loop.index + 1} items. End its body with a step that has a small output, or set collect to false. Then retry with the latest version.`;
    this.#stop("output_too_large", message, record.path);
  }

  #completeLoop(path: string, output: unknown): void {
    const record = this.#journal.read(path);
    const sizeError = outputSizeError(output);
    // The interpreter has already completed the loop, so the run fails instead.
    if (sizeError) this.#stop(sizeError.code, sizeError.message, path);
    const completed = {
      ...record,
      status: "completed" as const,
      output: sizeError ? null : output,
      finishedAt: this.#now(),
    };
    const node = nodeAt(this.#plan.graph, path);
    if (node) this.#completeStep(node, completed);
  }

  #failStep(node: PlanNode, before: Omit<JournalRecord, "status">, error: StepError): void {
    // A failed step no longer waits, so its response is dropped.
    const { wait: _, answer: __, ...record } = before;
    const failed = { ...record, status: "failed" as const };
    // A test run shows the failure instead of waiting for another attempt.
    const attempted = this.run.test ? { ...node, retry: undefined } : node;
    const seen = this.run.test ? { ...error, postponed: false } : error;
    const { record: after } = afterFailure(attempted, failed, seen, this.#platform.clock.nowMs());
    const finish = after.status === "waiting" ? {} : { finishedAt: this.#now() };
    this.#journal.append({ ...after, ...finish });
  }

  #failLoop(path: string, cause: string): void {
    const record = this.#journal.read(path);
    const { error } = this.#journal.steps.get(cause) ?? {};
    const node = nodeAt(this.#plan.graph, path);
    const failure = error ?? { code: "failed", message: `${cause} failed.` };
    // The error names the innermost step.
    if (node) this.#failStep(node, record, { ...failure, path: failure.path ?? cause });
  }

  /** Retries steps and ends waits whose time has come. */
  async #wakeDueSteps(nowMs: number): Promise<void> {
    for (const record of this.#journal.dueSteps(nowMs)) {
      const node = nodeAt(this.#plan.graph, record.path);
      if (!node) continue;
      const { path, attempts } = record;
      if (record.retryAtMs !== undefined && node.type.iterates) this.#reopenLoop(path);
      else if (record.retryAtMs !== undefined) {
        await this.#startStep({ path, node, attempt: attempts + 1 });
      } else this.#endWait(record, node);
    }
  }

  #endWait(record: JournalRecord, node: PlanNode): void {
    const hasOwnWay = node.outgoing.some(({ when }) => when === TIMEOUT_BRANCH);
    const ended = resolveWait(record, hasOwnWay);
    if ("error" in ended) this.#failStep(node, record, ended.error);
    else {
      const finishedAt = this.#now();
      this.#completeStep(node, { ...record, status: "completed", ...ended, finishedAt });
    }
  }

  /** Starts another attempt of a loop. Completed iterations are kept. */
  #reopenLoop(path: string): void {
    const { forget, reopen } = resetLoop(this.#plan, this.#journal.steps, path);
    this.#journal.reset(forget, reopen);
    this.#loopOutputs = new LoopOutputs(this.#plan, this.#journal.steps);
    this.#progress = startProgress(this.#plan);
  }

  #now(): string {
    return this.#platform.clock.now().toISOString();
  }
}
