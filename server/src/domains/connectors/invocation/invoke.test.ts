import { describe, expect, test } from "vitest";
import type { Answer } from "#kernel/testing/world.ts";
import { CONNECTORS, useHttpConnectors } from "../testing/connector.ts";
import { json, OK } from "../testing/upstream.ts";

const { upstream, world, owner, create: made, request } = await useHttpConnectors();

async function eventOf(answer: Answer, type: string): Promise<any> {
  const [row] = await world.sql(
    "select data, environment from events where request_id = $1 and type = $2",
    [answer.headers["x-request-id"], type],
  );
  return row;
}

test("sends a request as specified, and returns the parsed response", async () => {
  const id = await made({ headers: { "X-Team": "ops", Accept: "application/json" } });
  const answer = await request(id, {
    method: "POST",
    path: "/users?active=1",
    query: { tag: ["a", "b"], depth: 2 },
    headers: { "x-team": "sales" },
    body: { name: "Ada" },
  });
  expect(answer.events).toEqual(["connector.invoked", "connector.status_changed"]);
  expect(answer.body).toMatchObject({
    data: { status: 200, headers: { "content-type": "application/json" }, body: { ok: true } },
  });
  expect(upstream.received).toMatchObject([
    {
      method: "POST",
      path: "/api/users?active=1&tag=a&tag=b&depth=2",
      headers: {
        "x-team": "sales",
        accept: "application/json",
        "content-type": "application/json",
      },
      text: '{"name":"Ada"}',
    },
  ]);
  const again = await request(id, { url: `${upstream.url}/api/users` });
  expect(again.events).toEqual(["connector.invoked"]);
  expect((await eventOf(again, "connector.invoked")).data).toEqual({
    connectorId: id,
    action: "request",
    ok: true,
    upstreamStatus: 200,
    durationMs: expect.any(Number),
  });
});

test("sends a body as text, as a form, or as JSON", async () => {
  const id = await made();
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  await request(id, { method: "POST", body: { a: "1 2", b: ["x", "y"] }, headers: form });
  await request(id, { method: "PUT", body: "<x/>", headers: { "content-type": "text/xml" } });
  await request(id, { method: "PATCH", body: [1, null] });
  expect(upstream.received.map(({ headers, text }) => [headers["content-type"], text])).toEqual([
    ["application/x-www-form-urlencoded", "a=1+2&b=x&b=y"],
    ["text/xml", "<x/>"],
    ["application/json", "[1,null]"],
  ]);
  upstream.answer = (_received, response) => response.end("plain {");
  expect((await request(id)).body.data.body).toBe("plain {");
});

test("uses the environment of the request", async () => {
  const id = await made();
  const staged = await request(id, {}, { "x-environment": "staging" });
  expect(await eventOf(staged, "connector.invoked")).toMatchObject({ environment: "staging" });
  expect(await eventOf(staged, "connector.status_changed")).toMatchObject({
    environment: "staging",
  });
});

test("returns 502 with the upstream status and message, and records the error", async () => {
  const id = await made();
  for (const status of [400, 404, 422, 500, 503]) {
    upstream.answer = (_received, response) => json(response, { why: "no such user" }, status);
    const answer = await request(id, { path: "/users/7" });
    expect(answer).toMatchObject({
      status: 502,
      body: {
        code: "upstream_failed",
        detail: `The other system returned the status ${status}.`,
        upstreamStatus: status,
        upstreamBody: { why: "no such user" },
      },
    });
    expect(answer.events[0]).toBe("connector.invoked");
    expect((await eventOf(answer, "connector.invoked")).data).toMatchObject({
      ok: false,
      upstreamStatus: status,
      error: "upstream_failed",
    });
  }
  upstream.answer = (_received, response) => response.writeHead(500).end("x".repeat(100_000));
  expect((await request(id)).body.upstreamBody).toHaveLength(2_000);
});

test("a missing connector or invalid input fails immediately, without a request", async () => {
  const id = await made();
  const invoke = (body: object) => owner(`POST ${CONNECTORS}/${id}/invoke`, body);
  const none = { events: [] };
  expect(await invoke({ action: "requests" })).toMatchObject({
    status: 404,
    body: { code: "unknown_action" },
    ...none,
  });
  const bad = await invoke({ action: "request", input: { method: "FETCH", colour: 1, path: 7 } });
  expect(bad).toMatchObject({ status: 422, body: { code: "invalid" }, ...none });
  expect(bad.body.errors.map(({ path }: any) => path).toSorted()).toEqual([
    "/input/colour",
    "/input/method",
    "/input/path",
  ]);
  expect(await invoke({ action: "request", input: [] })).toMatchObject({ status: 422, ...none });
  const elsewhere = await owner(`POST ${CONNECTORS}/con_01jd0000000000000000000000/invoke`, {
    action: "request",
  });
  expect(elsewhere).toMatchObject({ status: 404, body: { code: "not_found" }, ...none });
  expect(upstream.received).toEqual([]);
});

