/**
 * Fixtures: recorded runs as files for testing a definition on any installation. A fixture contains the inputs and
 * outputs of the steps, and their definition.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import Type, { type Static } from "typebox";
import {
  compilePlan,
  type Definition,
  findStructureErrors,
  nodeTypesOf,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { InputTime, line, nullable, object, patch } from "#kernel/schema/schema.ts";
import { maskAddresses } from "../calls/resume-address.ts";
import type { JournalRecord } from "../engine/journal-record.ts";
import type { RecordedFacts } from "../engine/run-context.ts";
import { openStage, rehearseRun } from "./rehearse.ts";
import type { KeptRun } from "./store.ts";
import { RehearsalDifference, Verdict } from "./verdict.ts";

const STEPS_MAX = 20_000;
const STEPS_EXPECTED_MAX = 200;

const FixtureError = Type.Object(
  { code: line(200), message: Type.String(), path: Type.Optional(Type.String()) },
  { additionalProperties: true },
);

const FixtureStep = object({
  status: Type.Enum([
    "ready",
    "running",
    "waiting",
    "paused",
    "completed",
    "failed",
    "skipped",
    "cancelled",
  ]),
  input: Type.Optional(Type.Unknown()),
  output: Type.Optional(Type.Unknown()),
  branch: Type.Optional(line(300)),
  error: Type.Optional(FixtureError),
  page: Type.Optional(object({ truncated: Type.Boolean(), nextCursor: nullable(Type.String()) })),
  startedAt: Type.Optional(InputTime),
});
export type FixtureStep = Static<typeof FixtureStep>;

const FixtureRun = object(
  { id: line(100), workflowId: line(300), versionId: line(100) },
  { description: "The run in expressions" },
);

const FixtureWorkspace = object({
  id: line(100),
  slug: line(200),
  name: line(500),
  timezone: line(100),
});

const ExpectedStep = patch({
  status: FixtureStep.properties.status,
  output: Type.Unknown(),
  branch: line(300),
});

const Expectation = object(
  {
    status: Type.Optional(Type.Enum(["completed", "failed"])),
    output: Type.Optional(Type.Unknown({ description: "Output of the run" })),
    steps: Type.Optional(
      Type.Record(Type.String(), ExpectedStep, {
        maxProperties: STEPS_EXPECTED_MAX,
        description: "Outputs of steps by step path",
      }),
    ),
  },
  { description: "Expected result of the test. Default: the recorded result" },
);

/** A recorded run. */
export const Fixture = object(
  {
    workflow: line(200, "Name of the workflow"),
    triggerType: line(200),
    trigger: Type.Record(Type.String(), Type.Unknown(), { description: "Values for expressions" }),
    createdAt: InputTime,
    run: Type.Optional(FixtureRun),
    workspace: Type.Optional(FixtureWorkspace),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "Recorded connector and workflow names of the definition. Others are read during the test",
      }),
    ),
    status: Type.Enum(["completed", "failed"]),
    output: Type.Optional(Type.Unknown()),
    error: Type.Optional(FixtureError),
    definition: Type.Unknown({ description: "The definition of the run" }),
    steps: Type.Record(Type.String(), FixtureStep, {
      maxProperties: STEPS_MAX,
      description: "Recorded outputs by step path",
    }),
    expect: Type.Optional(Expectation),
  },
  { title: "WorkflowFixture" },
);
export type Fixture = Static<typeof Fixture>;

const ResultStep = Type.Object(
  {
    status: FixtureStep.properties.status,
    output: Type.Unknown(),
    branch: nullable(Type.String()),
  },
  { title: "FixtureResultStep" },
);
type ResultStep = Static<typeof ResultStep>;

/** The result of a fixture with another definition. */
export const FixtureResult = Type.Object(
  {
    verdict: Verdict,
    status: nullable(
      Type.Enum(["completed", "failed"], {
        description: "Expected final status. Null if a recorded output is missing",
      }),
    ),
    output: Type.Unknown({ description: "The resulting output" }),
    difference: nullable(RehearsalDifference),
    steps: Type.Record(Type.String(), ResultStep, {
      description: "The steps in `expect.steps`, if they would run",
    }),
  },
  { title: "FixtureResult" },
);
export type FixtureResult = Static<typeof FixtureResult>;

