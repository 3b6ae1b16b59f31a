import { gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { startWorld, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "./testing/receiver.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ env: receiver.env });
const owner = await world.member(["owner"]);
beforeEach(() => {
  receiver.answer = (_received, response) => response.end("well");
  receiver.received.length = 0;
});

const HOOKS = "/api/v1/webhooks";

async function made(more: object = {}): Promise<string> {
  const draft = { name: "Pinged", url: `${receiver.url}/hook?a=1`, events: ["*"], ...more };
  const { status, body } = await owner(`POST ${HOOKS}`, draft);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
}
const tested = (id: string) => owner(`POST ${HOOKS}/${id}/test`);

test("a ping is sent like a delivery, and its response is returned", async () => {
  const id = await made({ headers: { "X-Team": "ops" } });
  receiver.answer = (_received, response) => response.writeHead(418).end("a teapot");
  const answer = await tested(id);
  expect(answer).toMatchObject({ status: 200, events: ["webhook.tested"] });
  const shown = { status: 418, latency_ms: expect.any(Number), body: "a teapot" };
  expect(answer.body).toEqual({ data: shown, ...shown });
  const [got] = receiver.received;
  const { body: workspace } = await owner("GET /api/v1/workspaces/me");
  expect(got).toMatchObject({
    path: "/hook?a=1",
    headers: {
      "content-type": "application/json",
      "x-team": "ops",
      "x-service-event": "webhook.ping",
      "x-service-delivery": got?.body.id,
      "webhook-id": got?.body.id,
    },
    body: {
      webhook_id: id,
      event: "webhook.ping",
      workspace_id: workspace.data.id,
      data: { message: expect.any(String) },
    },
  });
  expect(Object.keys(got?.body)).toEqual([
    "id",
    "webhook_id",
    "event",
    "timestamp",
    "workspace_id",
    "data",
  ]);
  const { body } = await owner(`GET /api/v1/audit?resourceId=${id}&type=webhook.tested`);
  expect(body.data[0]).toMatchObject({ resource: { type: "webhook", id, displayName: "Pinged" } });
  expect(body.data[0].data).toEqual({ status: 418, latencyMs: answer.body.latency_ms });
});

test("a ping can use the CloudEvents format", async () => {
  const id = await made({ format: "cloudevents" });
  await tested(id);
  expect(receiver.received[0]).toMatchObject({
    headers: { "content-type": "application/cloudevents+json" },
    body: {
      specversion: "1.0",
      type: "webhook.ping",
      subject: `webhook/${id}`,
      webhookid: id,
      data: { message: expect.any(String) },
    },
  });
});

test.each([
  [{}, "Millrace-Webhooks/1"],
  [{ "User-Agent": "Acme/2" }, "Acme/2"],
  [{ "user-AGENT": "Acme/3" }, "Acme/3"],
])("a webhook with the headers %j calls itself %s, once", async (headers, name) => {
  await tested(await made({ headers }));
  const [got] = receiver.received;
  expect(got?.headers["user-agent"]).toBe(name);
  expect(got?.headerNames.filter((one) => one === "user-agent")).toHaveLength(1);
});

test("a paused webhook can be pinged, and stays paused", async () => {
  const id = await made({ status: "paused" });
  expect((await tested(id)).body).toMatchObject({ status: 200, body: "well" });
  expect((await owner(`GET ${HOOKS}/${id}`)).body.data.status).toBe("paused");
});

test("a ping with the same Idempotency-Key is sent once", async () => {
  const id = await made();
  const key = { "idempotency-key": "one-ping" };
  const first = await owner(`POST ${HOOKS}/${id}/test`, undefined, key);
  const second = await owner(`POST ${HOOKS}/${id}/test`, undefined, key);
  expect(second.body).toEqual(first.body);
  expect(receiver.received).toHaveLength(1);
});

test.each([
  ["no answer within the timeout", 100, () => undefined, "no complete response within 100 ms"],
  [
    "a broken connection",
    10_000,
    (_: unknown, response: any) => response.destroy(),
    "the connection failed",
  ],
] as const)("%s has the status 0 and an error", async (_, timeoutMs, answer, words) => {
  receiver.answer = answer;
  const id = await made({ timeoutMs });
  const failed = await tested(id);
  expect(failed).toMatchObject({ status: 200, events: ["webhook.tested"] });
  const shown = {
    status: 0,
    latency_ms: expect.any(Number),
    body: "",
    error: expect.stringContaining(words),
  };
  expect(failed.body).toEqual({ data: shown, ...shown });
  const { body } = await owner(`GET /api/v1/audit?resourceId=${id}&limit=1`);
  expect(body.data[0].data).toEqual({
    status: 0,
    latencyMs: failed.body.latency_ms,
    error: failed.body.error,
  });
});

test("a closed port and an untrusted certificate are errors", async () => {
  const closed = await tested(await made({ url: "https://127.0.0.1:9/hook" }));
  expect(closed.body).toMatchObject({ status: 0, error: expect.stringContaining("ECONNREFUSED") });
  const { MILLRACE_OUTBOUND_CA: _, ...env } = receiver.env;
  await using distrustful = await startWorld({ env });
  const ask = await distrustful.member(["owner"]);
  const draft = { name: "Pinged", url: receiver.url, events: ["*"] };
  const { body } = await ask(`POST ${HOOKS}`, draft);
  const refused = await ask(`POST ${HOOKS}/${body.data.id}/test`);
  expect(refused.body).toMatchObject({ status: 0, error: expect.stringContaining("TLS") });
  expect(receiver.received).toEqual([]);
});

test("stores the first 64 KiB of the response and supports binary data", async () => {
  const id = await made();
  receiver.answer = (_received, response) => response.end("x".repeat(100_000));
  expect((await tested(id)).body).toMatchObject({ status: 200, body: "x".repeat(65_536) });
  receiver.answer = (_received, response) => response.end(gzipSync("\u0000\ud800 text"));
  expect((await tested(id)).body).toMatchObject({ status: 200, body: expect.any(String) });
});

test("secrets are inserted into headers when sending, and removed from responses", async () => {
  await owner("POST /api/v1/secrets", { name: "PAGER", value: "vault-value-77" });
  const id = await made({
    secret: "signing-value-88",
    headers: { Authorization: "Bearer {{secrets.PAGER}}", "X-Api-Key": "literal-value-99" },
  });
  receiver.answer = ({ headers }, response) =>
    response.end(
      `${headers.authorization} ${String(headers["x-api-key"])} signing-value-88 ` +
        Buffer.from("vault-value-77").toString("base64"),
    );
  const answer = await tested(id);
  expect(receiver.received[0]?.headers).toMatchObject({
    authorization: "Bearer vault-value-77",
    "x-api-key": "literal-value-99",
  });
  expect(answer.body.body).toBe(
    "Bearer [secret PAGER] [secret X-Api-Key] [secret of this webhook] [secret PAGER]",
  );
  await owner("PUT /api/v1/secrets/PAGER", { value: "rotated-value-78" });
  await tested(id);
  expect(receiver.received[1]?.headers.authorization).toBe("Bearer rotated-value-78");
});

test("a missing secret, or one that is not a valid header value, sends nothing", async () => {
  await owner("POST /api/v1/secrets", { name: "BRIEF", value: "two\r\nlines: 1" });
  const id = await made({ headers: { "X-Value": "{{secrets.BRIEF}}" } });
  const refused = await tested(id);
  expect(refused.body).toMatchObject({ status: 0, error: expect.stringContaining("X-Value") });
  expect(JSON.stringify(refused.body)).not.toContain("lines");
  await owner("DELETE /api/v1/secrets/BRIEF");
  expect(await tested(id)).toMatchObject({
    status: 422,
    body: { code: "unknown_secret" },
    events: [],
  });
  expect(receiver.received).toEqual([]);
});
