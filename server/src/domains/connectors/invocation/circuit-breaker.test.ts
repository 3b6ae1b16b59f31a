import { pino } from "pino";
import { expect, test } from "vitest";
import { buildServer } from "#kernel/http/server.ts";
import { Kernel } from "#kernel/kernel.ts";
import { TEST_KEY } from "#kernel/testing/database.ts";
import { type Answer, type Ask, until, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";
import { json, OK, useUpstream } from "../testing/upstream.ts";

const upstream = await useUpstream();
const world = await useWorld({ work: true, env: upstream.env });
const owner = await world.member(["owner"]);

const ALL = "/api/v1/connectors";

async function made(config: object = {}): Promise<string> {
  const { body } = await owner(`POST ${ALL}`, {
    name: "API",
    type: "http",
    config: { baseUrl: upstream.url, retries: 0, ...config },
  });
  return body.data.id;
}

const invoke = (id: string, input: object = {}, ask: Ask = owner): Promise<Answer> =>
  ask(`POST ${ALL}/${id}/invoke`, { action: "request", input });
const statusOf = async (id: string): Promise<string> =>
  (await owner(`GET ${ALL}/${id}`)).body.data.status;
const failWith = (status: number): void => {
  upstream.answer = (_received, response) => json(response, {}, status);
};

/** The status changes in log order. */
async function told(id: string): Promise<string[]> {
  const rows = await world.sql(
    `select data #>> '{before,status}' || ' to ' || (data #>> '{after,status}') as change from events
      where resource_id = $1 and type = 'connector.status_changed' order by epoch, xid, seq`,
    [id],
  );
  return rows.map(({ change }) => change as string);
}

async function opened(config: object = {}): Promise<string> {
  const id = await made(config);
  failWith(503);
  for (let count = 0; count < 5; count += 1) await invoke(id);
  upstream.received.length = 0;
  return id;
}

test("five consecutive failures open it, and nothing is sent for thirty seconds", async () => {
  const id = await made();
  failWith(500);
  for (let count = 1; count <= 4; count += 1) {
    expect((await invoke(id)).events).toEqual(["connector.invoked"]);
    expect(await statusOf(id)).toBe("unknown");
  }
  const fifth = await invoke(id);
  expect(fifth).toMatchObject({
    status: 502,
    events: ["connector.invoked", "connector.status_changed"],
  });
  expect((await owner(`GET ${ALL}/${id}`)).body.data).toMatchObject({
    status: "down",
    statusReason: "The other system returned the status 500.",
    statusChangedAt: expect.any(String),
  });
  const refused = await invoke(id);
  expect(refused).toMatchObject({ status: 503, body: { code: "circuit_open" }, events: [] });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(30);
  expect(upstream.received).toHaveLength(5);
  const notice = await until(async () => {
    const { body } = await owner("GET /api/v1/notifications");
    return body.data.find(({ title }: any) => title === "The connector API is down");
  });
  expect(notice.body).toBe("The other system returned the status 500.");
});

test("after thirty seconds one trial call is allowed, and its result applies to all callers", async () => {
  const id = await opened({ timeoutMs: 60_000 });
  world.clock.advance(31_000);
  const held: (() => void)[] = [];
  upstream.answer = (_received, response) => void held.push(() => json(response, { ok: 1 }));
  const trial = invoke(id);
  await until(async () => held.length === 1);
  const others = await Promise.all([invoke(id), invoke(id), invoke(id)]);
  expect(others.map(({ status }) => status)).toEqual([503, 503, 503]);
  held[0]?.();
  expect(await trial).toMatchObject({
    status: 200,
    events: ["connector.invoked", "connector.status_changed"],
  });
  upstream.answer = OK;
  expect((await invoke(id)).events).toEqual(["connector.invoked"]);
  expect(await told(id)).toEqual(["unknown to down", "down to up"]);
  expect(upstream.received).toHaveLength(2);
});

test("a failed trial call keeps the breaker open and emits no event", async () => {
  const id = await opened();
  world.clock.advance(31_000);
  expect(await invoke(id)).toMatchObject({ status: 502, events: ["connector.invoked"] });
  expect((await invoke(id)).status).toBe(503);
  expect(upstream.received).toHaveLength(1);
  expect(await told(id)).toEqual(["unknown to down"]);
});

test("an invalid input does not use the trial call", async () => {
  const id = await opened();
  upstream.answer = OK;
  world.clock.advance(31_000);
  expect((await invoke(id, { path: "/../.." })).status).toBe(200);
  const other = await opened({ baseUrl: `${upstream.url}/deep` });
  upstream.answer = OK;
  world.clock.advance(31_000);
  expect((await invoke(other, { path: "/.." })).status).toBe(422);
  expect((await invoke(other)).status).toBe(200);
});

test("if the process of a trial call dies, another caller may try later", async () => {
  const id = await opened({ timeoutMs: 60_000 });
  world.clock.advance(31_000);
  // The state that a process leaves if it is killed during a trial call.
  await world.sql("update connectors set retry_at = $2 where id = $1", [
    id,
    new Date(world.clock.nowMs() + 65_000),
  ]);
  expect((await invoke(id)).status).toBe(503);
  world.clock.advance(66_000);
  upstream.answer = OK;
  expect((await invoke(id)).status).toBe(200);
});

test("a rejected request is not a connection failure, and resets the failure count", async () => {
  const id = await made();
  for (const status of [400, 404, 409, 422]) {
    failWith(500);
    for (let count = 0; count < 4; count += 1) await invoke(id);
    failWith(status);
    expect((await invoke(id)).body.upstreamStatus).toBe(status);
  }
  expect(await statusOf(id)).toBe("up");
  for (const status of [401, 403]) {
    const fresh = await made();
    failWith(status);
    for (let count = 0; count < 6; count += 1) expect((await invoke(fresh)).status).toBe(502);
    // The upstream responds, but rejects the credentials.
    expect(await statusOf(fresh)).toBe("unknown");
  }
});

test("429, connection failures and timeouts count as failures", async () => {
  const busy = await made();
  failWith(429);
  for (let count = 0; count < 5; count += 1) await invoke(busy);
  expect((await invoke(busy)).status).toBe(503);
  const gone = await made({ baseUrl: "http://127.0.0.1:9" });
  for (let count = 0; count < 5; count += 1) await invoke(gone);
  expect((await invoke(gone)).status).toBe(503);
  const slow = await made({ timeoutMs: 100 });
  upstream.answer = () => undefined;
  for (let count = 0; count < 5; count += 1) expect((await invoke(slow)).status).toBe(504);
  expect((await invoke(slow)).status).toBe(503);
});

test("a connection test bypasses the breaker, sets the status, and closes the breaker", async () => {
  const id = await opened();
  const failed = await owner(`POST ${ALL}/${id}/test`);
  expect(failed).toMatchObject({ status: 200, events: ["connector.tested"] });
  expect(failed.body.data).toEqual({
    ok: false,
    status: "down",
    latencyMs: expect.any(Number),
    upstreamStatus: 503,
    error: "The other system returned the status 503.",
  });
  upstream.answer = OK;
  const well = await owner(`POST ${ALL}/${id}/test`);
  expect(well.events).toEqual(["connector.tested", "connector.status_changed"]);
  expect(well.body.data).toMatchObject({
    ok: true,
    status: "up",
    upstreamStatus: 200,
    error: null,
  });
  expect((await invoke(id)).status).toBe(200);
  failWith(401);
  const barred = await owner(`POST ${ALL}/${id}/test`);
  expect(barred.body.data).toMatchObject({ ok: false, status: "down", upstreamStatus: 401 });
  expect(barred.events).toEqual(["connector.tested", "connector.status_changed"]);
  expect(await told(id)).toEqual(["unknown to down", "down to up", "up to down"]);
  failWith(404);
  expect((await owner(`POST ${ALL}/${id}/test`)).body.data).toMatchObject({ ok: true });
});

test("a change of the connector closes it", async () => {
  const id = await opened();
  expect((await invoke(id)).status).toBe(503);
  const changed = await owner(`PATCH ${ALL}/${id}`, { config: { baseUrl: `${upstream.url}/new` } });
  expect(changed.events).toEqual(["connector.updated", "connector.status_changed"]);
  upstream.answer = OK;
  expect((await invoke(id)).status).toBe(200);
});

test("all nodes share the failure count, and a change emits one event", async () => {
  const kernel = await Kernel.open({
    database: world.database,
    settings: world.kernel.settings,
    masterKey: TEST_KEY,
    domains,
    log: pino({ level: "silent" }),
    clock: world.clock,
  });
  const app = await buildServer({ kernel, loopDelayMaxMs: Infinity });
  const elsewhere: Ask = async (route, body) => {
    const [method = "", url = ""] = route.split(" ");
    const reply = await app.inject({
      method: method as "POST",
      url,
      headers: {
        authorization: `Bearer ${owner.token}`,
        "x-workspace": "default",
        "content-type": "application/json",
      },
      payload: JSON.stringify(body),
    });
    return { status: reply.statusCode, body: reply.json(), headers: {}, events: [] };
  };
  try {
    const id = await made();
    failWith(500);
    await Promise.all([owner, elsewhere, owner, elsewhere].map((ask) => invoke(id, {}, ask)));
    expect(await told(id)).toEqual([]);
    await Promise.all([owner, elsewhere, elsewhere].map((ask) => invoke(id, {}, ask)));
    expect((await invoke(id, {}, elsewhere)).status).toBe(503);
    expect((await invoke(id)).status).toBe(503);
    expect(await told(id)).toEqual(["unknown to down"]);
    world.clock.advance(31_000);
    upstream.answer = OK;
    upstream.received.length = 0;
    const answers = await Promise.all([owner, elsewhere].map((ask) => invoke(id, {}, ask)));
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await told(id)).toEqual(["unknown to down", "down to up"]);
  } finally {
    await app.close();
    await kernel.close();
  }
});

