import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const HELLO = `export default defineArtifact({
  id: "hello",
  version: "1.2.0",
  inputs: { name: { type: "string", required: true }, mood: { type: "enum", values: ["good", "bad"] } },
  outputs: { greeting: { type: "string", required: true } },
  async execute(input: { name: string }, context) {
    return { greeting: \`Hello, \${input.name}\` };
  },
});`;

const world = await useWorld();
const owner = await world.member(["owner"]);

let count = 0;
async function made(scriptSource: string, more: object = {}): Promise<any> {
  count += 1;
  const body = {
    name: `made ${count}`,
    artifactType: "workflow_node",
    moduleKey: "tests",
    detail: { scriptSource },
    ...more,
  };
  const { status, body: answer } = await owner("POST /api/flowsdk/artifacts", body);
  expect(answer).toMatchObject({ success: true });
  expect(status).toBe(201);
  return answer.data;
}

test.each([
  `export default { id: "a\\u0000b", execute() {} }`,
  `export default { id: "a\\ud800b", execute() {} }`,
  `export default { inputs: { "a\\u0000": { type: "string" } }, execute() {} }`,
  `export default { outputs: { a: { type: "enum", values: ["\\u0000"] } }, execute() {} }`,
])("rejects a definition that can't be stored: %s", async (scriptSource) => {
  const { status, body, events } = await owner("POST /api/flowsdk/artifacts", {
    name: "odd",
    artifactType: "workflow_node",
    detail: { scriptSource },
  });
  expect([status, body.errors?.[0]?.path, events]).toEqual([422, "/detail/scriptSource", []]);
});

test("accepts text that only mentions such a character", async () => {
  const { definition } = await made(`export default { id: "a\\\\u0000b", execute() {} }`);
  expect(definition.id).toBe("a\\u0000b");
});

test("stores an artifact with its source's definition and returns it on every path", async () => {
  const artifact = await made(HELLO);
  expect(artifact).toMatchObject({
    artifactType: "workflow_node",
    moduleKey: "tests",
    status: "draft",
    version: "1.2.0",
    versionNumber: 1,
    definition: { id: "hello", kind: "artifact", outputs: { greeting: { type: "string" } } },
  });
  for (const path of [
    "/api/flowsdk/artifacts",
    "/api/v1/flowsdk/artifacts",
    "/api/v1/sdk/artifacts",
  ]) {
    const { body } = await owner(`GET ${path}/${artifact.id}`);
    expect(body).toEqual({ success: true, data: artifact });
  }
  const { body } = await owner("GET /api/flowsdk/artifacts?artifactType=workflow_node&limit=1");
  expect(body.success).toBe(true);
  expect(body.data).toHaveLength(1);
  expect(body.data[0]).not.toHaveProperty("detail");
  const jobs = await owner("GET /api/flowsdk/artifacts?artifactType=scheduled_job");
  expect(jobs.body.data).toEqual([]);
});

test("a code change and a restore create a version, other changes do not", async () => {
  const { id } = await made("return { one: 1 };");
  const path = `/api/flowsdk/artifacts/${id}`;
  const renamed = await owner(`PATCH ${path}`, { description: "Now with words", status: "active" });
  expect(renamed.events).toEqual(["artifact.updated"]);
  expect(renamed.body.data).toMatchObject({ versionNumber: 1, version: "1.0.0", status: "active" });
  const coded = await owner(`PATCH ${path}`, { detail: { scriptSource: "return { two: 2 };" } });
  expect(coded.body.data).toMatchObject({ versionNumber: 2, version: "1.0.1" });
  const stated = await owner(`PATCH ${path}`, { detail: { scriptSource: HELLO } });
  expect(stated.body.data).toMatchObject({ versionNumber: 3, version: "1.2.0" });
  const restored = await owner(`POST ${path}/restore/1`);
  expect([restored.body, restored.events]).toMatchObject([
    { success: true },
    ["artifact.restored"],
  ]);
  expect(restored.body.data).toMatchObject({
    versionNumber: 4,
    version: "1.2.1",
    detail: { scriptSource: "return { one: 1 };" },
  });
  const { body } = await owner(`GET ${path}/versions`);
  expect(
    body.data.map(({ versionNumber, restoredFrom }: any) => [versionNumber, restoredFrom]),
  ).toEqual([
    [4, 1],
    [3, null],
    [2, null],
    [1, null],
  ]);
  expect((await owner(`POST ${path}/restore/9`)).status).toBe(404);
});

