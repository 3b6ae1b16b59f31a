/** Values of secrets per environment, so that staging never uses production's. */
import { expect, test } from "vitest";
import { createConnector } from "#domains/connectors/testing/connector.ts";
import {
  createToken,
  deployWorkflow,
  runWorkflow,
  stepsOf,
} from "#domains/runs/testing/workflows.ts";
import { useReceiver, WEBHOOKS } from "#domains/webhooks/testing/webhook.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";

const receiver = await useReceiver();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);
const inEnvironment =
  (environment: string): Ask =>
  (route, body, headers = {}) =>
    owner(route, body, { "x-environment": environment, ...headers });
/** The data read by the receiver. */
const POST = { method: "POST", body: {} };
const keysOf = (path: string) =>
  receiver.received.filter((one) => one.path === path).map(({ headers }) => headers["x-key"]);
const store = (name: string, value: string) => owner("POST /api/v1/secrets", { name, value });
const setIn = (environment: string, name: string, value: string) =>
  owner(`PUT /api/v1/secrets/${name}/environments/${environment}`, { value });

test("sets and removes a value of an environment, reported but never shown", async () => {
  await store("SHOWN", "production-0");
  const path = "/api/v1/secrets/SHOWN";
  const set = await setIn("staging", "SHOWN", "staging-0");
  expect(set).toMatchObject({
    status: 200,
    events: ["audit.secret.environment_set"],
    headers: { etag: '"2"' },
    body: { data: { environments: ["staging"], ownValuesOnly: false } },
  });
  const stale = { "if-match": '"1"' };
  const late = await owner(`PUT ${path}/environments/development`, { value: "late-0" }, stale);
  expect([late.status, late.events]).toEqual([412, []]);
  await setIn("development", "SHOWN", "development-0");
  expect((await owner(`GET ${path}`)).body.data.environments).toEqual(["staging", "development"]);
  const only = { ownValuesOnly: true };
  expect(await owner(`PATCH ${path}`, only)).toMatchObject({
    status: 200,
    events: ["audit.secret.updated"],
    body: { data: only },
  });
  const [told] = (await owner("GET /api/v1/audit?limit=1")).body.data;
  expect(told.data).toEqual({
    before: { name: "SHOWN", description: "", ownValuesOnly: false },
    after: { name: "SHOWN", description: "", ...only },
    changes: ["ownValuesOnly"],
  });
  expect(await owner(`PATCH ${path}`, only)).toMatchObject({ status: 200, events: [] });
  expect((await owner(`DELETE ${path}/environments/staging`)).events).toEqual([
    "audit.secret.environment_removed",
  ]);
  const again = await owner(`DELETE ${path}/environments/staging`);
  expect([again.status, again.events]).toEqual([404, []]);
  for (const [environment, body, status] of [
    ["production", { value: "x" }, 404],
    ["elsewhere", { value: "x" }, 404],
    ["staging", { value: "" }, 422],
    ["staging", {}, 422],
  ] as const) {
    const refused = await owner(`PUT ${path}/environments/${environment}`, body);
    expect([refused.status, refused.events]).toEqual([status, []]);
  }
  expect((await setIn("staging", "NOWHERE", "x")).status).toBe(404);
  const next = await world.member(["owner"], await world.workspace("next-door"));
  const foreign = await next(`PUT ${path}/environments/staging`, { value: "x" });
  expect([foreign.status, foreign.events]).toEqual([404, []]);
  const token = await createToken(world, owner, ["secrets:read"]);
  expect((await token(`GET ${path}`)).body.data.environments).toEqual(["development"]);
  const confined = await token(`PUT ${path}/environments/staging`, { value: "x" });
  expect([confined.status, confined.events]).toEqual([403, []]);
  expect((await owner(`DELETE ${path}`)).events).toEqual(["audit.secret.deleted"]);
  expect(await world.sql("select name from secret_values where name = 'SHOWN'")).toEqual([]);
});