test.each([
  { url: "https://evil.example/api/x" },
  { url: "https://127.0.0.1/api/x" },
  { url: "http://169.254.169.254/api/" },
  { url: "file:///etc/passwd" },
  { url: "nonsense" },
  { url: "HERE/other" },
  { url: "HERE/apiary" },
  { url: "HERE@evil.example/api/" },
  { path: "/../admin" },
  { path: "/%2e%2e/admin" },
  { path: "/x/..\\..\\..\\admin" },
  { path: "..\\admin" },
  { path: "/\t../\n../admin" },
])("%j does not lead out of the connector's own address", async (given: Record<string, string>) => {
  const id = await made();
  const input = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value.replace("HERE", upstream.url)]),
  );
  const answer = await request(id, input);
  expect(answer).toMatchObject({ status: 422, events: [] });
  expect(answer.body.errors).toEqual([
    { path: `/input/${Object.keys(given)[0]}`, message: expect.stringContaining("must be below") },
  ]);
  expect(upstream.received).toEqual([]);
});

test.each([
  ["//evil.example/x", "/api//evil.example/x"],
  ["@evil.example", "/api/@evil.example"],
  ["/a/../b", "/api/b"],
  ["?q=1#part", "/api?q=1"],
  ["", "/api"],
])("the path %j stays within", async (path, arrived) => {
  const id = await made();
  expect((await request(id, { path })).status).toBe(200);
  expect(upstream.received.map((one) => one.path)).toEqual([arrived]);
});

describe("retries", () => {
  const failing = (times: number, status = 503, headers: Record<string, string> = {}) => {
    let left = times;
    upstream.answer = (received, response) => {
      left -= 1;
      if (left < 0) OK(received, response);
      else response.writeHead(status, headers).end();
    };
  };

  test("retries idempotent requests while the upstream has problems", async () => {
    const id = await made({ retries: 2 });
    for (const method of ["GET", "PUT", "DELETE"]) {
      failing(2, 429, { "retry-after": "0" });
      upstream.received.length = 0;
      expect((await request(id, { method })).status, method).toBe(200);
      expect(upstream.received).toHaveLength(3);
    }
    failing(3);
    upstream.received.length = 0;
    expect((await request(id)).body.upstreamStatus).toBe(503);
    expect(upstream.received).toHaveLength(3);
  });

  test("does not retry other requests, or rejected ones", async () => {
    const id = await made({ retries: 2 });
    failing(1);
    expect((await request(id, { method: "POST" })).body.upstreamStatus).toBe(503);
    failing(1, 404);
    expect((await request(id)).body.upstreamStatus).toBe(404);
    expect(upstream.received).toHaveLength(2);
  });

  test("does not start a wait that exceeds the remaining time", async () => {
    const id = await made({ retries: 2 });
    failing(1, 503, { "retry-after": "3600" });
    expect((await request(id)).body.upstreamStatus).toBe(503);
    expect(upstream.received).toHaveLength(1);
  });

  test("sends the same idempotency key with all attempts", async () => {
    const id = await made({ retries: 1 });
    failing(1, 500);
    const body = { action: "request", input: { method: "PUT" }, idempotencyKey: "order-77" };
    expect((await owner(`POST ${CONNECTORS}/${id}/invoke`, body)).status).toBe(200);
    const keys = upstream.received.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(["order-77", "order-77"]);
  });
});

test("a connection failure is a 502, also for non-idempotent requests", async () => {
  // No server listens on this port.
  const id = await made({ baseUrl: "http://127.0.0.1:9", retries: 1 });
  const answer = await request(id, { method: "POST" });
  expect(answer).toMatchObject({
    status: 502,
    body: {
      code: "upstream_failed",
      upstreamStatus: null,
      detail: expect.stringContaining("ECONNREFUSED"),
    },
    events: ["connector.invoked"],
  });
});

test("a timeout is a 504", async () => {
  const id = await made({ timeoutMs: 100, retries: 5 });
  upstream.answer = (_received, response) => response.flushHeaders();
  const answer = await request(id);
  expect(answer).toMatchObject({
    status: 504,
    body: { code: "upstream_timed_out" },
    events: ["connector.invoked"],
  });
  expect((await eventOf(answer, "connector.invoked")).data).toMatchObject({
    ok: false,
    upstreamStatus: null,
    error: "upstream_timed_out",
  });
});

test("a response that is too large is not stored", async () => {
  const id = await made();
  upstream.answer = (_received, response) => void response.end(Buffer.alloc(1_048_577));
  expect((await request(id)).body).toMatchObject({
    code: "upstream_failed",
    detail: "The response is larger than 1 MiB.",
  });
  upstream.answer = (_received, response) => void response.end(Buffer.alloc(1_048_576, "x"));
  expect((await request(id)).status).toBe(200);
  upstream.answer = (_received, response) =>
    void response.writeHead(500).end(Buffer.alloc(2_000_000, "x"));
  expect((await request(id)).body).toMatchObject({ upstreamStatus: 500 });
});

test("sends a request with an Idempotency-Key again only after a failure", async () => {
  const id = await made();
  const key = { "idempotency-key": "invoke-once" };
  upstream.answer = (_received, response) => json(response, {}, 500);
  expect((await request(id, { method: "POST" }, key)).status).toBe(502);
  upstream.answer = OK;
  const second = await request(id, { method: "POST" }, key);
  expect(second.status).toBe(200);
  const third = await request(id, { method: "POST" }, key);
  expect(third).toMatchObject({ status: 200, events: [] });
  expect(third.body).toEqual(second.body);
  expect(upstream.received).toHaveLength(2);
});
