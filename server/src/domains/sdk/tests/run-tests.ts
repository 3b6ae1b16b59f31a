import { isDeepStrictEqual } from "node:util";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure, Invalid } from "#kernel/operation/failure.ts";
import type { Execution, HostMethod } from "#kernel/sandbox/sandbox.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import type { Outcome } from "../execution/execution.ts";
import { runArtifact } from "../execution/run-artifact.ts";
import type { Mock, Mocks, TestCase, TestResult } from "./test-case.ts";

/** What an outcome has that was not expected, and the other way round. */
interface Difference {
  /** A JSON pointer into the output. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

const DIFFERENCES_MAX = 100;

/** Every place where two JSON values differ, by its path. */
function differencesOf(expected: unknown, actual: unknown): Difference[] {
  const found: Difference[] = [];
  compare(found, "", expected, actual);
  return found;
}

function compare(found: Difference[], path: string, expected: unknown, actual: unknown): void {
  if (found.length >= DIFFERENCES_MAX || Object.is(expected, actual)) return;
  const [mine, theirs] = [membersOf(expected), membersOf(actual)];
  if (!mine || !theirs || Array.isArray(expected) !== Array.isArray(actual)) {
    found.push({ path, expected: expected ?? null, actual: actual ?? null });
    return;
  }
  for (const name of [...new Set([...mine.keys(), ...theirs.keys()])].toSorted()) {
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    compare(found, at, mine.get(name), theirs.get(name));
  }
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}

/** All of them together, beyond which those that are left count as failed. */
const TOGETHER_MS = 120_000;

const Unmocked = failure("not_mocked", 409, "No mock stands in for this call.");
const Mocked = failure("mocked_failure", 500, "The mock says that the call fails.");

/** Runs the cases one after another, each with its mocks in place of the world. */
export async function runAll(
  platform: Platform,
  caller: Caller,
  { artifact, cases }: { readonly artifact: Artifact; readonly cases: readonly TestCase[] },
): Promise<TestResult[]> {
  const time = AbortSignal.timeout(TOGETHER_MS);
  const signal = caller.disconnected ? AbortSignal.any([caller.disconnected, time]) : time;
  const results: TestResult[] = [];
  for (const testCase of cases) {
    results.push(await runOne(platform, { artifact, caller, testCase, signal }));
  }
  return results;
}

interface Trial {
  readonly artifact: Artifact;
  readonly caller: Caller;
  readonly testCase: TestCase;
  readonly signal: AbortSignal;
}

async function runOne(
  platform: Platform,
  { artifact, caller, testCase, signal }: Trial,
): Promise<TestResult> {
  const { id: testCaseId, name, inputPayload: input, expected, mocks } = testCase;
  const about = { testCaseId, name };
  try {
    const { outcome, durationMs } = await runArtifact(platform, {
      artifact,
      caller,
      input,
      triggerType: "test",
      signal,
      serve: servedBy(mocks),
    });
    const diff = judge(expected, outcome);
    return {
      ...about,
      passed: diff.length === 0,
      durationMs,
      diff,
      runtimeError: outcome.runtimeError,
    };
  } catch (error) {
    // An input that the artifact does not take, and a test that came too late: its own fault.
    const told = signal.aborted
      ? new Failure(Invalid, { detail: "The tests took too long." })
      : error;
    if (!(told instanceof Failure) || told.type !== Invalid) throw error;
    const { name: kind, message } = told;
    const diff = [{ path: "", expected, actual: null }];
    return { ...about, passed: false, durationMs: 0, diff, runtimeError: { name: kind, message } };
  }
}

/** What was expected is an output, unless it says that the script should fail or abort. */
function judge(expected: TestCase["expected"], outcome: Outcome): Difference[] {
  const names = Object.keys(expected);
  if (isDeepStrictEqual(names, ["runtimeError"])) {
    const wanted = Object(expected["runtimeError"]) as Readonly<Record<string, unknown>>;
    const actual = Object(outcome.runtimeError) as Readonly<Record<string, unknown>>;
    const told = Object.fromEntries(Object.keys(wanted).map((key) => [key, actual[key] ?? null]));
    return differencesOf(expected, { runtimeError: told });
  }
  if (isDeepStrictEqual(names, ["abortReason"])) {
    return differencesOf(expected, { abortReason: outcome.abortReason });
  }
  const { runtimeError, aborted, abortReason, output } = outcome;
  if (runtimeError) return [{ path: "", expected, actual: { runtimeError } }];
  if (aborted) return [{ path: "", expected, actual: { abortReason } }];
  return differencesOf(expected, output);
}

function servedBy(mocks: Mocks): Execution["call"] {
  return async (method: HostMethod, args) => {
    const mock = mocks[method]?.find((one) => fits(one, args));
    if (!mock) throw new Failure(Unmocked, { detail: `No mock stands in for ${method}.` });
    if (mock.throws !== undefined) throw new Failure(Mocked, { detail: mock.throws });
    return mock.returns ?? null;
  };
}

function fits({ args: wanted }: Mock, args: readonly unknown[]): boolean {
  return wanted === undefined || isDeepStrictEqual(wanted, args.slice(0, wanted.length));
}
