import { isDeepStrictEqual } from "node:util";
import {
  DURATION_MS_MAX,
  nodeAt,
  type ExecutionPlan,
  parsePath,
  type PlanNode,
} from "#domains/workflows/index.ts";
import { Clock } from "#kernel/clock.ts";
import type { JournalRecord } from "../engine/journal-record.ts";
import type { MockedStep, RecordedOutcomes } from "../steps/mocked-steps.ts";

/** Functions that return another value on each call. */
const CHANGING = /\$(?:now|millis|random|shuffle)\b/;

/** A clock that returns the time at which the rehearsed step was executed. */
export class RecordedClock extends Clock {
  atMs = 0;

  override nowMs(): number {
    return this.atMs;
  }
}

interface RecordedRun {
  readonly steps: ReadonlyMap<string, JournalRecord>;
  /** The plan of the recorded version. Undefined if that version was deleted. */
  readonly plan: ExecutionPlan | undefined;
  readonly createdAtMs: number;
}

/**
 * Recorded outcomes of a run, used for the steps of another definition. Computing steps are executed again. Steps
 * with effects or waits return their recorded outcome; without one the rehearsal stops.
 */
export class RecordedSteps implements RecordedOutcomes {
  /** The step that has no recorded outcome. */
  missing: string | undefined;
  /** A step that had lost a race, and does not end in the rehearsal either. */
  held: string | undefined;
  readonly #run: RecordedRun;
  readonly #clock: RecordedClock;
  readonly #stop: () => void;

  constructor(run: RecordedRun, clock: RecordedClock, stop: () => void) {
    this.#run = run;
    this.#clock = clock;
    this.#stop = stop;
  }

  find(node: PlanNode, { path, at }: { readonly path: string; readonly at: string }) {
    const record = this.#run.steps.get(path);
    const { startedAt } = record ?? {};
    this.#clock.atMs = startedAt === undefined ? this.#run.createdAtMs : Date.parse(startedAt);
    const before = this.#run.plan && nodeAt(this.#run.plan.graph, path);
    // Iterations have their own outcomes.
    if (node.forEach || node.type.iterates) return undefined;
    if (node.type.effect === "pure") {
      if (!record || !before || !isUnchanged(before, node)) return undefined;
      return CHANGING.test(JSON.stringify(node.config)) ? toOutcome(record, at) : undefined;
    }
    if (record?.status === "cancelled" && isRacing(this.#run.plan, path)) {
      this.held ??= path;
      const untilMs = this.#clock.atMs + DURATION_MS_MAX;
      const wait = { kind: "delay" as const, untilMs };
      return { ...NOTHING_GIVEN, log: noteAt(at), outcome: { result: { wait } } };
    }
    const isOther = before !== undefined && before.type.type !== node.type.type;
    const outcome = record && !isOther ? toOutcome(record, at) : undefined;
    if (outcome) return outcome;
    this.missing ??= path;
    this.#stop();
    const error = { code: "not_recorded", message: "The step has no recorded output." };
    return {
      ...NOTHING_GIVEN,
      log: noteAt(at),
      outcome: { error: { ...error, retryable: false } },
    };
  }
}

const NOTHING_GIVEN = { isGiven: false } as const;

function isRacing(plan: ExecutionPlan | undefined, path: string): boolean {
  return parsePath(path).iterations.some(
    (loop) => plan && nodeAt(plan.graph, loop.path)?.type.races,
  );
}

function isUnchanged(before: PlanNode, after: PlanNode): boolean {
  return before.type.type === after.type.type && isDeepStrictEqual(before.config, after.config);
}

function toOutcome(record: JournalRecord, at: string): MockedStep | undefined {
  const { status, output, error, branch, page } = record;
  const log = noteAt(at);
  // An ignored failure is a completed step with an error.
  if (error && (status === "failed" || status === "completed")) {
    return { ...NOTHING_GIVEN, log, outcome: { error: { ...error, retryable: false } } };
  }
  if (status !== "completed") return undefined;
  const chosen = { ...(branch !== undefined && { branch }), ...(page && { page }) };
  return { ...NOTHING_GIVEN, log, outcome: { result: { output: output ?? null, ...chosen } } };
}

function noteAt(at: string): MockedStep["log"] {
  return { at, level: "info", message: "Returned the recorded output." };
}
