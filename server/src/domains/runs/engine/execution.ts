import { setImmediate as aTurnForOthers } from "node:timers/promises";
import {
  advance,
  afterFailure,
  begin,
  type Decision,
  nodeAt,
  outputOf,
  type RunResult,
  parsePath,
  type ExecutionPlan,
  type PlanNode,
  type Progress,
  resetLoop,
  type StepError,
} from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { SpeculativeSteps } from "../steps/speculative-steps.ts";
import { resultOfWait } from "./waits.ts";
import type { RunContext } from "./run-context.ts";
import {
  blank,
  dueMsOf,
  foldJournal,
  hear,
  type JournalRecord,
  type JournalLine,
  type Wait,
  type JournalDecision,
} from "./journal-record.ts";
import { isMocked, mockStep } from "../steps/mocked-steps.ts";
import { Scope } from "../steps/scope.ts";
import { outputSizeError } from "../steps/step-error.ts";
import { type StepAttemptResult, executeStep } from "../steps/execute-step.ts";

/** A step that reaches outside and is to be begun. */
export interface Begun {
  readonly path: string;
  readonly node: PlanNode;
  readonly attempt: number;
}

/**
 * One run in memory: its plan, what is known of its steps, and what the journal does not have yet.
 * Steps that only compute are taken here and now; those that reach outside are given out, and their
 * outcomes taken in. It writes nothing itself.
 */
export class Execution {
  readonly facts: RunContext;
  /** How many entries of the journal it knows. */
  entries: number;
  /** What was begun before the run was written. */
  early: SpeculativeSteps | undefined;
  readonly #platform: Platform;
  readonly #plan: ExecutionPlan;
  readonly #abort = new AbortController();
  #steps = new Map<string, JournalRecord>();
  readonly #waiting = new Map<string, JournalRecord>();
  #scope: Scope;
  #progress: Progress;
  /** Steps outside that are to be begun once what came before them is written. */
  #toBegin: Begun[] = [];
  /** Why it must end although there is more to do. */
  #stopError: StepError | undefined;
  /** What changed since the last decision, and since the last write. */
  #changes: JournalRecord[] = [];
  #unwritten: JournalRecord[] = [];
  #underWay = 0;
  #mustKeep = false;
  #hasWaits = false;

  constructor(
    platform: Platform,
    facts: RunContext,
    plan: ExecutionPlan,
    journal: { readonly lines: Iterable<JournalLine>; readonly entries: number },
  ) {
    this.#platform = platform;
    this.facts = facts;
    this.#plan = plan;
    this.entries = journal.entries;
    this.#scope = new Scope(facts);
    this.#progress = begin(plan);
    this.#restore(foldJournal(journal.lines));
  }

  get steps(): ReadonlyMap<string, JournalRecord> {
    return this.#steps;
  }

  /** How many steps are being carried out outside, or ended while something else was being written. */
  get underWay(): number {
    return this.#underWay + this.#changes.length;
  }

  /** What is to be written. */
  get unwritten(): readonly JournalRecord[] {
    return this.#unwritten;
  }

  /** Why it was stopped, unless somebody cancelled it. */
  get stopError(): StepError | undefined {
    return this.#stopError;
  }

