import {
  advance,
  afterFailure,
  begin,
  type Decision,
  nodeAt,
  outputOf,
  type Over,
  type Plan,
  type PlannedNode,
  type Progress,
  resetLoop,
  type StepError,
} from "#domains/workflows/index.ts";
import type { Outside } from "#kernel/caller.ts";
import type { RunFacts } from "./facts.ts";
import { dueMsOf, fold, hear, type JournalRecord, type Line, verdictOf } from "./record.ts";
import { isRehearsed, rehearse } from "./rehearsal.ts";
import { Scope } from "./scope.ts";
import { type Attempted, carryOut } from "./stepping.ts";

/** A step that reaches outside and is to be begun. */
export interface Begun {
  readonly path: string;
  readonly node: PlannedNode;
  readonly attempt: number;
}

/**
 * One run in memory: its plan, what is known of its steps, and what the journal does not have yet.
 * Steps that only compute are taken here and now; those that reach outside are given out, and their
 * outcomes taken in. It writes nothing itself.
 */
export class Execution {
  readonly facts: RunFacts;
  /** How many entries of the journal it knows. */
  entries: number;
  readonly #outside: Outside;
  readonly #plan: Plan;
  readonly #abort = new AbortController();
  #steps = new Map<string, JournalRecord>();
  readonly #waiting = new Map<string, JournalRecord>();
  #scope: Scope;
  #progress: Progress;
  /** What changed since the last decision, and since the last write. */
  #changes: JournalRecord[] = [];
  #unwritten: JournalRecord[] = [];
  #underWay = 0;
  #mustKeep = false;
  #hasWaits = false;

