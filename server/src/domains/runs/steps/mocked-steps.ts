import {
  agentTurn,
  branchLabels,
  parsePath,
  repeatCheck,
  type PlanNode,
  type StepError,
  TIMEOUT_BRANCH,
  toNodeKey,
} from "#domains/workflows/index.ts";
import type { StepLogLine } from "../engine/journal-record.ts";
import type { TestRun } from "../engine/run-context.ts";
import type { StepResult } from "./executor.ts";

/** The mock of a step in a test run. */
export interface MockedStep {
  readonly log: StepLogLine;
  readonly outcome:
    | { readonly result: StepResult; readonly input?: unknown }
    | { readonly error: StepError };
  /** The test names the step, so its configuration can be invalid. */
  readonly isGiven: boolean;
}

/** The outcomes of an ended run, for rehearsing another definition. */
export interface RecordedOutcomes {
  /** The recorded outcome of a step. Undefined if the step is computed. */
  readonly find: (
    node: PlanNode,
    step: { readonly path: string; readonly at: string },
  ) => MockedStep | undefined;
}

/** Finds the mock of a step. A test run does not execute steps that wait, have external effects or have a mock. */
export function findMock(
  test: TestRun,
  node: PlanNode,
  { path, at }: { readonly path: string; readonly at: string },
): MockedStep | undefined {
  // Each item has its own mock.
  if (node.forEach || node.type.type === repeatCheck.type) return undefined;
  const names = [toNodeKey(path), node.id];
  const error = findMember(test.errors, names);
  const mock = findMember(test.mocks, names);
  const isGiven = error !== undefined || mock !== undefined;
  if (node.type.effect === "pure" && !isGiven) return undefined;
  const log = { at, level: "info" as const, message: "Not performed, because this is a dry run." };
  if (!error)
    return { log, isGiven, outcome: toOutcome(node, mockedValue(node, path, mock?.value)) };
  const { code = "mocked_error", ...rest } = error.value;
  return { log, isGiven, outcome: { error: { code, ...rest, retryable: false } } };
}

/** The mocked output. For agent iterations a list contains one output per iteration. */
function mockedValue(node: PlanNode, path: string, value: unknown): unknown {
  if (node.type.type !== agentTurn.type || !Array.isArray(value)) return value ?? null;
  return (value as readonly unknown[])[parsePath(path).iterations.at(-1)?.index ?? 0] ?? null;
}

function findMember<T>(
  all: Readonly<Record<string, T>> = {},
  names: readonly string[],
): { readonly value: T } | undefined {
  const name = names.find((one) => Object.hasOwn(all, one));
  // The name is one of the keys.
  return name === undefined ? undefined : { value: all[name] as T };
}

/** The mocked output. The branch is derived from it. */
function toOutcome(node: PlanNode, output: unknown): MockedStep["outcome"] {
  const { type, config } = node;
  if (type.iterates && !type.repeats && !type.races && Array.isArray(output)) {
    const { as } = config;
    return { input: { items: output, ...(as !== undefined && { as }) }, result: { items: output } };
  }
  if (type.branches === "none") return { result: { output } };
  return { result: { output, branch: mockedBranch(node, output) } };
}

function mockedBranch({ type, config }: PlanNode, output: unknown): string {
  if (type.effect === "pure") {
    const branches = branchLabels(type, config);
    const text = typeof output === "string" ? output : JSON.stringify(output);
    if (branches.includes(text)) return text;
    return branches.includes("default") ? "default" : String(Boolean(output));
  }
  const { approved = true, timedOut = false } = Object(output) as {
    readonly approved?: boolean;
    readonly timedOut?: boolean;
  };
  if (type.takesCalls) return timedOut ? TIMEOUT_BRANCH : (branchLabels(type, config)[0] ?? "");
  return approved ? "approved" : "rejected";
}
