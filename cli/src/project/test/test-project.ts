/**
 * Tests a folder before it is applied: workflows with recorded runs, artifacts with their test cases. It needs no
 * server and calls no external systems.
 */
import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Schemas } from "@millrace/client";
import { parse } from "yaml";
import { CommandError } from "../../usage.ts";
import { type Project, readProject } from "../files.ts";
import {
  type Expectation,
  type ExpectedSteps,
  readFixtures,
  type Recorded,
  writeFixture,
} from "./fixture.ts";
import type { Tested, Tester, WorkflowResult } from "./tester.ts";

/** One test and its result. */
export interface TestedCase {
  /** Such as `workflows/Greet`. */
  readonly thing: string;
  readonly name: string;
  readonly path: string;
  readonly passed: boolean;
  /** Why it failed, as lines. */
  readonly reasons: readonly string[];
  /** True if the fixture was updated. */
  readonly updated?: boolean;
}

export interface TestOptions {
  /** The name of a resource, or a part of it. */
  readonly only: string | undefined;
  /** Updates the expectations to the actual results. */
  readonly isUpdate: boolean;
}

/** Runs all tests of a folder with a tester for its resources. */
export async function testProject(
  openTester: (items: Project["items"]) => Promise<Tester>,
  folder: string,
  options: TestOptions,
): Promise<TestedCase[]> {
  const project = await readProject(folder);
  const tester = await openTester(project.items);
  const results: TestedCase[] = [];
  try {
    results.push(...(await testWorkflows(tester, project, { folder, ...options })));
    results.push(...(await testArtifacts(tester, project, options)));
  } finally {
    await tester.close();
  }
  if (results.length === 0) {
    throw new CommandError(`No tests in ${folder}. Record one with: millrace fixture RUN-ID`, 2);
  }
  return results;
}

interface Workflow {
  readonly key: string;
  readonly definition: { readonly name: string };
}

async function testWorkflows(
  tester: Tester,
  { items }: Project,
  { folder, only, isUpdate }: TestOptions & { readonly folder: string },
): Promise<TestedCase[]> {
  const results: TestedCase[] = [];
  const fixtures = readFixtures(folder).filter(
    ({ fixture, path }) => only === undefined || fixture.workflow === only || path.includes(only),
  );
  for (const { path, fixture } of fixtures) {
    const thing = `workflows/${fixture.workflow}`;
    const name = path.replace(/^.*[\\/]|\.json$/g, "");
    const about = { thing, name, path };
    const workflow = (items["workflows"] as Workflow[] | undefined)?.find(
      ({ key, definition }) => key === fixture.workflow || definition.name === fixture.workflow,
    );
    if (!workflow) {
      const reasons = [`The workflow ${fixture.workflow} is not in the folder.`];
      results.push({ ...about, passed: false, reasons });
      continue;
    }
    const { reasons, result } = await testWorkflow(tester, workflow, fixture);
    if (isUpdate && reasons.length > 0 && result && result.status !== null) {
      writeFixture(path, { ...fixture, expect: toExpectation(result, fixture.expect) });
      results.push({ ...about, passed: true, reasons: [], updated: true });
    } else results.push({ ...about, passed: reasons.length === 0, reasons });
  }
  return results;
}

type Result = WorkflowResult;
type Difference = NonNullable<Result["difference"]>;

async function testWorkflow(
  tester: Tester,
  { definition }: Workflow,
  fixture: Recorded,
): Promise<{ readonly reasons: readonly string[]; readonly result?: Result | null }> {
  const tested = await tester.testWorkflow(definition, [fixture]);
  if ("errors" in tested) return { reasons: describeErrors(tested) };
  const [result = null] = tested.results;
  if (!result) return { reasons: ["Timed out."] };
  const { expect } = fixture;
  return { result, reasons: expect ? compareExpected(expect, result) : compareRecorded(result) };
}

/** The actual result, limited to the steps of the earlier expectation. */
function toExpectation({ status, output, steps }: Result, before: Expectation = {}): Expectation {
  const named = Object.entries(before.steps ?? {}).flatMap(([id, wanted]) => {
    const step = steps[id];
    if (!step) return [];
    const kept = Object.entries(step).filter(([field]) => Object.hasOwn(wanted, field));
    return [[id, Object.fromEntries(kept)]];
  });
  return {
    ...(status !== null && { status }),
    output,
    ...(before.steps && { steps: Object.fromEntries(named) as ExpectedSteps }),
  };
}