  constructor(
    outside: Outside,
    facts: RunFacts,
    plan: Plan,
    journal: { readonly lines: Iterable<Line>; readonly entries: number },
  ) {
    this.#outside = outside;
    this.facts = facts;
    this.#plan = plan;
    this.entries = journal.entries;
    this.#scope = new Scope(facts);
    this.#progress = begin(plan);
    this.#restore(fold(journal.lines));
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

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get output(): unknown {
    return outputOf(this.#plan, this.#steps);
  }

  /** When it must be looked at next, if nothing happens before. */
  get dueMs(): number {
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

  /** Takes in what others wrote into the journal. What was taken back makes it begin anew. */
  merge(lines: readonly Line[], entries: number): void {
    this.entries = entries;
    if (lines.some((line) => "forgotten" in line)) {
      this.#restore(fold(lines, this.#steps));
      return;
    }
    for (const line of lines) {
      const known = this.#steps.get(line.path);
      // A step that has ended stays so, whoever came second.
      if (known?.status === "completed" || known?.status === "skipped") continue;
      if ("told" in line && !known) continue;
      const record = "told" in line ? known && hear(known, line) : line;
      if (!record) continue;
      this.#know(record);
      this.#changes.push(record);
    }
  }

  /** Goes on until there is nothing left to do here: what to begin outside, or how it ended. */
  async settle(): Promise<{ readonly begun: readonly Begun[]; readonly over: Over | undefined }> {
    const begun: Begun[] = [];
    const nowMs = this.#outside.clock.nowMs();
    const overdue = nowMs >= this.facts.deadlineMs;
    if (overdue) this.abort();
    if (!this.#abort.signal.aborted) await this.#wakeUp(nowMs, begun);
    for (;;) {
      const stop = this.#abort.signal.aborted ? (overdue ? "failed" : "cancelled") : undefined;
      const changes = this.#changes.splice(0);
      const decision = advance(this.#progress, changes, stop === undefined ? {} : { stop });
      await this.#follow(decision, begun);
      if (decision.over) return { begun: [], over: decision.over };
      if (this.#changes.length === 0) return { begun, over: undefined };
    }
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

  async #follow(decision: Decision, begun: Begun[]): Promise<void> {
    for (const path of decision.skip) this.#record({ ...blank(path), status: "skipped" });
    for (const path of decision.cancel) {
      this.#record({ ...(this.#steps.get(path) ?? blank(path)), status: "cancelled" });
    }
    for (const { path, output } of decision.complete) {
      const record = this.#steps.get(path) ?? blank(path);
      this.#record({ ...record, status: "completed", output, finishedAt: this.#now() });
    }
    for (const { path, cause } of decision.fail) this.#failLoop(path, cause);
    for (const { path, node } of decision.start)
      await this.#start({ path, node, attempt: 1 }, begun);
  }

  async #start(step: Begun, begun: Begun[]): Promise<void> {
    const { path, node, attempt } = step;
    if (node.type.effect === "outside" && !this.facts.test) {
      this.#underWay += 1;
      begun.push(step);
      // Only in memory: a run that is taken up anew simply begins the step again.
      const { retryAtMs: _, error: __, ...known } = this.#steps.get(path) ?? blank(path);
      const running = { ...known, status: "running" as const, attempts: attempt };
      this.#know(running);
      this.#changes.push(running);
    } else this.#end({ ...step, startedAt: this.#now() }, await this.#attempt(step));
  }

  #attempt({ path, node, attempt }: Begun): Promise<Attempted> {
    const [outside, run, scope] = [this.#outside, this.facts, this.#scope];
    const { test } = run;
    if (test && isRehearsed(test, node)) return Promise.resolve(rehearse(test, node, this.#now()));
    return carryOut({ outside, run, node, path, attempt, scope, signal: this.#abort.signal });
  }

  #end(step: Begun & { readonly startedAt: string }, attempted: Attempted): void {
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
      this.#record({ ...record, status, wait: result.wait });
    } else if ("items" in result) {
      this.#record({ ...record, status: "running", items: result.items.length });
    } else {
      const { output, branch } = result;
      const finishedAt = this.#now();
      const chosen = branch === undefined ? {} : { branch };
      this.#record({ ...record, status: "completed", output, ...chosen, finishedAt });
    }
  }

  #fail(node: PlannedNode, record: Omit<JournalRecord, "status">, error: StepError): void {
    const failed = { ...record, status: "failed" as const };
    // A test shows what happens; nobody waits for another attempt at it.
    const tried = this.facts.test ? { ...node, retry: undefined } : node;
    const { record: after } = afterFailure(tried, failed, error, this.#outside.clock.nowMs());
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
  async #wakeUp(nowMs: number, begun: Begun[]): Promise<void> {
    for (const record of this.#waiting.values().toArray()) {
      const node = dueMsOf(record) <= nowMs && nodeAt(this.#plan.graph, record.path);
      if (!node) continue;
      const { path, attempts } = record;
      if (record.retryAtMs !== undefined && node.type.iterates) this.#reopen(path);
      else if (record.retryAtMs !== undefined) {
        await this.#start({ path, node, attempt: attempts + 1 }, begun);
      } else this.#endWait(record, node);
    }
  }

  #endWait(record: JournalRecord, node: PlannedNode): void {
    const { path, wait, answer } = record;
    const verdict = verdictOf(record);
    const complete = (output: unknown, branch?: string): void =>
      this.#record({
        ...record,
        status: "completed",
        output,
        ...(branch !== undefined && { branch }),
        finishedAt: this.#now(),
      });
    if (answer?.kind === "event") return complete(answer.event);
    if (answer?.kind === "child" && answer.status === "completed") return complete(answer.output);
    if (answer?.kind === "child") {
      const message = answer.error?.message ?? `The run was ${answer.status}.`;
      return this.#fail(node, record, { code: "subworkflow_failed", message });
    }
    if (wait?.kind === "approval" && verdict) {
      const { decisions } = wait;
      const data = decisions.findLast((one) => one.data !== undefined)?.data ?? null;
      return complete({ approved: verdict === "approved", data, decisions }, verdict);
    }
    if (wait?.kind === "delay") return complete(null);
    const code = wait?.kind === "approval" ? "approval_expired" : "wait_expired";
    this.#fail(node, record, { code, message: `${path} waited in vain.`, retryable: false });
  }

  /** Another attempt at a loop: the iterations that completed stay so. */
  #reopen(path: string): void {
    const { forget, reopen } = resetLoop(this.#plan, this.#steps, path);
    const taken = forget.map((gone) => ({ ...blank(gone), forgotten: true as const }));
    this.#unwritten.push(...taken, ...reopen);
    this.#restore(fold([...taken, ...reopen], this.#steps));
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
    return this.#outside.clock.now().toISOString();
  }
}

function blank(path: string): JournalRecord {
  return { path, node: path.slice(path.lastIndexOf(".") + 1), status: "ready", attempts: 0 };
}
