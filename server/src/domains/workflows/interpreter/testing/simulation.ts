import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { ExecutionPlan, PlanNode } from "../../definition/index.ts";
import {
  advance,
  afterFailure,
  startProgress,
  nextDecision,
  type RunDecision,
  nodeAt,
  type RunResult,
  type Progress,
  type Reset,
  resetLoop,
  type StepRecord,
  type Stop,
} from "../index.ts";
import { type Behaviour, pick, randomFrom } from "./chance.ts";
import { toComparable } from "./notation.ts";

const STARTED = ["running", "running", "ready", "waiting", "paused"] as const;

/** Simulates one run to its end, in an order that depends on the seed. */
export class Simulation {
  readonly journal = new Map<string, StepRecord>();
  readonly #plan: ExecutionPlan;
  readonly #behave: (path: string, node: PlanNode) => Behaviour;
  readonly #random: (below: number) => number;
  /** How many of 10 possible decisions are applied immediately. */
  readonly #prompt: number;
  #progress: Progress;
  #changes: StepRecord[] = [];
  #stop: Stop | undefined;

  constructor(
    plan: ExecutionPlan,
    behave: (path: string, node: PlanNode) => Behaviour,
    { seed, prompt }: { seed: number; prompt: number },
  ) {
    this.#plan = plan;
    this.#behave = behave;
    this.#random = randomFrom(seed);
    this.#prompt = prompt;
    this.#progress = startProgress(plan);
  }

  /** Whether the run was stopped before its end. */
  get isStopped(): boolean {
    return this.#stop !== undefined;
  }

  /** Runs to the end. `stop` stops the run after this number of rounds. */
  run(stop?: { after: number; as: Stop }): RunResult {
    for (let round = 0; round < 20_000; round += 1) {
      if (round === stop?.after) this.#stop = stop.as;
      const decision = this.#decide();
      if (decision.result) {
        expect(decision.start).toEqual([]);
        this.#apply(decision, () => true);
        return decision.result;
      }
      const live = [...this.journal.values()].filter(({ status, path, items }) => {
        const isLeaf = items === undefined || status !== "running";
        return isLive(status) && isLeaf && !this.#isInFinishedLoop(path);
      });
      const decided = Object.values(decision).flat().length - 1;
      // Detects a run that cannot continue.
      if (decided + live.length === 0) throw new Error("The run hangs.");
      const promptly = live.length === 0 ? 10 : this.#prompt;
      this.#apply(decision, () => this.#random(10) < promptly);
      // A record that was just cancelled cannot proceed.
      const left = live.filter((record) => this.journal.get(record.path) === record);
      if (left.length > 0) this.#proceed(pick(left, this.#random(1_000)));
    }
    throw new Error("The run does not end.");
  }

  /** Continues after a retry dropped records, like after a restart of the process. */
  retry(reset: Reset): void {
    this.#stop = undefined;
    this.#takeBack(reset);
  }

  #takeBack({ forget, reopen }: Reset): void {
    for (const path of forget) this.journal.delete(path);
    for (const record of reopen) this.journal.set(record.path, record);
    this.#progress = startProgress(this.#plan);
    this.#changes = [...this.journal.values()];
  }

  #decide(): RunDecision {
    const run = this.#stop ? { stop: this.#stop } : {};
    const decision = advance(this.#progress, this.#changes, run);
    this.#changes = [];
    // The incremental decision must equal the decision from the complete journal.
    const [one, other] = [
      toComparable(decision),
      toComparable(nextDecision(this.#plan, run, this.journal)),
    ];
    // Comparing is a large part of the work here, and `expect` is slow.
    if (!isDeepStrictEqual(one, other)) expect(one).toEqual(other);
    return decision;
  }

  #apply(decision: RunDecision, now: () => boolean): void {
    const later: string[] = [];
    const at = (path: string, write: () => void): void => {
      // Records of the steps in a loop must be written before the end of the loop.
      if (now() && !later.some((other) => other.startsWith(`${path}[`))) write();
      else later.push(path);
    };
    for (const { path, node } of decision.start) {
      if (this.journal.has(path)) throw new Error(`${path} is there already.`);
      const status = pick(STARTED, this.#random(STARTED.length));
      at(path, () => this.#write({ path, node: node.id, status, attempts: 1 }));
    }
    for (const path of decision.skip) {
      if (this.journal.has(path)) throw new Error(`${path} is there already.`);
      const node = nodeAt(this.#plan.graph, path)!.id;
      at(path, () => this.#write({ path, node, status: "skipped", attempts: 0 }));
    }
    for (const path of decision.cancel) {
      at(path, () => this.#write({ ...this.journal.get(path)!, status: "cancelled" }));
    }
    const inside = (a: { path: string }, b: { path: string }) => b.path.length - a.path.length;
    for (const { path, output } of decision.complete.toSorted(inside)) {
      at(path, () => this.#write({ ...this.journal.get(path)!, status: "completed", output }));
    }
    for (const { path, cause } of decision.fail) {
      expect(this.journal.get(cause)?.status).toMatch(/failed|cancelled/);
      at(path, () => this.#fail(this.journal.get(path)!));
    }
  }

  #write(record: StepRecord): void {
    // Final records must not change.
    const before = this.journal.get(record.path);
    if (before && !isLive(before.status)) throw new Error(`${record.path} had ended.`);
    this.journal.set(record.path, record);
    this.#changes.push(record);
  }

  #proceed(record: StepRecord): void {
    const { path, status } = record;
    const node = nodeAt(this.#plan.graph, path)!;
    const { failures, branch, items } = this.#behave(path, node);
    if (record.retryAtMs !== undefined) {
      if (record.items !== undefined)
        return this.#takeBack(resetLoop(this.#plan, this.journal, path));
      const { retryAtMs: _, error: __, ...rest } = record;
      return this.#write({ ...rest, status: "running", attempts: record.attempts + 1 });
    }
    if (status === "ready") return this.#write({ ...record, status: "running" });
    if (record.attempts <= failures) return this.#fail(record);
    if (node.body) return this.#write({ ...record, status: "running", items });
    const chosen = branch === undefined ? {} : { branch };
    this.#write({ ...record, status: "completed", output: path, ...chosen });
  }

  #fail(record: StepRecord): void {
    const node = nodeAt(this.#plan.graph, record.path)!;
    const error = { code: "test", message: "as told" };
    this.#write(afterFailure(node, record, error, 0).record);
  }

  #isInFinishedLoop(path: string): boolean {
    const loops = [...path.matchAll(/\[\d+\]\./g)].map(({ index }) => path.slice(0, index));
    return loops.some((loop) => this.journal.get(loop)?.status !== "running");
  }
}

export function isLive(status: StepRecord["status"]): boolean {
  return ["ready", "running", "waiting", "paused"].includes(status);
}
