import Type from "typebox";
import { diffResource } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page, withSuccess, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { ArtifactId, artifactRef } from "../artifacts/artifact.ts";
import { ById } from "../artifacts/operations.ts";
import { get, lock as lockArtifact } from "../artifacts/store.ts";
import { ArtifactsRead, ArtifactsWrite } from "../permissions.ts";
import { ArtifactTested, TestCaseCreated, TestCaseDeleted, TestCaseUpdated } from "./events.ts";
import { executeTestCases } from "./run-tests.ts";
import * as store from "./store.ts";
import {
  NewTestCase,
  TEST_CASES_MAX,
  TestCase,
  TestCaseExists,
  TestCaseId,
  TestResult,
  TooManyTestCases,
} from "./test-case.ts";

const example = { params: { id: "art_01jd0000000000000000000000" } };
const testCaseExample = {
  params: { ...example.params, testCaseId: "atc_01jd0000000000000000000000" },
};
const ByTestCaseId = object({ id: ArtifactId, testCaseId: TestCaseId });

export const listTestCases = query({
  id: "artifacts.list_test_cases",
  route: "GET /api/flowsdk/artifacts/{id}/test-cases",
  aliases: [
    "GET /api/v1/flowsdk/artifacts/{id}/test-cases",
    "GET /api/v1/sdk/artifacts/{id}/test-cases",
  ],
  summary: "List test cases of an artifact by name",
  permission: ArtifactsRead,
  params: ById,
  query: object(pageQuery),
  response: withSuccess(page(withRevision(TestCase))),
  example,
  async run({ tx, services }, { params, query: asked }) {
    await get(tx, params.id);
    const items = await store.list(tx, params.id);
    return pageOfItems(services, `test cases ${params.id}`, asked, {
      items,
      keyOf: (testCase) => testCase.id,
    });
  },
});

export const createTestCase = command({
  id: "artifacts.create_test_case",
  effect: "ordinary",
  route: "POST /api/flowsdk/artifacts/{id}/test-cases",
  aliases: [
    "POST /api/v1/flowsdk/artifacts/{id}/test-cases",
    "POST /api/v1/sdk/artifacts/{id}/test-cases",
  ],
  summary: "Add a test case to an artifact",
  permission: ArtifactsWrite,
  params: ById,
  body: object(NewTestCase),
  response: withSuccess(created(TestCase)),
  emits: [TestCaseCreated],
  fails: [TestCaseExists, TooManyTestCases],
  example: {
    ...example,
    body: {
      name: "greets",
      inputPayload: { name: "Ada" },
      expected: { greeting: "Hello, Ada" },
      mocks: { "http.request": [{ returns: { status: 200, headers: {}, body: {} } }] },
    },
  },
  async run(ctx, { params, body }) {
    await lockArtifact(ctx.tx, params.id);
    const cases = await store.list(ctx.tx, params.id);
    if (cases.length >= TEST_CASES_MAX) throw new Failure(TooManyTestCases);
    const testCase = await store.insert(ctx.tx, {
      id: newId("atc", ctx.now.getTime()),
      artifactId: params.id,
      at: ctx.now,
      mocks: {},
      ...body,
    });
    ctx.emit(TestCaseCreated, testCaseRef(testCase), testCaseEventData(testCase));
    return testCase;
  },
});

export const updateTestCase = command({
  id: "artifacts.update_test_case",
  effect: "ordinary",
  route: "PATCH /api/flowsdk/artifacts/{id}/test-cases/{testCaseId}",
  aliases: [
    "PATCH /api/v1/flowsdk/artifacts/{id}/test-cases/{testCaseId}",
    "PATCH /api/v1/sdk/artifacts/{id}/test-cases/{testCaseId}",
  ],
  summary: "Update a test case",
  permission: ArtifactsWrite,
  params: ByTestCaseId,
  body: patch(NewTestCase),
  response: withSuccess(item(TestCase)),
  emits: [TestCaseUpdated],
  fails: [TestCaseExists],
  example: { ...testCaseExample, body: { expected: { greeting: "Hello, Grace" } } },
  async run(ctx, { params, body }) {
    const before = await store.lock(ctx.tx, params.id, params.testCaseId);
    ctx.expectRevision(before.revision);
    const after = await store.update(ctx.tx, before.id, body, ctx.now);
    const { changes } = diffResource<object>(before, after);
    const changedFields = changes.filter((name) => name !== "revision");
    ctx.emit(TestCaseUpdated, testCaseRef(after), {
      before: testCaseEventData(before),
      after: testCaseEventData(after),
      changes: changedFields,
    });
    return after;
  },
});

export const deleteTestCase = command({
  id: "artifacts.delete_test_case",
  route: "DELETE /api/flowsdk/artifacts/{id}/test-cases/{testCaseId}",
  aliases: [
    "DELETE /api/v1/flowsdk/artifacts/{id}/test-cases/{testCaseId}",
    "DELETE /api/v1/sdk/artifacts/{id}/test-cases/{testCaseId}",
  ],
  summary: "Delete a test case",
  permission: ArtifactsWrite,
  params: ByTestCaseId,
  response: withSuccess(item(TestCase)),
  emits: [TestCaseDeleted],
  example: testCaseExample,
  async run(ctx, { params }) {
    const testCase = await store.lock(ctx.tx, params.id, params.testCaseId);
    ctx.expectRevision(testCase.revision);
    await store.remove(ctx.tx, testCase.id);
    ctx.emit(TestCaseDeleted, testCaseRef(testCase), testCaseEventData(testCase));
    return testCase;
  },
});

export const runTestCases = command({
  id: "artifacts.run_test_cases",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/flowsdk/artifacts/{id}/test-cases/run-all",
  aliases: [
    "POST /api/v1/flowsdk/artifacts/{id}/test-cases/run-all",
    "POST /api/v1/sdk/artifacts/{id}/tests/run",
  ],
  summary: "Run all test cases of an artifact",
  description:
    "Has no effects outside the sandbox: mocks of the test case answer calls of the context, and calls without a mock fail. A test case passes if the output equals the expected output; `diff` contains the differences.",
  permission: ArtifactsWrite,
  params: ById,
  longRunning: true,
  response: withSuccess(
    item(
      Type.Object({
        passed: Type.Integer(),
        failed: Type.Integer(),
        results: Type.Array(TestResult),
      }),
    ),
  ),
  emits: [ArtifactTested],
  example,
  async prepare(platform, { params }, caller) {
    const { workspace, environment } = caller;
    if (!workspace) throw new Error("An artifact belongs to a workspace.");
    const partition = { workspace: workspace.key, environment };
    const found = await platform.db.read(partition, async (tx) => ({
      artifact: await get(tx, params.id),
      cases: await store.list(tx, params.id),
    }));
    return { ...found, results: await executeTestCases(platform, caller, found) };
  },
  async run(ctx, _, { artifact, results }) {
    const passed = results.filter((result) => result.passed).length;
    const failed = results.length - passed;
    const { id, versionNumber } = artifact;
    ctx.emit(ArtifactTested, artifactRef(artifact), { id, versionNumber, passed, failed });
    return { passed, failed, results };
  },
});

function testCaseEventData({ id, artifactId, name }: TestCase) {
  return { id, artifactId, name };
}

function testCaseRef({ id, name }: TestCase) {
  return { id, displayName: name };
}
