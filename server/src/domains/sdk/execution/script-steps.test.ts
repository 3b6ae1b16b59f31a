import { expect, test } from "vitest";
import { deployAndRun, stepsOf } from "#domains/runs/testing/workflows.ts";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { useWorld } from "#kernel/testing/world.ts";

const receiver = await useReceiver();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

async function made(name: string, scriptSource: string, more: object = {}): Promise<string> {
  const { body, status } = await owner("POST /api/flowsdk/artifacts", {
    name,
    moduleKey: "nodes",
    artifactType: "workflow_node",
    status: "active",
    detail: { scriptSource },
    ...more,
  });
  expect(status).toBe(201);
  return body.data.id;
}

test("a script sees the scope of expressions, logs to the trace, and returns its output", async () => {
  const run = await deployAndRun(owner, [
    { id: "first", type: "set", config: { values: { n: 20 } } },
    {
      id: "code",
      type: "script",
      config: {
        source:
          "context.log.info('adding', { n: input.steps.first.output.n }); return input.steps.first.output.n + 1;",
      },
    },
    {
      id: "given",
      type: "script",
      config: { source: "return input.n * 2;", input: { n: "{{ steps.code.output }}" } },
    },
  ]);
  expect(run.error).toBeNull();
  expect(run).toMatchObject({ status: "completed" });
  const { code, given } = stepsOf(run);
  expect(code).toMatchObject({ output: 21, logs: [{ level: "info", message: "adding" }] });
  expect(given.output).toBe(42);
});

test("a script's host calls happen once, after the run is stored, and it continues with their results", async () => {
  const source = `const before = 20 + 1;
    await context.events.publish("early", { type: "early.told", payload: { before } });
    return { before, secret: await context.secrets.get("NONE").catch(() => "none") };`;
  const steps = [{ id: "code", type: "script", config: { source } }];
  const all = await Promise.all(Array.from({ length: 5 }, () => deployAndRun(owner, steps)));
  expect(all.map(({ error }) => error)).toEqual(all.map(() => null));
  expect(all.map((run) => stepsOf(run)["code"].output)).toEqual(
    all.map(() => ({ before: 21, secret: "none" })),
  );
  for (const { id } of all) {
    const told = await world.sql(
      `select type from events where correlation_id =
         (select correlation_id from events where resource_id = $1 and type = 'workflow.run_started')
          and type in ('workflow.run_started', 'early.told', 'workflow.run_completed')
        order by epoch, xid, seq`,
      [id],
    );
    expect(told.map(({ type }) => type)).toEqual([
      "workflow.run_started",
      "early.told",
      "workflow.run_completed",
    ]);
  }
});