  get output(): unknown {
    return outputOf(this.#plan, this.#steps);
  }

  /** When it must be looked at next, if nothing happens before. */
  get dueMs(): number {
    if (this.#abort.signal.aborted) return Number.POSITIVE_INFINITY;
    let due = this.facts.deadlineMs;
    for (const record of this.#waiting.values()) due = Math.min(due, dueMsOf(record));
    return due;
  }

  /** The status that people see while it is not over. */
  get status(): "running" | "waiting" | "paused" {
    if (this.underWay > 0) return "running";
    const paused = [...this.#waiting.values()].some(({ status }) => status === "paused");
    return paused ? "paused" : "waiting";
  }

  /** Whether any step of it ever waited for an event, or for people. */
  get hasWaits(): boolean {
    return this.#hasWaits;
  }

  /** Stops what is under way. */
  abort(): void {
    this.#abort.abort();
  }

  /**
   * Whether something must be written before anything else outside is begun: what a step outside
   * gave, what it waits for, or that nothing is under way. What was merely computed can be computed
   * again.
   */
  get mustWrite(): boolean {
    return this.#mustKeep || this.underWay === 0;
  }

  /** Has been written up to this entry. */
  written(count: number, entries: number): void {
    this.#unwritten.splice(0, count);
    this.entries = entries;
    this.#mustKeep = this.#unwritten.length > 0;
  }

  /** Hears what others left in the journal for its steps. */
  hear(words: readonly JournalDecision[], entries: number): void {
    this.entries = entries;
    for (const word of words) {
      const known = this.#steps.get(word.path);
      // A step that has ended stays so, whoever came second.
      if (!known || known.status === "completed" || known.status === "skipped") continue;
      const record = hear(known, word);
      this.#know(record);
      this.#changes.push(record);
    }
  }

  /** How many steps wait to be begun. */
  get toBegin(): number {
    return this.#toBegin.length;
  }

  /** Whether steps are to be begun that need nothing from outside at first. */
  get hasEarly(): boolean {
    return this.#toBegin.some(({ node }) => node.type.computesFirst);
  }

  /** Begins those before the run is written, and waits for them a little. */
  async beginEarly(ms: number): Promise<void> {
    const early = this.#toBegin.filter(({ node }) => node.type.computesFirst);
    this.#toBegin = this.#toBegin.filter(({ node }) => !node.type.computesFirst);
    this.early ??= new SpeculativeSteps();
    const ended = early.map((step) => this.carryOut(step));
    await this.early.watch(ended, ms);
  }

  /** The steps that are to be begun now; each is given out once. */
  takeBegun(): Begun[] {
    return this.#toBegin.splice(0);
  }

  /**
   * Goes on until there is nothing left to do here: what to begin outside, or how it ended. What is to
   * be begun stays so until it is taken, however often this is called.
   */
  async settle(): Promise<{
    readonly begun: readonly Begun[];
    readonly over: RunResult | undefined;
  }> {
    const nowMs = this.#platform.clock.nowMs();
    if (nowMs >= this.facts.deadlineMs) this.#stop("timeout", "The run took too long.");
    if (!this.#abort.signal.aborted) await this.#wakeUp(nowMs);
    for (;;) {
      const stopped = this.#stopError ? ("failed" as const) : ("cancelled" as const);
      const stop = this.#abort.signal.aborted ? { stop: stopped } : {};
      const decision = advance(this.#progress, this.#changes.splice(0), stop);
      await this.#follow(decision);
      // Stopped by what just followed: that decides how it ends.
      if (this.#abort.signal.aborted && !("stop" in stop)) continue;
      if (decision.over) return { begun: [], over: decision.over };
      if (this.#changes.length === 0) return { begun: this.#toBegin, over: undefined };
      if (this.#steps.size > STEPS_MAX) {
        this.#stop("too_many_steps", `A run has at most ${STEPS_MAX} steps.`);
      }
    }
  }

  #stop(code: string, message: string): void {
    if (this.#abort.signal.aborted) return;
    this.#stopError = { code, message, retryable: false };
    this.abort();
  }

  /** Carries out a step outside, and takes in what came of it. */
  async carryOut(step: Begun): Promise<void> {
    const startedAt = this.#now();
    try {
      this.#end({ ...step, startedAt }, await this.#attempt(step));
    } finally {
      this.#underWay -= 1;
    }
  }

  async #follow(decision: Decision): Promise<void> {
    for (const path of decision.skip) this.#record({ ...blank(path), status: "skipped" });
    for (const path of decision.cancel) {
      this.#record({ ...(this.#steps.get(path) ?? blank(path)), status: "cancelled" });
    }
    for (const { path, output } of decision.complete) this.#completeLoop(path, output);
    for (const { path, cause } of decision.fail) this.#failLoop(path, cause);
    for (const [index, { path, node }] of decision.start.entries()) {
      await this.#start({ path, node, attempt: 1 });
      // What only computes never waits for anything, and others want their turn.
      if (index % STEPS_AT_A_TIME === STEPS_AT_A_TIME - 1) await aTurnForOthers();
    }
  }

  async #start(step: Begun): Promise<void> {
    const { path, node, attempt } = step;
    if (node.type.effect === "outside" && !this.facts.test) {
      this.#underWay += 1;
      this.#toBegin.push(step);
      // Only in memory: a run that is taken up anew simply begins the step again.
      const { retryAtMs: _, error: __, ...known } = this.#steps.get(path) ?? blank(path);
      const running = { ...known, status: "running" as const, attempts: attempt };
      this.#know(running);
      this.#changes.push(running);
    } else this.#end({ ...step, startedAt: this.#now() }, await this.#attempt(step));
  }

  #attempt({ path, node, attempt }: Begun): Promise<StepAttemptResult> {
    const [platform, run, scope] = [this.#platform, this.facts, this.#scope];
    const { test } = run;
    if (test && isMocked(test, node)) return Promise.resolve(mockStep(test, node, this.#now()));
    const { signal } = this.#abort;
    const occasion = this.#occasionOf(path);
    const { early } = this;
    return executeStep({ platform, run, node, path, attempt, scope, signal, occasion, early });
  }

  /** Tells the attempts of the loops around a step apart: each may do all of it again. */
  #occasionOf(path: string): string {
    const loops = parsePath(path).iterations.map((one) => this.#steps.get(one.path)?.attempts ?? 1);
    return [this.facts.generation, path, ...loops].join(" ");
  }

  #end(step: Begun & { readonly startedAt: string }, attempted: StepAttemptResult): void {
    const { path, node, attempt, startedAt } = step;
    const { input, logs } = attempted;
    if (node.type.effect !== "pure") this.#mustKeep = true;
    const before = this.#steps.get(path)?.logs ?? [];
    const record = {
      path,
      node: node.id,
      attempts: attempt,
      startedAt: this.#steps.get(path)?.startedAt ?? startedAt,
      ...(input !== undefined && { input }),
      ...(logs.length + before.length > 0 && { logs: [...before, ...logs] }),
    };
    if ("error" in attempted) return this.#fail(node, record, attempted.error);
    const { result } = attempted;
    if ("wait" in result) {
      const status = result.wait.kind === "approval" ? "paused" : "waiting";
      // Its answer may have come before it was known to wait.
      const { answer } = this.#steps.get(path) ?? {};
      const wait = this.#limited(node, result.wait);
      this.#record({ ...record, status, wait, ...(answer && { answer }) });
    } else if ("items" in result) {
      this.#record({ ...record, status: "running", items: result.items.length });
    } else {
      const { output, branch } = result;
      const finishedAt = this.#now();
      const chosen = branch === undefined ? {} : { branch };
      this.#record({ ...record, status: "completed", output, ...chosen, finishedAt });
    }
  }

  /** A step that waits has no more time than one that works. */
  #limited({ timeoutMs, type }: PlanNode, wait: Wait): Wait {
    if (timeoutMs === undefined || type.effect === "pure" || wait.kind === "delay") return wait;
    const untilMs = this.#platform.clock.nowMs() + timeoutMs;
    return { ...wait, untilMs: Math.min(wait.untilMs ?? Number.POSITIVE_INFINITY, untilMs) };
  }

  #completeLoop(path: string, output: readonly unknown[]): void {
    const record = this.#steps.get(path) ?? blank(path);
    const tooLarge = outputSizeError(output);
    // The interpreter has it as completed already, so it is the run that can't go on.
    if (tooLarge) this.#stop(tooLarge.code, `${path}: ${tooLarge.message}`);
    const kept = tooLarge ? null : output;
    this.#record({ ...record, status: "completed", output: kept, finishedAt: this.#now() });
  }

  #fail(node: PlanNode, before: Omit<JournalRecord, "status">, error: StepError): void {
    // What it waited for is over, and so is whatever was answered.
    const { wait: _, answer: __, ...record } = before;
    const failed = { ...record, status: "failed" as const };
    // A test shows what happens; nobody waits for another attempt at it.
    const tried = this.facts.test ? { ...node, retry: undefined } : node;
    const { record: after } = afterFailure(tried, failed, error, this.#platform.clock.nowMs());
    const over = after.status === "waiting" ? {} : { finishedAt: this.#now() };
    this.#record({ ...after, ...over });
  }

  #failLoop(path: string, cause: string): void {
    const record = this.#steps.get(path) ?? blank(path);
    const { error } = this.#steps.get(cause) ?? {};
    const node = nodeAt(this.#plan.graph, path);
    if (node) this.#fail(node, record, error ?? { code: "failed", message: `${cause} failed.` });
  }

  /** Steps whose time has come: another attempt, the end of a delay, or of somebody's patience. */
  async #wakeUp(nowMs: number): Promise<void> {
    for (const record of this.#waiting.values().toArray()) {
      const node = dueMsOf(record) <= nowMs && nodeAt(this.#plan.graph, record.path);
      if (!node) continue;
      const { path, attempts } = record;
      if (record.retryAtMs !== undefined && node.type.iterates) this.#reopen(path);
      else if (record.retryAtMs !== undefined) {
        await this.#start({ path, node, attempt: attempts + 1 });
      } else this.#endWait(record, node);
    }
  }

  #endWait(record: JournalRecord, node: PlanNode): void {
    const end = resultOfWait(record);
    if ("error" in end) this.#fail(node, record, end.error);
    else this.#record({ ...record, status: "completed", ...end, finishedAt: this.#now() });
  }

  /** Another attempt at a loop: the iterations that completed stay so. */
  #reopen(path: string): void {
    const { forget, reopen } = resetLoop(this.#plan, this.#steps, path);
    const taken = forget.map((gone) => ({ ...blank(gone), forgotten: true as const }));
    this.#unwritten.push(...taken, ...reopen);
    this.#restore(foldJournal([...taken, ...reopen], this.#steps));
  }

  #restore(steps: Map<string, JournalRecord>): void {
    this.#steps = steps;
    this.#waiting.clear();
    this.#scope = new Scope(this.facts);
    this.#progress = begin(this.#plan);
    for (const record of steps.values()) this.#know(record);
    this.#changes = [...steps.values()];
  }

  /** A record that the journal must have too. */
  #record(record: JournalRecord): void {
    this.#know(record);
    this.#changes.push(record);
    this.#unwritten.push(record);
  }

  #know(record: JournalRecord): void {
    this.#steps.set(record.path, record);
    this.#scope.add(record);
    const waits = record.status === "waiting" || record.status === "paused";
    if (waits) this.#waiting.set(record.path, record);
    else this.#waiting.delete(record.path);
    const { kind } = record.wait ?? {};
    if (kind === "event" || kind === "approval") this.#hasWaits = true;
    if (record.items === undefined) return;
    const { items, as } = (record.input ?? {}) as { items?: unknown[]; as?: string };
    this.#scope.addItems(record.path, as ?? "item", items ?? []);
  }

  #now(): string {
    return this.#platform.clock.now().toISOString();
  }
}

const STEPS_MAX = 20_000;
const STEPS_AT_A_TIME = 100;
