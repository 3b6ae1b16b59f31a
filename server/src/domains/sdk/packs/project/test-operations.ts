/** Tests of what a folder has, before it is applied: nothing is kept, and nothing outside is reached. */
import Type, { type Static } from "typebox";
import { authorityOf } from "#domains/identity/accounts/index.ts";
import { Fixture, FixtureResult, readFixture, rehearseFixtures } from "#domains/runs/index.ts";
import {
  type Definition,
  findStructureErrors,
  PackDefinition,
  parseExpressions,
  WorkflowsRead,
  WorkflowsWrite,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { assertNoErrors } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, nullable, object } from "#kernel/schema/schema.ts";
import type { Artifact } from "../../artifacts/artifact.ts";
import { parseArtifactInput } from "../../artifacts/artifact-input.ts";
import { PackArtifact } from "../../artifacts/pack.ts";
import { ArtifactsWrite } from "../../permissions.ts";
import { executeTestCases } from "../../tests/run-tests.ts";
import { NewTestCase, TEST_CASES_MAX, TestResult } from "../../tests/test-case.ts";
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
  summary: "Read a run as a fixture: what its steps gave, by which a definition is tested",
  description:
    "Of a run that completed or failed, for those who may see its trace. It has no secrets, and names as folders have " +
    "them in the place of ids.",
  permission: WorkflowsRead,
  environmentScoped: true,
  query: object({ runId: id("run") }),
  response: item(Fixture),
  fails: [TooManyItems],
  example: { query: { runId: "run_01jd0000000000000000000000" } },
  prepare: (platform, _input, caller) => readReferences(platform, caller),
  run: async (ctx, { query: { runId } }, references) =>
    replaceTexts(await readFixture(ctx, runId), references),
});

export const testWorkflowDefinition = query({
  id: "code.test_workflow",
  route: "POST /api/v1/code/test-workflow",
  summary: "Test a definition with fixtures",
  description:
    "Each fixture goes through the definition in memory, as a rehearsal takes a kept run through it: steps that compute " +
    "are computed, those that reach outside or wait answer as they were recorded. What the definition names need not " +
    "be there. `result` is null for fixtures that there was no time for.",
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
      { results: Type.Array(nullable(FixtureResult), { description: "In the order of fixtures" }) },
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
    const results = await rehearseFixtures(platform, caller, {
      // It was checked just now.
      definition: definition as Definition,
      fixtures: ids.enter(body.fixtures),
    });
    return ids.leave(results.map((result) => result ?? null));
  },
  run: async (_ctx, _input, results) => ({ results }),
});

export const testArtifactSource = query({
  id: "code.test_artifact",
  route: "POST /api/v1/code/test-artifact",
  summary: "Run test cases with an artifact that is not saved",
  description:
    "As the test cases of a saved one are run: calls of the context are answered by the case's mocks, and fail without " +
    "one.",
  permission: ArtifactsWrite,
  environmentScoped: true,
  body: object({
    artifact: PackArtifact,
    cases: Type.Array(object(NewTestCase), { minItems: 1, maxItems: TEST_CASES_MAX }),
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
  async prepare(platform, { body: { artifact: content, cases } }, caller) {
    const input = await parseArtifactInput(platform, caller, content);
    const at = platform.clock.now();
    const artifact = toUnsaved(content, input, caller, at);
    const times = { createdAt: at.toISOString(), updatedAt: at.toISOString(), revision: 1 };
    return executeTestCases(platform, caller, {
      artifact,
      cases: cases.map((one) => ({
        mocks: {},
        ...one,
        ...times,
        id: newId("atc", at.getTime()),
        artifactId: artifact.id,
      })),
    });
  },
  run: async (_ctx, _input, results) => ({ results }),
});

/** An artifact as it would be, in the name of whoever tests it. */
function toUnsaved(
  content: Static<typeof PackArtifact>,
  { detail, definition }: Awaited<ReturnType<typeof parseArtifactInput>>,
  caller: Caller,
  at: Date,
): Artifact {
  const { runAs, permissions } = authorityOf(caller);
  const { name, artifactType, moduleKey = "default", description = "" } = content;
  return {
    id: newId("art", at.getTime()),
    name,
    artifactType,
    moduleKey,
    description,
    status: "draft",
    version: "0.0.0",
    versionNumber: 1,
    savedBy: runAs,
    createdBy: runAs,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
    detail,
    definition,
    revision: 1,
    runAs,
    permissions: permissions ? [...permissions] : null,
    hookToken: null,
  };
}

async function readReferences(
  platform: Platform,
  caller: Caller,
): Promise<ReadonlyMap<string, string>> {
  const context = { services: platform, caller };
  const { readable } = listSources(context);
  return toReferences(await listItems(context, readable, openReads(platform, caller)));
}
