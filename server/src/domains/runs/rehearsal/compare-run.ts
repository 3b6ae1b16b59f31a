import { type ExecutionPlan, nodeAt, type PlanNode } from "#domains/workflows/index.ts";
import type { JournalRecord } from "../engine/journal-record.ts";
import { cutValue, firstDifference } from "./first-difference.ts";
import type { RehearsalDifference, Verdict } from "./verdict.ts";

/** A recorded or rehearsed run. */
export interface ComparedRun {
  readonly status: "completed" | "failed" | undefined;
  readonly output: unknown;
  readonly error?: { readonly code: string; readonly path?: string | undefined } | undefined;
  readonly steps: ReadonlyMap<string, JournalRecord>;
  readonly plan: ExecutionPlan | undefined;
}

export interface Comparison {
  readonly verdict: Verdict;
  readonly difference: RehearsalDifference | null;
}

/** Compares a rehearsed run with the recorded run. `missing` is the step without a recorded outcome. */
export function compareRuns(
  before: ComparedRun,
  after: ComparedRun,
  missing: string | undefined,
): Comparison {
  const differences = listDifferences(before, after, missing);
  const [first = null] = differences;
  const cutOff = missing !== undefined && isCutOff(before.steps.get(missing));
  // The step did not end in the recorded run either. Everything before it was the same.
  if (cutOff) return first ? { verdict: ofDifferences(differences), difference: first } : SAME;
  if (missing !== undefined) return { verdict: "needs_outcome", difference: first };
  if (differences.some(({ kind }) => kind === "outcome")) {
    return { verdict: "needs_outcome", difference: first };
  }
  if (after.status === "failed" && !failsAlike(before, after)) {
    return { verdict: "would_fail", difference: first ?? ofErrors(before, after) };
  }
  if (first) return { verdict: ofDifferences(differences), difference: first };
  const output = firstDifference(before.output, after.output);
  if (before.status === "failed" || !output) return SAME;
  const whole = { stepId: null, name: null, kind: "output" as const };
  return { verdict: "other_output", difference: { ...whole, ...output } };
}

const SAME: Comparison = { verdict: "same", difference: null };

function ofDifferences(all: readonly RehearsalDifference[]): Verdict {
  const isWay = all.some(({ kind }) => kind === "branch" || kind === "status" || kind === "error");
  return isWay ? "other_branch" : "other_output";
}

/** A step that was in flight or waiting when its run was stopped. */
function isCutOff(record: JournalRecord | undefined): boolean {
  return record !== undefined && !isEnded(record);
}

function isEnded({ status }: JournalRecord): boolean {
  return status === "completed" || status === "failed" || status === "skipped";
}

function failsAlike(before: ComparedRun, after: ComparedRun): boolean {
  return (
    before.status === "failed" &&
    before.error?.code === after.error?.code &&
    before.error?.path === after.error?.path
  );
}

function ofErrors(before: ComparedRun, after: ComparedRun): RehearsalDifference {
  const [was, is] = [toErrorValue(before), toErrorValue(after)];
  const place = { stepId: after.error?.path ?? null, name: null, kind: "error" as const };
  return { ...place, path: "", before: was, after: is };
}

function toErrorValue({ error }: ComparedRun): unknown {
  return error ? { code: error.code, path: error.path ?? null } : null;
}

/** Lists the differing steps in the order of the rehearsal, then the steps that no longer run. */
function listDifferences(
  before: ComparedRun,
  after: ComparedRun,
  missing: string | undefined,
): RehearsalDifference[] {
  const differences: RehearsalDifference[] = [];
  for (const [path, record] of after.steps) {
    const node = after.plan && nodeAt(after.plan.graph, path);
    const found = compareStep(before.steps.get(path), record, {
      node,
      isMissing: path === missing,
    });
    if (found) differences.push({ stepId: path, name: node?.name ?? null, ...found });
  }
  // Without a recorded outcome nothing after it is known.
  if (missing !== undefined) return differences;
  for (const [path, record] of before.steps) {
    const node = before.plan && nodeAt(before.plan.graph, path);
    if (after.steps.has(path) || record.status !== "completed") continue;
    if (!node || node.type.effect === "pure") continue;
    const gone = { kind: "status" as const, path: "", before: "completed", after: null };
    differences.push({ stepId: path, name: node.name ?? null, ...gone });
  }
  return differences;
}

type StepDifference = Omit<RehearsalDifference, "stepId" | "name">;

function compareStep(
  before: JournalRecord | undefined,
  after: JournalRecord,
  { node, isMissing }: { readonly node: PlanNode | undefined; readonly isMissing: boolean },
): StepDifference | undefined {
  if (isMissing) {
    if (isCutOff(before)) return undefined;
    return { kind: "outcome", path: "", before: null, after: cutValue(after.input ?? null) };
  }
  if (!before || !isEnded(before) || !isEnded(after)) return undefined;
  const [was, is] = [statusOf(before), statusOf(after)];
  if (was !== is) {
    const error = is === "failed" ? toError(after) : undefined;
    return { kind: "status", path: "", before: was, after: error ? { status: is, error } : is };
  }
  if (is === "failed" && before.error?.code !== after.error?.code) {
    return { kind: "error", path: "", before: toError(before), after: toError(after) };
  }
  if (before.branch !== after.branch) {
    const branches = { before: before.branch ?? null, after: after.branch ?? null };
    return { kind: "branch", path: "", ...branches };
  }
  if (node && node.type.effect !== "pure") return compareInputs(before, after, node);
  const output = firstDifference(before.output, after.output);
  return output && { kind: "output", ...output };
}

/** A step with a different request is assumed to get the same response. Code with a different input is not. */
function compareInputs(
  before: JournalRecord,
  after: JournalRecord,
  { type }: PlanNode,
): StepDifference | undefined {
  const input = firstDifference(before.input, after.input);
  return input && { kind: type.computesFirst ? "outcome" : "input", ...input };
}

function statusOf({ status, error }: JournalRecord): JournalRecord["status"] {
  return status === "completed" && error ? "failed" : status;
}

function toError({ error }: JournalRecord): unknown {
  return error ? { code: error.code, message: error.message } : null;
}