test("runs, scripts, connectors, webhooks and hooks use the environment value and fall back to production unless disabled", async () => {
  await store("KEY", "production-key-1");
  await setIn("staging", "KEY", "staging-key-1");
  const key = "{{secrets.KEY}}";
  const headers = { "x-key": key };
  const { id: connectorId } = await createConnector(owner, "http", {
    baseUrl: `${receiver.url}/connector`,
    headers,
    retries: 0,
  });
  await owner(`POST ${WEBHOOKS}`, {
    name: "Told",
    url: `${receiver.url}/webhook`,
    events: ["order.placed"],
    headers,
  });
  const nodes = [
    { id: "http", type: "http", config: { ...POST, url: `${receiver.url}/http`, headers } },
    {
      id: "code",
      type: "script",
      config: {
        source: `const key = await context.secrets.get("KEY");
          const url = "${receiver.url}/script";
          await context.http.request({ method: "POST", body: {}, url, headers: { "x-key": key } });
          return { key };`,
      },
    },
    { id: "crm", type: "connector", config: { connectorId, action: "request", input: POST } },
  ].map((node) => ({ ...node, onError: "continue" }));
  const trigger = { type: "webhook", auth: { kind: "header", header: "X-Key", secret: key } };
  const keep = { id: "keep", type: "set", config: { values: { kept: true } } };
  const places = ["production", "staging", "development"];
  const workflow = await deployWorkflow(owner, nodes);
  const hook = await deployWorkflow(owner, [keep], { trigger });
  for (const environment of places.slice(1)) {
    const there = inEnvironment(environment);
    for (const id of [workflow, hook]) await there(`POST /api/v1/workflows/${id}/publish`, {});
  }
  const hookUrl = (await owner(`GET /api/v1/workflows/${hook}`)).body.data.trigger.url;
  const opens = async (environment: string, value: string) =>
    (
      await world.stranger(
        `POST ${new URL(hookUrl).pathname}?environment=${environment}`,
        {},
        { "x-key": value },
      )
    ).status < 300;
  const runs: any[] = [];
  const useAll = async (environment: string, deliveries: number) => {
    const there = inEnvironment(environment);
    runs.push(await runWorkflow(there, workflow));
    const order = { type: "order.placed", payload: {} };
    await there("POST /api/v1/events/topics/orders/publish", order);
    await until(async () => keysOf("/webhook").length === deliveries);
  };
  for (const [index, environment] of places.entries()) await useAll(environment, index + 1);
  const expected = ["production-key-1", "staging-key-1", "production-key-1"];
  for (const path of ["/http", "/script", "/connector", "/webhook"]) {
    expect([path, keysOf(path)]).toEqual([path, expected]);
  }
  expect([
    await opens("staging", "staging-key-1"),
    await opens("staging", "production-key-1"),
    await opens("development", "production-key-1"),
  ]).toEqual([true, false, true]);

  await owner("PATCH /api/v1/secrets/KEY", { ownValuesOnly: true });
  const there = inEnvironment("development");
  const before = receiver.received.length;
  const refused = await runWorkflow(there, workflow);
  runs.push(refused);
  const detail =
    "KEY has no value for development, and the production value must not be used there.";
  expect(stepsOf(refused)["http"]?.error).toMatchObject({
    code: "unknown_secret",
    message: detail,
  });
  expect(stepsOf(refused)["code"]?.error.message).toContain(detail);
  const invoked = await there(`POST /api/v1/connectors/${connectorId}/invoke`, {
    action: "request",
    input: POST,
  });
  expect([invoked.status, invoked.body.code]).toEqual([422, "unknown_secret"]);
  await there("POST /api/v1/events/topics/orders/publish", { type: "order.placed", payload: {} });
  const undelivered = await until(async () => {
    const [row] = await world.sql("select last_error from deliveries where last_error is not null");
    return row;
  });
  expect(undelivered.last_error).toBe(detail);
  expect(await opens("development", "production-key-1")).toBe(false);
  expect(receiver.received).toHaveLength(before);
  // Traces, events and log lines contain no used values.
  const events = JSON.stringify(await world.sql("select data from events"));
  const seen = [JSON.stringify(runs), events, world.lines.join("")];
  for (const value of expected)
    expect(seen.map((text) => text.includes(value))).toEqual([false, false, false]);
});

test("a changed value applies from the next step of a running run", async () => {
  await store("TURN", "production-turn-1");
  await setIn("staging", "TURN", "staging-turn-1");
  const headers = { "x-key": "{{secrets.TURN}}" };
  const nodes = ["/first", "/second", "/third"].map((path) => ({
    id: path.slice(1),
    type: "http",
    config: { ...POST, url: `${receiver.url}${path}`, headers },
  }));
  const id = await deployWorkflow(owner, nodes, {}, { "x-environment": "staging" });
  receiver.answer = ({ path }, response) => {
    const changes: Record<string, () => Promise<unknown>> = {
      "/first": () => setIn("staging", "TURN", "staging-turn-2"),
      "/second": () => owner("DELETE /api/v1/secrets/TURN/environments/staging"),
    };
    void (changes[path]?.() ?? Promise.resolve()).then(() => response.end());
  };
  const run = await runWorkflow(inEnvironment("staging"), id);
  expect(run.error).toBeNull();
  expect(receiver.received.map(({ headers: sent }) => sent["x-key"])).toEqual([
    "staging-turn-1",
    "staging-turn-2",
    "production-turn-1",
  ]);
});

test("a value moved to another environment does not open there", async () => {
  await store("BOUND", "production-bound");
  await setIn("staging", "BOUND", "staging-bound");
  await world.sql("update secret_values set environment = 'development' where name = 'BOUND'");
  const place = { workspace: world.home, environment: "development" } as const;
  const user = async () => ({ permissions: new Set(["secrets:use"]) });
  await expect(world.kernel.secrets.read(place, ["BOUND"], user)).rejects.toThrow();
});
