import { expect, test } from "vitest";
import {
  deployWorkflow,
  runWorkflow,
  deployAndRun,
  stepsOf,
  trigger,
  waitForRun,
} from "#domains/runs/testing/workflows.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { Conflict, Failure } from "#kernel/operation/failure.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";
import { type ContributedCall, ConnectorActionPoint } from "../index.ts";
import { json, OK, useUpstream } from "../testing/upstream.ts";

const calls: ContributedCall[] = [];

/** Adds actions to connectors, like the SDK. */
const adding = domain({
  name: "adding",
  summary: "Adds actions.",
  permissions: [],
  events: [],
  operations: [],
  contributions: [
    contribute(ConnectorActionPoint, {
      actionsOf: async (tx, { type }) => {
        await tx.selectFrom("connectors").select("id").execute();
        if (type !== "http") return [];
        return ["greet", "request"].map((name) => ({
          name,
          summary: "Greets",
          input: { type: "object" },
        }));
      },
      invoke: async (_outside, call) => {
        calls.push(call);
        const { name } = call.input as { name: string };
        if (name === "nobody") throw new Failure(Conflict, { detail: "There is nobody." });
        return { greeting: `Hello ${name}` };
      },
    }),
  ],
});

const upstream = await useUpstream();
const world = await useWorld({
  work: true,
  env: upstream.env,
  domains: [...domains, adding],
});
const owner = await world.member(["owner"]);
const { body: connector } = await owner("POST /api/v1/connectors", {
  name: "API",
  type: "http",
  config: { baseUrl: upstream.url, retries: 0 },
  auth: { kind: "bearer", token: "step-planted-token" },
});
const id: string = connector.data.id;

const node = (more: object = {}) => ({
  id: "call",
  type: "connector",
  config: {
    connectorId: id,
    action: "request",
    input: { method: "POST", path: "/orders", body: { n: "{{ trigger.input }}" } },
  },
  ...more,
});

test("a step invokes an action for the workflow and returns its output", async () => {
  upstream.answer = ({ headers }, response) => json(response, { said: headers.authorization });
  const workflow = await deployWorkflow(owner, [node()]);
  const run = await runWorkflow(owner, workflow, 7);
  expect(run).toMatchObject({
    status: "completed",
    output: { status: 200, body: { said: "Bearer [secret token]" } },
  });
  expect(upstream.received).toMatchObject([
    {
      method: "POST",
      path: "/orders",
      text: '{"n":7}',
      headers: { "idempotency-key": expect.stringContaining(run.id) },
    },
  ]);
  const [event] = (await owner(`GET /api/v1/audit?type=connector.invoked&resourceId=${id}`)).body
    .data;
  expect(event).toMatchObject({
    actor: { id: workflow, type: "workflow" },
    correlationId: run.correlationId,
    data: { action: "request", ok: true, upstreamStatus: 200 },
  });
});

test("a failed step is retried with the same key, and calls the upstream again", async () => {
  upstream.answer = (received, response) =>
    upstream.received.length === 1 ? json(response, {}, 503) : OK(received, response);
  const retry = { maxAttempts: 2, backoffMs: 1, strategy: "fixed" };
  const run = await deployAndRun(owner, [node({ retry })]);
  expect(run.status).toBe("completed");
  expect(stepsOf(run)["call"].attempts).toBe(2);
  const keys = upstream.received.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toContain(run.id);
  expect(keys[1]).toBe(keys[0]);
});

test("a failed invocation is the error of the step", async () => {
  upstream.answer = (_received, response) => json(response, {}, 404);
  const failed = await deployAndRun(owner, [node()]);
  expect(failed).toMatchObject({
    status: "failed",
    error: {
      code: "upstream_failed",
      message: "The other system returned the status 404.",
      path: "call",
    },
  });
  const unknown = await deployAndRun(owner, [
    node({ config: { connectorId: id, action: "{{ 'no such action' }}" } }),
  ]);
  expect(unknown.error).toMatchObject({ code: "unknown_action" });
});

test("an error is not retried, a rate limit is retried at the given time, and an error branch receives both", async () => {
  const statuses: Record<string, number> = { refused: 422, busy: 429 };
  upstream.answer = ({ text }, response) =>
    json(response.setHeader("retry-after", "7200"), { why: "no" }, statuses[JSON.parse(text).n]);
  const retry = { maxAttempts: 3, backoffMs: 1, strategy: "fixed" };
  const seen = { id: "seen", type: "set", config: { values: { e: "{{ steps.call.error }}" } } };
  const refused = await deployAndRun(
    owner,
    [node({ retry, onError: "branch" }), seen],
    { edges: [{ from: "call", to: "seen", when: "error" }] },
    "refused",
  );
  expect(refused.output.e).toMatchObject({
    code: "upstream_failed",
    status: 422,
    headers: { "retry-after": "7200" },
    body: { why: "no" },
  });
  expect(upstream.received).toHaveLength(1);
  const { body } = await trigger(owner, await deployWorkflow(owner, [node({ retry })]), "busy");
  const waiting = await waitForRun(owner, body.data.runId, ["waiting"]);
  const until = Date.parse(stepsOf(waiting)["call"].wait.until);
  expect(until - world.clock.nowMs()).toBeGreaterThan(7_000_000);
});