/** Rehearses fixtures with a validated definition. Undefined for fixtures after the time limit. */
export async function rehearseFixtures(
  platform: Platform,
  caller: Caller,
  {
    definition,
    fixtures,
  }: { readonly definition: Definition; readonly fixtures: readonly Fixture[] },
): Promise<readonly (FixtureResult | undefined)[]> {
  const stage = openStage(platform, caller, definition);
  const results: (FixtureResult | undefined)[] = [];
  for (const fixture of fixtures) {
    await yieldToEventLoop();
    if (performance.now() > stage.until) {
      results.push(undefined);
      continue;
    }
    const result = await rehearseRun(
      stage,
      toKeptRun(fixture, caller),
      compileRecorded(platform, fixture),
      { recorded: toRecordedFacts(fixture), toShown: maskAddresses },
    );
    const { verdict, statusAfter, difference } = result?.run ?? {};
    results.push(
      verdict && {
        verdict,
        status: statusAfter ?? null,
        output: result?.output ?? null,
        difference: difference ?? null,
        steps: pickSteps(fixture, result?.taken),
      },
    );
  }
  return results;
}

/** Selects the steps with expectations in a fixture. */
function pickSteps(
  { expect }: Fixture,
  taken: ReadonlyMap<string, JournalRecord> | undefined,
): Record<string, ResultStep> {
  const named = Object.keys(expect?.steps ?? {}).flatMap((path): [string, ResultStep][] => {
    const step = taken?.get(path);
    if (!step) return [];
    const { status, output = null, branch = null } = maskAddresses(step);
    return [[path, { status, output, branch }]];
  });
  return Object.fromEntries(named);
}

/** Expectations about steps that the validated definition does not have. */
export function findExpectationErrors(
  platform: Platform,
  definition: Definition,
  fixtures: readonly Pick<Fixture, "expect">[],
): FieldError[] {
  const { graph } = compilePlan(definition, nodeTypesOf(platform));
  return fixtures.flatMap(({ expect }, index) =>
    Object.keys(expect?.steps ?? {})
      .filter((path) => !hasNode(graph, path.slice(path.lastIndexOf(".") + 1)))
      .map((path) => ({
        path: `/fixtures/${index}/expect/steps/${path}`,
        message: "is not a step of this workflow",
      })),
  );
}

type Graph = ReturnType<typeof compilePlan>["graph"];

function hasNode({ nodes }: Graph, id: string): boolean {
  return nodes.some((node) => node.id === id || (node.body && hasNode(node.body, id)));
}

/** Undefined for a definition that this installation cannot compile, like for a deleted version. */
function compileRecorded(platform: Platform, { definition }: Fixture) {
  if (findStructureErrors(platform, definition).length > 0) return undefined;
  // The definition was validated just before.
  const plan = compilePlan(definition as Definition, nodeTypesOf(platform));
  return { plan, number: 0 };
}

const NOWHERE = "fixture";

function toKeptRun(fixture: Fixture, { actor }: Caller): KeptRun {
  const { triggerType, trigger, createdAt, status, output, error, steps, run } = fixture;
  return {
    id: run?.id ?? NOWHERE,
    workflowId: run?.workflowId ?? NOWHERE,
    versionId: run?.versionId ?? NOWHERE,
    triggerType,
    trigger,
    status,
    output: output ?? null,
    error: error && { code: error.code, ...(error.path !== undefined && { path: error.path }) },
    actor,
    runAs: actor.id,
    createdAt,
    lines: Object.entries(steps).map(([path, step]) => toRecord(path, step)),
  };
}

function toRecordedFacts({ workspace, variables }: Fixture): RecordedFacts {
  return { ...(workspace && { workspace }), ...(variables && { variables }) };
}

function toRecord(path: string, { error, ...step }: FixtureStep): JournalRecord {
  const node = path.slice(path.lastIndexOf(".") + 1);
  return { path, node, attempts: 1, ...step, ...(error && { error }) };
}
