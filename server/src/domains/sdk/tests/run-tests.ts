import { isDeepStrictEqual } from "node:util";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure, Invalid } from "#kernel/operation/failure.ts";
import type { Execution, HostMethod } from "#kernel/sandbox/sandbox.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import type { ExecutionOutcome } from "../execution/execution.ts";
import { runArtifact } from "../execution/run-artifact.ts";
import type { Mock, Mocks, TestCase, TestResult } from "./test-case.ts";

/** A difference between the actual and the expected output. */
interface Difference {
  /** A JSON pointer into the output. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

const DIFFERENCES_MAX = 100;

/** Finds all differences between two JSON values. */
function findDifferences(expected: unknown, actual: unknown): Difference[] {
  const found: Difference[] = [];
  compare(found, "", expected, actual);
  return found;
}

function compare(found: Difference[], path: string, expected: unknown, actual: unknown): void {
  if (found.length >= DIFFERENCES_MAX || Object.is(expected, actual)) return;
  const [expectedMembers, actualMembers] = [membersOf(expected), membersOf(actual)];
  if (!expectedMembers || !actualMembers || Array.isArray(expected) !== Array.isArray(actual)) {
    found.push({ path, expected: expected ?? null, actual: actual ?? null });
    return;
  }
  for (const name of [
    ...new Set([...expectedMembers.keys(), ...actualMembers.keys()]),
  ].toSorted()) {
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    compare(found, at, expectedMembers.get(name), actualMembers.get(name));
  }
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}

/** The timeout for all cases together. The remaining ones count as failed. */
const ALL_CASES_TIMEOUT_MS = 120_000;

const NotMocked = failure("not_mocked", 409, "This call has no mock.");
const MockedFailure = failure("mocked_failure", 500, "The mock defines that the call fails.");

/** Runs the cases of a saved artifact. */
export function executeTestCases(
  platform: Platform,
  caller: Caller,
  { artifact, cases }: { readonly artifact: Artifact; readonly cases: readonly TestCase[] },
): Promise<TestResult[]> {
  const run: RunCase = (one) =>
    runArtifact(platform, { artifact, caller, triggerType: TEST_TRIGGER, ...one });
  return runCases(run, cases, caller.disconnected);
}

/** The trigger type visible to an artifact under test. */
export const TEST_TRIGGER = "test";

/** Runs an artifact with the input of a case, and its mocks instead of host calls. */
export type RunCase = (one: {
  readonly input: unknown;
  readonly hostCall: Execution["call"];
  readonly signal: AbortSignal;
}) => Promise<{ readonly outcome: ExecutionOutcome; readonly durationMs: number }>;

/** The runnable parts of a case. */
export type RunnableCase = Pick<TestCase, "id" | "name" | "inputPayload" | "expected" | "mocks">;

/** Runs cases in sequence, each with its mocks instead of host calls. */
export async function runCases(
  run: RunCase,
  cases: readonly RunnableCase[],
  disconnected?: AbortSignal,
): Promise<TestResult[]> {
  const timeout = AbortSignal.timeout(ALL_CASES_TIMEOUT_MS);
  const signal = disconnected ? AbortSignal.any([disconnected, timeout]) : timeout;
  const results: TestResult[] = [];
  for (const testCase of cases) results.push(await runCase(run, testCase, signal));
  return results;
}

async function runCase(
  run: RunCase,
  { id: testCaseId, name, inputPayload: input, expected, mocks }: RunnableCase,
  signal: AbortSignal,
): Promise<TestResult> {
  const ref = { testCaseId, name };
  try {
    const { outcome, durationMs } = await run({ input, signal, hostCall: mockHostCalls(mocks) });
    const diff = compareOutcome(expected, outcome);
    return {
      ...ref,
      passed: diff.length === 0,
      durationMs,
      diff,
      runtimeError: outcome.runtimeError,
    };
  } catch (error) {
    // Invalid input and a timeout fail the case. Other errors are internal.
    const failure = signal.aborted
      ? new Failure(Invalid, { detail: "The tests exceeded their time limit." })
      : error;
    if (!(failure instanceof Failure) || failure.type !== Invalid) throw error;
    const { name: errorName, message } = failure;
    const diff = [{ path: "", expected, actual: null }];
    return {
      ...ref,
      passed: false,
      durationMs: 0,
      diff,
      runtimeError: { name: errorName, message },
    };
  }
}

/** Compares the output, or the expected error or abort. */
function compareOutcome(expected: TestCase["expected"], outcome: ExecutionOutcome): Difference[] {
  const names = Object.keys(expected);
  if (isDeepStrictEqual(names, ["runtimeError"])) {
    const expectedError = Object(expected["runtimeError"]) as Readonly<Record<string, unknown>>;
    const actual = Object(outcome.runtimeError) as Readonly<Record<string, unknown>>;
    const runtimeError = Object.fromEntries(
      Object.keys(expectedError).map((key) => [key, actual[key] ?? null]),
    );
    return findDifferences(expected, { runtimeError });
  }
  if (isDeepStrictEqual(names, ["abortReason"])) {
    return findDifferences(expected, { abortReason: outcome.abortReason });
  }
  const { runtimeError, aborted, abortReason, output } = outcome;
  if (runtimeError) return [{ path: "", expected, actual: { runtimeError } }];
  if (aborted) return [{ path: "", expected, actual: { abortReason } }];
  return findDifferences(expected, output);
}

function mockHostCalls(mocks: Mocks): Execution["call"] {
  return async (method: HostMethod, args) => {
    const mock = mocks[method]?.find((candidate) => matchesArgs(candidate, args));
    if (!mock) throw new Failure(NotMocked, { detail: `${method} has no mock.` });
    if (mock.throws !== undefined) throw new Failure(MockedFailure, { detail: mock.throws });
    return mock.returns ?? null;
  };
}

function matchesArgs({ args: expected }: Mock, args: readonly unknown[]): boolean {
  return expected === undefined || isDeepStrictEqual(expected, args.slice(0, expected.length));
}