test("a step has the rights of the member who deployed the workflow", async () => {
  const { body } = await owner("POST /api/v1/settings/roles", {
    name: "Builder without connectors",
    permissions: ["workflows:*", "deployments:*"],
  });
  const limited = await world.member([body.data.id]);
  const run = await deployAndRun(limited, [node()]);
  expect(run).toMatchObject({ status: "failed", error: { code: "forbidden" } });
  expect(upstream.received).toEqual([]);
});

test("actions added by another domain are listed and invoked like the connector's own", async () => {
  const listed = (await owner(`GET /api/v1/connectors/${id}/actions`)).body.data;
  expect(listed.map(({ name, source }: any) => [name, source])).toEqual([
    ["greet", "added"],
    ["request", "type"],
  ]);
  const invoke = (input: object) =>
    owner(`POST /api/v1/connectors/${id}/invoke`, { action: "greet", input, idempotencyKey: "k" });
  expect(await invoke({ name: "Ada" })).toMatchObject({
    status: 200,
    body: { data: { greeting: "Hello Ada" } },
    events: ["connector.invoked"],
  });
  expect(calls).toMatchObject([
    {
      action: "greet",
      input: { name: "Ada" },
      idempotencyKey: "k",
      connector: { id, name: "API", type: "http" },
      caller: { actor: { type: "user" } },
    },
  ]);
  const failed = await invoke({ name: "nobody" });
  expect(failed).toMatchObject({
    status: 409,
    body: { code: "conflict", detail: "There is nobody." },
    events: ["connector.invoked"],
  });
  expect(upstream.received).toEqual([]);
});

test("runs wait for the rate limit of a connector, without losing attempts", async () => {
  const { body } = await owner("POST /api/v1/connectors", {
    name: "Slow API",
    type: "http",
    config: { baseUrl: upstream.url, retries: 0, rateLimit: { requests: 1, perMs: 120 } },
  });
  const slow = {
    id: "call",
    type: "connector",
    config: { connectorId: body.data.id, action: "request" },
  };
  const workflow = await deployWorkflow(owner, [slow]);
  const runs = await Promise.all([1, 2, 3, 4].map((n) => runWorkflow(owner, workflow, n)));
  expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "completed"));
  expect(upstream.received.length).toBe(4);
  const direct = await Promise.all(
    [1, 2, 3].map(() =>
      owner(`POST /api/v1/connectors/${body.data.id}/invoke`, { action: "request", input: {} }),
    ),
  );
  const refused = direct.filter(({ status }) => status === 429);
  expect(refused[0]?.body.code).toBe("connector_rate_limited");
  expect(refused.flatMap(({ events }) => events)).toEqual([]);
});

const LIMITED = "select id from connectors where id = $1 and limited_until is not null";

test("a rate-limited upstream is called by no caller until the limit ends, and then the run continues", async () => {
  const { body } = await owner("POST /api/v1/connectors", {
    name: "Busy API",
    type: "http",
    config: { baseUrl: upstream.url },
  });
  const path = `/api/v1/connectors/${body.data.id}`;
  upstream.answer = (_received, response) =>
    response.writeHead(429, { "retry-after": "60" }).end("busy");
  const busy = {
    id: "call",
    type: "connector",
    config: { connectorId: body.data.id, action: "request" },
  };
  const workflow = await deployWorkflow(owner, [busy]);
  const started = await trigger(owner, workflow);
  await until(async () => (await world.sql(LIMITED, [body.data.id])).length > 0);
  const refused = await owner(`POST ${path}/invoke`, { action: "request", input: {} });
  expect([refused.status, refused.body.code]).toEqual([429, "connector_rate_limited"]);
  expect(upstream.received.length).toBe(1);
  expect((await owner(`GET ${path}`)).body.data.status).toBe("unknown");
  upstream.answer = OK;
  // The run starts to wait after the connector's limit is written, so its wait ends later.
  await waitForRun(owner, started.body.data.runId, ["waiting"]);
  world.clock.advance(62_000);
  const run = await waitForRun(owner, started.body.data.runId);
  expect(stepsOf(run)["call"]).toMatchObject({ status: "completed", attempts: 2 });
});

test("keeps all created files of a step and deletes files of failed attempts", async () => {
  let asked = 0;
  upstream.answer = ({ path }, response) => {
    if (path !== "/again") {
      response.writeHead(200, { "content-type": "application/octet-stream" });
      return void response.end(Buffer.from([0, 255, 7]));
    }
    asked += 1;
    json(response, {}, asked === 1 ? 429 : 200);
  };
  const { body } = await owner("POST /api/v1/connectors", {
    name: "Files",
    type: "http",
    config: { baseUrl: upstream.url, retries: 0 },
  });
  const source = `
    const fetch = (path = "/bin") =>
      context.connectors.invoke("${body.data.id}", "request", { path });
    const first = await context.files.write("a.txt", "a");
    const more = await Promise.all([fetch(), fetch(), context.files.write("b.txt", "b"), fetch()]);
    await fetch("/again");
    return [first, ...more.map((one) => one.body ?? one)];`;
  const run = await deployAndRun(owner, [
    { id: "make", type: "script", config: { source }, retry: { maxAttempts: 2, backoffMs: 0 } },
  ]);
  expect(run.error).toBeNull();
  const made = run.output.map(({ $file }: any) => $file).toSorted();
  const rows = await world.sql("select id from files where attached_id = $1 order by id", [run.id]);
  expect(rows.map((row) => row["id"])).toEqual(made);
  expect([made.length, asked]).toEqual([5, 2]);
});