test("usage reports the breaker, calls by day and action, the last error, and references", async () => {
  const id = await made();
  const usage = async (ask: Ask = owner) => (await ask(`GET ${ALL}/${id}/usage`)).body.data;
  expect(await usage()).toMatchObject({ calls: 0, lastUsedAt: null, lastError: null, usedIn: [] });
  upstream.answer = OK;
  await invoke(id);
  failWith(503);
  for (let count = 0; count < 5; count += 1) await invoke(id);
  const config = { connectorId: id, action: "request", input: {} };
  const workflow = await owner("POST /api/v1/workflows", {
    name: "Calls it",
    trigger: { type: "manual" },
    nodes: [{ id: "call", type: "connector", config }],
    edges: [],
  });
  expect(workflow.status).toBe(201);
  const told = await usage();
  expect(told).toMatchObject({
    breaker: { state: "open", failures: 5, failuresMax: 5, retryAt: expect.any(String) },
    calls: 6,
    errors: 5,
    truncated: false,
    lastError: { action: "request", upstreamStatus: 503 },
    actions: [{ action: "request", calls: 6, errors: 5 }],
    usedIn: [expect.objectContaining({ id: workflow.body.data.id, name: "Calls it" })],
  });
  expect(told.days).toHaveLength(7);
  expect(told.days.at(-1)).toMatchObject({ calls: 6, errors: 5 });
  const stranger = await world.member(["owner"], await world.workspace("usage-elsewhere"));
  expect((await stranger(`GET ${ALL}/${id}/usage`)).status).toBe(404);
});
