/** Tests a folder before it is applied: nothing is stored, and no external system is called. */
import Type from "typebox";
import {
  findExpectationErrors,
  Fixture,
  FixtureResult,
  readFixture,
  readFixtureFacts,
  rehearseFixtures,
} from "#domains/runs/index.ts";
import {
  type Definition,
  findStructureErrors,
  PackDefinition,
  parseExpressions,
  WorkflowsRead,
  WorkflowsWrite,
} from "#domains/workflows/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { assertNoErrors } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, nullable, object } from "#kernel/schema/schema.ts";
import { PackArtifact } from "../../artifacts/pack.ts";
import { contextValues } from "../../execution/context-values.ts";
import { linkNewest, type LinkModules } from "../../modules/linked-modules.ts";
import { ArtifactsWrite } from "../../permissions.ts";
import { NewTestCaseBody, TEST_CASES_MAX, TestResult } from "../../tests/test-case.ts";
import { testUnsavedArtifact } from "../../tests/unsaved-artifact.ts";
import {
  listItems,
  listSources,
  openReads,
  replaceTexts,
  StandInIds,
  toReferences,
} from "./names.ts";
import { TooManyItems } from "./project.ts";

const BODY_BYTES_MAX = 16 * 1_048_576;
const FIXTURES_MAX = 200;

export const getFixture = query({
  id: "code.fixture",
  route: "GET /api/v1/code/fixture",
  summary: "Get a run as a test fixture",
  description:
    "For completed and failed runs, if you can view their input and output. Returns the outputs of the steps, without secrets, and with names instead of ids, as in folders.",
  permission: WorkflowsRead,
  environmentScoped: true,
  query: object({ runId: id("run") }),
  response: item(Fixture),
  fails: [TooManyItems],
  example: { query: { runId: "run_01jd0000000000000000000000" } },
  prepare: async (platform, _input, caller) => ({
    references: await readReferences(platform, caller),
    facts: await readFixtureFacts(platform, caller),
  }),
  run: async (ctx, { query: { runId } }, { references, facts }) =>
    replaceTexts(await readFixture(ctx, runId, facts), references),
});

export const testWorkflowDefinition = query({
  id: "code.test_workflow",
  route: "POST /api/v1/code/test-workflow",
  summary: "Test a definition with fixtures",
  description:
    "Runs each fixture through the definition in memory, like a rehearsal: steps that calculate run again; steps that call other systems or wait return their recorded output. Resources in the definition do not have to exist. `result` is null for fixtures that exceeded the time limit.",
  permission: WorkflowsWrite,
  environmentScoped: true,
  body: object({
    definition: PackDefinition,
    fixtures: Type.Array(Fixture, { minItems: 1, maxItems: FIXTURES_MAX }),
  }),
  bodyBytesMax: BODY_BYTES_MAX,
  longRunning: true,
  response: item(
    Type.Object(
      {
        results: Type.Array(nullable(FixtureResult), {
          description: "In the order of the fixtures",
        }),
      },
      { title: "FixtureResults" },
    ),
  ),
  fails: [TooManyItems],
  example: {
    body: {
      definition: { name: "Greet", trigger: { type: "manual" }, nodes: [], edges: [] },
      fixtures: [
        {
          workflow: "Greet",
          triggerType: "manual",
          trigger: { type: "manual", input: null },
          createdAt: "2026-10-01T08:00:00.000Z",
          status: "completed",
          definition: { name: "Greet", trigger: { type: "manual" }, nodes: [], edges: [] },
          steps: {},
        },
      ],
    },
  },
  async prepare(platform, { body }, caller) {
    const ids = new StandInIds(await readReferences(platform, caller));
    const definition: unknown = ids.enter(body.definition);
    await parseExpressions(platform, definition);
    const errors = findStructureErrors(platform, definition);
    assertNoErrors(errors.map((error) => ({ ...error, path: `/definition${error.path}` })));
    // It was validated above.
    const checked = definition as Definition;
    assertNoErrors(findExpectationErrors(platform, checked, body.fixtures));
    const results = await rehearseFixtures(platform, caller, {
      definition: checked,
      fixtures: ids.enter(body.fixtures),
    });
    return ids.leave(results.map((result) => result ?? null));
  },
  run: async (_ctx, _input, results) => ({ results }),
});

export const testArtifactSource = query({
  id: "code.test_artifact",
  route: "POST /api/v1/code/test-artifact",
  summary: "Run test cases with an unsaved artifact",
  description:
    "Like the test cases of a saved artifact: mocks of the case answer calls of the context, and calls without a mock fail.",
  permission: ArtifactsWrite,
  environmentScoped: true,
  body: object({
    artifact: PackArtifact,
    cases: Type.Array(NewTestCaseBody, { minItems: 1, maxItems: TEST_CASES_MAX }),
  }),
  bodyBytesMax: BODY_BYTES_MAX,
  longRunning: true,
  response: item(
    Type.Object({ results: Type.Array(TestResult) }, { title: "ArtifactTestResults" }),
  ),
  example: {
    body: {
      artifact: {
        key: "shop/double",
        name: "double",
        artifactType: "workflow_node",
        detail: { scriptSource: "return { n: input.n * 2 };" },
      },
      cases: [{ name: "doubles", inputPayload: { n: 2 }, expected: { n: 4 } }],
    },
  },
  async prepare(platform, { body: { artifact, cases } }, caller) {
    const { disconnected, workspace } = caller;
    const link: LinkModules = (sources, unsaved) =>
      platform.db.read(partitionOfCaller(caller), (tx) => linkNewest(tx, sources, unsaved));
    const facts = await contextValues(platform, caller);
    const host = { sandbox: platform.sandbox, link, owner: workspace?.key, facts, disconnected };
    return testUnsavedArtifact(host, { artifact, cases });
  },
  run: async (_ctx, _input, results) => ({ results }),
});

async function readReferences(
  platform: Platform,
  caller: Caller,
): Promise<ReadonlyMap<string, string>> {
  const context = { services: platform, caller };
  const { readable } = listSources(context);
  return toReferences(await listItems(context, readable, openReads(platform, caller)));
}