function compareExpected(expect: Expectation, result: Result): string[] {
  const { status, output, difference } = result;
  const steps = Object.entries(expect.steps ?? {}).flatMap(([id, wanted]) =>
    compareStep(id, wanted, result.steps[id]),
  );
  const isEnd = expect.status === undefined || status === expect.status;
  const isOutput = !Object.hasOwn(expect, "output") || isDeepStrictEqual(output, expect.output);
  if (isEnd && isOutput) return steps;
  if (status === null) return [...steps, ...describeResult(result)];
  if (!isEnd) {
    const why = difference ? describeDifference(difference) : [];
    return [...steps, `expected status ${expect.status}, got ${status}`, ...why];
  }
  return [...steps, ...describeExpected("output", expect.output, output)];
}

function compareStep(
  id: string,
  wanted: ExpectedSteps[string],
  step: Result["steps"][string] | undefined,
): string[] {
  const isReached = step && (step.status !== "skipped" || wanted.status === "skipped");
  if (!isReached) return [`${id}: expected, but it is not reached`];
  return (["status", "branch", "output"] as const).flatMap((field) =>
    !Object.hasOwn(wanted, field) || isDeepStrictEqual(wanted[field] ?? null, step[field])
      ? []
      : describeExpected(`${id} ${field}`, wanted[field], step[field]),
  );
}

function describeExpected(place: string, wanted: unknown, got: unknown): string[] {
  return [`${place}:`, `  - expected ${show(wanted)}`, `  + got      ${show(got)}`];
}

function compareRecorded(result: Result): string[] {
  return result.verdict === "same" ? [] : describeResult(result);
}

const VERDICTS: Readonly<Record<Result["verdict"], string>> = {
  same: "Same result as the recorded run.",
  other_branch: "The run takes a different path.",
  other_output: "A step returns or sends different data.",
  would_fail: "The run would fail.",
  needs_outcome: "A step has no recorded result. Record a run in which this step completed.",
};

function describeResult({ verdict, difference }: Result): string[] {
  return [VERDICTS[verdict], ...(difference ? describeDifference(difference) : [])];
}

/** The first different step, with both values. */
function describeDifference(difference: Difference): string[] {
  const { stepId, kind, path, before, after } = difference;
  const place = stepId === null ? kind : `${stepId} ${kind}`;
  return [
    `${place}${path === "" ? "" : ` ${path}`}:`,
    `  - recorded ${show(before)}`,
    `  + now      ${show(after)}`,
  ];
}

interface ArtifactCase {
  readonly name: string;
  readonly inputPayload: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly mocks?: Readonly<Record<string, unknown>>;
}

/** The test cases of `discount.yaml` are in `discount.test.yaml`. */
async function testArtifacts(
  tester: Tester,
  { items, paths }: Project,
  { only }: TestOptions,
): Promise<TestedCase[]> {
  const results: TestedCase[] = [];
  for (const [index, artifact] of (items["artifacts"] ?? []).entries()) {
    const { key, name } = artifact as { readonly key?: string; readonly name?: string };
    const thing = `artifacts/${key ?? name ?? index}`;
    const path = (paths["artifacts"]?.[index] ?? "").replace(/\.\w+$/, ".test.yaml");
    if (!existsSync(path) || (only !== undefined && !thing.includes(only))) continue;
    const cases = readCases(path);
    const tested = await tester.testArtifact(artifact, cases);
    if ("errors" in tested) {
      const reasons = describeErrors(tested);
      results.push(
        ...cases.map((one) => ({ thing, path, name: String(one.name), passed: false, reasons })),
      );
    } else
      results.push(...tested.results.map((result) => ({ thing, path, ...toTestedCase(result) })));
  }
  return results;
}

function toTestedCase({ name, passed, diff, runtimeError }: Schemas["ArtifactTestResult"]) {
  const fault = runtimeError ? [`${runtimeError.name}: ${runtimeError.message}`] : [];
  const differences = diff.map(
    ({ path, expected, actual }) =>
      `${path === "" ? "output" : path}: expected ${show(expected)}, got ${show(actual)}`,
  );
  return { name, passed, reasons: passed ? [] : [...fault, ...differences] };
}

function readCases(path: string): readonly ArtifactCase[] {
  const cases: unknown = parse(readFileSync(path, "utf8"));
  if (!Array.isArray(cases)) throw new CommandError(`${path} must be a list of test cases.`, 2);
  return cases as readonly ArtifactCase[];
}

function describeErrors({ errors }: Extract<Tested<never>, { errors: unknown }>): string[] {
  return errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
}

const VALUE_CHARACTERS_MAX = 300;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}