test.each([
  ["const a = ;", /line 1, column 11/],
  ["\n\nreturn {", /SyntaxError/],
  ['import fs from "node:fs"; return fs;', /import/i],
  ['export default defineArtifact({ inputs: { a: { type: "float" } }, execute() {} })', /inputs/],
  ['export default defineArtifact({ version: "one", execute() {} })', /semantic version/],
])("rejects an invalid source with its position: %s", async (scriptSource, message) => {
  const body = { name: "bad", artifactType: "workflow_node", detail: { scriptSource } };
  const { status, body: problem, events } = await owner("POST /api/flowsdk/artifacts", body);
  expect(status).toBe(422);
  expect(problem.success).toBe(false);
  expect(problem.errors[0]).toMatchObject({
    path: "/detail/scriptSource",
    message: expect.stringMatching(message),
  });
  expect(events).toEqual([]);
});

test.each([
  ["scheduled_job", { cron: "* * *" }, "/detail/cron"],
  ["scheduled_job", {}, "/detail/cron"],
  ["scheduled_job", { cron: "0 5 * * *", timezone: "Mars/Base" }, "/detail/timezone"],
  ["workflow_node", { cron: "0 5 * * *" }, "/detail/cron"],
  ["connector_action", {}, "/detail/connector"],
])("rejects a %s with %j", async (artifactType, detail, path) => {
  const body = { name: "odd", artifactType, detail: { scriptSource: "return 1;", ...detail } };
  const { status, body: problem } = await owner("POST /api/flowsdk/artifacts", body);
  expect(status).toBe(422);
  expect(problem.errors.map((error: any) => error.path)).toEqual([path]);
});

test("artifacts of one module have unique names", async () => {
  await made("return 1;", { name: "only" });
  const again = await owner("POST /api/flowsdk/artifacts", {
    name: "only",
    artifactType: "workflow_node",
    moduleKey: "tests",
    detail: { scriptSource: "return 1;" },
  });
  expect([again.status, again.body.code]).toEqual([409, "artifact_exists"]);
});

test("concurrent changes of the detail are not lost", async () => {
  const { id } = await made("return 1;");
  const path = `/api/flowsdk/artifacts/${id}`;
  const answers = await Promise.all(
    [{ timeoutMs: 5_000 }, { scriptSource: "return 2;" }, { timeoutMs: 6_000 }].map((detail) =>
      owner(`PATCH ${path}`, { detail }),
    ),
  );
  const { body } = await owner(`GET ${path}`);
  expect(answers.map(({ status }) => status).every((status) => [200, 409].includes(status))).toBe(
    true,
  );
  const done = answers.filter(({ status }) => status === 200);
  expect(body.data.versionNumber).toBe(1 + done.length);
  expect(done.map((answer) => answer.body.data.versionNumber)).toContain(body.data.versionNumber);
});

test("saves twenty artifacts concurrently", async () => {
  const names = Array.from({ length: 20 }, (_, n) => `at_once_${n}`);
  const answers = await Promise.all(
    names.map((name) =>
      owner("POST /api/flowsdk/artifacts", {
        name,
        artifactType: "workflow_node",
        moduleKey: "at_once",
        detail: { scriptSource: `return "${name}";` },
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
  const { body } = await owner("GET /api/flowsdk/artifacts?moduleKey=at_once&limit=50");
  expect(body.data.map(({ name }: { name: string }) => name).toSorted()).toEqual(names.toSorted());
});
