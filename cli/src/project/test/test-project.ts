/**
 * Tests what a folder has before it is applied: workflows with recorded runs, artifacts with the cases beside them. The
 * server carries it out, since the interpreter, the expressions and the sandbox are its own; it keeps nothing of it, and
 * nothing outside is reached.
 */
import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { ApiError, type Client, type Schemas } from "@millrace/client";
import { parse } from "yaml";
import { CommandError } from "../../usage.ts";
import { type Project, readProject } from "../files.ts";
import { type FixtureFile, readFixtures, writeFixture } from "./fixture.ts";

/** One test and how it went. */
export interface TestedCase {
  /** Such as `workflows/Greet`. */
  readonly thing: string;
  readonly name: string;
  readonly path: string;
  readonly passed: boolean;
  /** Why it did not pass, line by line. */
  readonly reasons: readonly string[];
  /** True where the fixture was written anew. */
  readonly updated?: boolean;
}

export interface TestOptions {
  /** The name of one thing, or a part of it. */
  readonly only: string | undefined;
  /** Takes what comes out for what is wanted. */
  readonly isUpdate: boolean;
}

/** Runs all tests of a folder. */
export async function testProject(
  client: Client,
  folder: string,
  options: TestOptions,
): Promise<TestedCase[]> {
  const project = await readProject(folder);
  const results = [
    ...(await testWorkflows(client, project, { folder, ...options })),
    ...(await testArtifacts(client, project, options)),
  ];
  if (results.length === 0) {
    throw new CommandError(
      `There are no tests in ${folder}; begin with: millrace fixture RUN-ID`,
      2,
    );
  }
  return results;
}

interface Workflow {
  readonly key: string;
  readonly definition: { readonly name: string };
}

async function testWorkflows(
  client: Client,
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
      const reasons = [`The folder has no workflow ${fixture.workflow}.`];
      results.push({ ...about, passed: false, reasons });
      continue;
    }
    const { reasons, result } = await testWorkflow(client, workflow, fixture);
    if (isUpdate && reasons.length > 0 && result && result.status !== null) {
      const expect = { status: result.status, output: result.output };
      writeFixture(path, { ...fixture, expect });
      results.push({ ...about, passed: true, reasons: [], updated: true });
    } else results.push({ ...about, passed: reasons.length === 0, reasons });
  }
  return results;
}

type Results = Awaited<ReturnType<Client["code"]["test_workflow"]>>["data"]["results"];
type Result = NonNullable<Results[number]>;
type Difference = NonNullable<Result["difference"]>;

async function testWorkflow(
  client: Client,
  { definition }: Workflow,
  { expect, ...fixture }: FixtureFile,
): Promise<{ readonly reasons: readonly string[]; readonly result?: Result | null }> {
  try {
    const { data } = await client.code.test_workflow({
      body: { definition: definition as never, fixtures: [fixture] },
    });
    const [result = null] = data.results;
    if (!result) return { reasons: ["It took too long."] };
    return { result, reasons: expect ? compareExpected(expect, result) : compareRecorded(result) };
  } catch (error) {
    return { reasons: refusalOf(error) };
  }
}

function compareExpected(expect: NonNullable<FixtureFile["expect"]>, result: Result): string[] {
  const { status, output, difference } = result;
  if (status === expect.status && isDeepStrictEqual(output, expect.output)) return [];
  if (status === null) return describeResult(result);
  if (status !== expect.status) {
    const why = difference ? [describeDifference(difference)] : [];
    return [`expected it to be ${expect.status}, it would be ${status}`, ...why];
  }
  return [`output: expected ${show(expect.output)}, got ${show(output)}`];
}

function compareRecorded(result: Result): string[] {
  return result.verdict === "same" ? [] : describeResult(result);
}

const VERDICTS: Readonly<Record<Result["verdict"], string>> = {
  same: "It goes as it did.",
  other_branch: "It takes another way.",
  other_output: "It gives or sends something else.",
  would_fail: "It would fail.",
  needs_outcome: "A step has no recorded outcome: record a run that has one.",
};

function describeResult({ verdict, difference }: Result): string[] {
  return [VERDICTS[verdict], ...(difference ? [describeDifference(difference)] : [])];
}

function describeDifference(difference: Difference): string {
  const { stepId, kind, path, before, after } = difference;
  const place = stepId === null ? kind : `${stepId} ${kind}`;
  return `${place}${path === "" ? "" : ` ${path}`}: recorded ${show(before)}, now ${show(after)}`;
}

interface ArtifactCase {
  readonly name: string;
  readonly inputPayload: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly mocks?: Readonly<Record<string, unknown>>;
}

/** The cases of an artifact lie beside it: `discount.yaml` has those in `discount.test.yaml`. */
async function testArtifacts(
  client: Client,
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
    try {
      const { data } = await client.code.test_artifact({
        body: { artifact: artifact as never, cases: cases as never },
      });
      results.push(...data.results.map((result) => ({ thing, path, ...toTestedCase(result) })));
    } catch (error) {
      const reasons = refusalOf(error);
      results.push(
        ...cases.map((one) => ({ thing, path, name: one.name, passed: false, reasons })),
      );
    }
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

/** What the server refused is a test that failed; anything else is none. */
function refusalOf(error: unknown): string[] {
  if (!(error instanceof ApiError) || error.status !== 422) throw error;
  const problems = error.errors.map(({ path, message }) => `${path}: ${message}`);
  return problems.length > 0 ? problems : [error.message];
}

const VALUE_CHARACTERS_MAX = 300;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}