test("a failing script fails its step with its position", async () => {
  const run = await deployAndRun(owner, [
    { id: "code", type: "script", config: { source: "\n  throw new RangeError('Too far');" } },
  ]);
  expect(run).toMatchObject({
    status: "failed",
    error: {
      code: "script_failed",
      message: expect.stringMatching(/RangeError: Too far \(line 2/),
    },
  });
});

test("artifacts are nodes by id and by name, and are listed as node types", async () => {
  const id = await made(
    "double",
    `export default defineArtifact({ inputs: { n: { type: "number", required: true } },
       execute: (input, context) => ({ n: input.n * 2, by: context.workspace.slug }) })`,
  );
  const run = await deployAndRun(owner, [
    { id: "byId", type: "artifact", config: { artifactId: id, input: { n: 4 } } },
    { id: "byName", type: "nodes.double", config: { n: "{{ steps.byId.output.n }}" } },
  ]);
  expect(run.error).toBeNull();
  expect(stepsOf(run)["byName"].output).toEqual({ n: 16, by: "default" });
  const bad = await deployAndRun(owner, [
    { id: "bad", type: "nodes.double", config: { n: "{{ 'four' }}" } },
  ]);
  expect(bad).toMatchObject({ status: "failed", error: { code: "invalid" } });
  const { body } = await owner("GET /api/v1/workflows/node-types");
  expect(body.data.nodeTypes).toContainEqual(
    expect.objectContaining({
      type: "nodes.double",
      title: "double",
      config: expect.objectContaining({ required: ["n"], "x-order": ["n"] }),
    }),
  );
  const unknown = await owner("POST /api/v1/workflows", {
    name: "Unknown",
    trigger: { type: "manual" },
    nodes: [{ id: "x", type: "nodes.nobody", config: {} }],
    edges: [],
  });
  expect(unknown.status).toBe(422);
  expect(unknown.body.errors).toEqual([
    { path: "/nodes/0/type", message: "is not a known node type" },
  ]);
});

test("scripts of a workflow have only the permissions of its deployer", async () => {
  const { body: role } = await owner("POST /api/v1/settings/roles", {
    name: "Flow builder",
    permissions: ["workflows:*", "deployments:*"],
  });
  const builder = await world.member([role.data.id]);
  const id = await made("anything", "return 1;");
  const byArtifact = await deployAndRun(builder, [
    { id: "a", type: "artifact", config: { artifactId: id } },
  ]);
  expect(byArtifact).toMatchObject({ status: "failed", error: { code: "forbidden" } });
  await owner("POST /api/v1/secrets", { name: "NODE_KEY", value: "sesame-77aa21" });
  for (const source of [
    "return await context.secrets.get('NODE_KEY');",
    "return await context.events.publish('nodes.tests', { type: 'x.y', payload: {} });",
  ]) {
    const run = await deployAndRun(builder, [{ id: "a", type: "script", config: { source } }]);
    expect(run).toMatchObject({
      status: "failed",
      error: { message: expect.stringMatching(/permission/) },
    });
  }
});

test("an artifact is an action of its connectors", async () => {
  const { body } = await owner("POST /api/v1/connectors", {
    name: "Anywhere",
    type: "http",
    config: { baseUrl: "https://example.com" },
  });
  const path = `/api/v1/connectors/${body.data.id}`;
  await made("shout", "return { text: input.text.toUpperCase() };", {
    artifactType: "connector_action",
    detail: {
      connector: "http",
      scriptSource: `export default defineArtifact({ inputs: { text: { type: "string", required: true } },
        execute: (input) => ({ text: input.text.toUpperCase() }) })`,
    },
  });
  const actions = await owner(`GET ${path}/actions`);
  expect(actions.body.data.map(({ name }: any) => name)).toContain("shout");
  const { body: answer, events } = await owner(`POST ${path}/invoke`, {
    action: "shout",
    input: { text: "hello" },
  });
  expect(answer.data).toMatchObject({ text: "HELLO" });
  expect(events).toEqual(["connector.invoked"]);
  const refused = await owner(`POST ${path}/invoke`, { action: "shout", input: { text: 5 } });
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ path: "/input/text", message: "must be of type string" }],
  ]);
});

test("a data transformer computes the output of a transform step", async () => {
  const id = await made("initials", "return { initials: input.names.map((name) => name[0]) };", {
    artifactType: "data_transformer",
  });
  const run = await deployAndRun(owner, [
    { id: "names", type: "set", config: { values: { all: ["Ada", "Grace"] } } },
    {
      id: "short",
      type: "transform",
      config: { artifactId: id, input: { names: "{{ steps.names.output.all }}" } },
    },
    { id: "last", type: "transform", config: { expression: "steps.short.output.initials[1]" } },
  ]);
  expect(run.error).toBeNull();
  expect(stepsOf(run)["short"].output).toEqual({ initials: ["A", "G"] });
  expect(stepsOf(run)["last"].output).toBe("G");
  const refused = await owner("POST /api/v1/workflows", {
    name: "Both",
    trigger: { type: "manual" },
    nodes: [{ id: "t", type: "transform", config: { expression: "1", artifactId: id } }],
    edges: [],
  });
  expect(refused.body.errors).toEqual([
    {
      path: "/nodes/0/config/expression",
      message: "is required without artifactId, and can't be combined with it",
    },
  ]);
});

test("script and artifact calls use the same step key in every attempt", async () => {
  receiver.answer = (_received, response) =>
    void response.writeHead(receiver.received.length < 3 ? 500 : 200).end();
  const source = `const call = () => context.http.request({ method: "POST", url: "${receiver.url}/x", body: {} });
    await call();
    const { status } = await call();
    if (status !== 200) throw new Error("again");
    return null;`;
  const id = await made(
    "calls",
    `export default defineArtifact({ execute: async (input, context) => { ${source} } })`,
  );
  for (const step of [
    { type: "script", config: { source } },
    { type: "artifact", config: { artifactId: id } },
  ]) {
    receiver.received.length = 0;
    const retry = { maxAttempts: 2, backoffMs: 1, strategy: "fixed" };
    const run = await deployAndRun(owner, [{ id: "code", ...step, retry }]);
    expect(run.error).toBeNull();
    const keys = receiver.received.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([1, 2, 1, 2].map((call) => `${run.id}:0:code:${call}`));
  }
});
