import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const PORT = 18_231;
const world = await useWorld({
  work: true,
  env: { MILLRACE_BASE_URL: `http://127.0.0.1:${PORT}` },
});
const owner = await world.member(["owner"]);
const viewer = await world.member(["viewer"]);
const ENDPOINTS = "/api/v1/test-endpoints";

async function make(more: object = {}) {
  const { body } = await owner(`POST ${ENDPOINTS}`, { name: "Try it", ...more });
  return body.data;
}
const requestsOf = async (id: string) => (await owner(`GET ${ENDPOINTS}/${id}/requests`)).body.data;

test("requests to a test endpoint are shown to its workspace, without credentials and outside the log", async () => {
  const answer = await owner(`POST ${ENDPOINTS}`, { answerStatus: 418, answerBody: "a teapot" });
  expect(answer).toMatchObject({ status: 201, events: ["test_endpoint.created"] });
  const { id, url } = answer.body.data;
  const [created] = (await owner(`GET /api/v1/audit?resourceId=${id}`)).body.data;
  expect(JSON.stringify(created)).not.toContain(url);

  const sent = await owner(
    `POST ${new URL(url).pathname}?token=abc&kind=try`,
    { hello: "there" },
    {
      "x-api-key": "hidden from all",
      "webhook-signature": "v1,shown",
    },
  );
  expect(sent).toMatchObject({ status: 418, events: [] });
  expect(await requestsOf(id)).toMatchObject([
    {
      number: 1,
      answered: 418,
      body: '{"hello":"there"}',
      query: { token: "***", kind: "try" },
      headers: { "x-api-key": "***", "webhook-signature": "v1,shown", authorization: "***" },
    },
  ]);
  expect(await viewer(`GET ${ENDPOINTS}/${id}/requests`)).toMatchObject({ status: 403 });
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    const { status } = await world.stranger(`${method} ${new URL(url).pathname}?by=${method}`);
    expect([method, status]).toEqual([method, 418]);
  }
  const methods = (await requestsOf(id)).map(({ method }: any) => method);
  expect(methods).toEqual(["DELETE", "PATCH", "PUT", "GET", "POST"]);
  expect(JSON.stringify(await requestsOf(id))).not.toContain(":method");
});

test("an expired or busy endpoint accepts no requests", async () => {
  const { id, url } = await make();
  const path = new URL(url).pathname;
  await world.sql("update test_endpoints set received = 2000 where id = $1", [id]);
  expect(await owner(`POST ${path}`, {})).toMatchObject({
    status: 410,
    body: { code: "test_endpoint_full" },
  });
  await world.sql(
    "update test_endpoints set expires_at = now() - interval '1 second' where id = $1",
    [id],
  );
  expect(await owner(`POST ${path}`, {})).toMatchObject({ status: 404 });
  expect(await owner(`GET ${ENDPOINTS}/${id}`)).toMatchObject({ status: 404 });
  expect(await owner("POST /listen/unknown", {})).toMatchObject({ status: 404 });
});

test("a webhook can reach the same installation only at test endpoint paths", async () => {
  await world.app.listen({ host: "127.0.0.1", port: PORT });
  await owner("POST /api/v1/secrets", { name: "PAGER", value: "very secret value" });
  const { id, url } = await make({ answerStatus: 500 });
  const hook = {
    name: "To ourselves",
    url,
    events: ["test_endpoint.updated"],
    headers: { "X-Team": "{{secrets.PAGER}}" },
    retries: 0,
  };
  const inner = { ...hook, url: `http://127.0.0.1:${PORT}/listen/../api/v1/webhooks` };
  expect(await owner("POST /api/v1/webhooks", inner)).toMatchObject({ status: 422 });
  // A proxy may decode it, and resolve the path to a parent.
  const encoded = { ...hook, url: `http://127.0.0.1:${PORT}/listen/..%2fapi%2fv1%2fwebhooks` };
  expect(await owner("POST /api/v1/webhooks", encoded)).toMatchObject({ status: 422 });
  const { body } = await owner("POST /api/v1/webhooks", hook);
  const webhookId = body.data.id as string;

  // The same address, spelled in another way.
  const { id: otherId, url: other } = await make();
  const spelled = new URL(other).pathname.replace(
    /.$/,
    (last) => `%${last.charCodeAt(0).toString(16)}`,
  );
  await owner(`POST ${spelled}`, {}, { "x-team": "very secret value" });
  expect(await requestsOf(otherId)).toMatchObject([{ headers: { "x-team": "***" } }]);

  await owner(`PATCH ${ENDPOINTS}/${id}`, { name: "Renamed" });
  await until(async () => (await requestsOf(id)).length === 1);
  const [request] = await requestsOf(id);
  expect(request).toMatchObject({ answered: 500, headers: { "x-team": "***" } });
  expect(JSON.parse(request.body)).toMatchObject({ event: "test_endpoint.updated" });

  const healthOf = async () =>
    (await owner(`GET /api/v1/webhooks/health?id=${webhookId}`)).body.data[0];
  await until(async () => (await healthOf()).failed === 1);
  expect(await healthOf()).toMatchObject({
    successShare: 0,
    recent: ["failed"],
    lastFailure: { eventType: "test_endpoint.updated", status: 500 },
  });

  await owner(`PATCH ${ENDPOINTS}/${id}`, { answerStatus: 200 });
  await until(async () => (await healthOf()).succeeded === 1);
  const { body: recovery } = await owner(`POST /api/v1/webhooks/${webhookId}/recover`, {
    since: "2026-01-01T00:00:00Z",
  });
  const find = async () =>
    (await owner(`GET /api/v1/webhooks/${webhookId}/recoveries`)).body.data.find(
      (one: any) => one.id === recovery.data.id,
    );
  await until(async () => (await find()).finishedAt !== null);
  expect(await find()).toMatchObject({ matched: 2, created: 0, retried: 1 });
  await until(async () => (await healthOf()).succeeded === 2);
  expect(await healthOf()).toMatchObject({ successShare: 1, lastFailure: null });
  const [usage] = (await owner("GET /api/v1/secrets/PAGER/usage")).body.data.usedIn;
  expect(usage).toMatchObject({ kind: "webhook", id: webhookId });
});
