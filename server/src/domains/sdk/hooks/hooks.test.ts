import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

let count = 0;
async function handler(scriptSource: string, more: object = {}) {
  count += 1;
  const { body, status } = await owner("POST /api/flowsdk/artifacts", {
    name: `handler ${count}`,
    artifactType: "webhook_handler",
    moduleKey: "shop",
    status: "active",
    detail: { scriptSource },
    ...more,
  });
  expect(status).toBe(201);
  const bare = `/hooks/default/shop/handler%20${count}`;
  const { pathname: path } = new URL(body.data.url ?? bare, "http://localhost");
  return { id: String(body.data.id), path, bare };
}
const post = (path: string, body?: string, headers: Record<string, string> = {}) =>
  world.stranger(`POST ${path}`, body, headers);
const EXECUTED = ["artifact.executed"];

test("a script receives the raw request, and its return value is the response", async () => {
  const { path } = await handler("return input;");
  const text = '\ufeff { "a": "ü" }'.slice(1);
  const answer = await post(`${path}?b=1&b=2`, text, { "x-event": "push", cookie: "a=b" });
  expect(answer).toMatchObject({
    status: 200,
    body: { body: { a: "ü" }, rawBody: text, query: { b: ["1", "2"] }, method: "POST" },
    events: EXECUTED,
  });
  expect(answer.body.headers).toMatchObject({ "x-event": "push" });
  expect(answer.body.headers).not.toHaveProperty("cookie");
});

test.each<[string, string, object]>([
  [
    "an answer in full",
    "return { status: 201, headers: { 'X-Kind': 'new' }, body: { a: 1 } };",
    {
      status: 201,
      body: { a: 1 },
      headers: { "x-kind": "new" },
    },
  ],
  [
    "text",
    "return { status: 200, body: 'pong' };",
    {
      status: 200,
      body: "pong",
      headers: { "content-type": "text/plain; charset=utf-8" },
    },
  ],
  ["any JSON", "return [1, 2];", { status: 200, body: [1, 2] }],
  ["a plain text", "return 'pong';", { status: 200, body: "pong" }],
  [
    "what only looks like an answer",
    "return { status: 'new', id: 1 };",
    {
      status: 200,
      body: { status: "new", id: 1 },
    },
  ],
  ["nothing", "return;", { status: 204, body: undefined }],
  [
    "a refusal of its own",
    "return { status: 401, body: { error: 'Who are you?' } };",
    {
      status: 401,
      body: { error: "Who are you?" },
    },
  ],
])("it may answer with %s", async (_, source, expected) => {
  const { path } = await handler(source);
  expect(await post(path, "{}")).toMatchObject({ ...expected, events: EXECUTED });
});

test("its address contains a secret unless it is open, and browsers show its pages in a sandbox", async () => {
  const page = `return { status: 200, body: "<form action=https://evil.example>",
    headers: { "content-type": "text/html", refresh: "0; url=https://evil.example", link: "<x>",
               "Access-Control-Allow-Origin": "*", "content-security-policy": "default-src *" } };`;
  const { id, path, bare } = await handler(page);
  const other = await handler("return 1;");
  expect(path).toMatch(new RegExp(`^${bare}/[A-Za-z0-9_-]{32}$`));
  for (const wrong of [bare, `${bare}/x`, `${bare}/${other.path.split("/").at(-1)}`]) {
    expect(await post(wrong, "{}")).toMatchObject({ status: 404, events: [] });
  }
  const { headers, status } = await post(path, "{}");
  expect(status).toBe(200);
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; sandbox; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(Object.keys(headers)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(refresh|link|access-control-.*)$/)]),
  );
  // Only visible to users who can edit it, and not in events.
  const reader = await world.member(["viewer"]);
  expect((await reader(`GET /api/flowsdk/artifacts/${id}`)).body.data).not.toHaveProperty("url");
  const [{ told }] = await world.sql("select string_agg(data::text, '') as told from events");
  expect(told).not.toContain(path.split("/").at(-1));
  const opened = await owner(`PATCH /api/flowsdk/artifacts/${id}`, {
    detail: { openAddress: true },
  });
  expect(new URL(opened.body.data.url).pathname).toBe(bare);
  for (const known of [bare, path]) expect((await post(known, "{}")).status).toBe(200);
});

test("it sets no cookies, and only users with access to its executions see its errors", async () => {
  const cookie = await handler(
    "return { status: 200, headers: { 'set-cookie': 'a=b' }, body: '' };",
  );
  expect((await post(cookie.path)).headers).not.toHaveProperty("set-cookie");
  const failing = await handler("throw new Error('The key is under the mat');");
  const failed = await post(failing.path, "{}");
  expect(failed).toMatchObject({ status: 500, body: { code: "handler_failed" }, events: EXECUTED });
  expect(JSON.stringify(failed.body)).not.toContain("mat");
  const { body } = await owner(`GET /api/flowsdk/artifacts/${failing.id}/executions`);
  expect(body.data).toMatchObject([{ status: "failed", triggerType: "webhook" }]);
  const aborting = await handler("context.abort('Not from you');");
  expect(await post(aborting.path)).toMatchObject({
    status: 400,
    body: { code: "handler_aborted", detail: "Not from you" },
    events: EXECUTED,
  });
});

test("it verifies signatures with a secret; signatures and credentials are not stored", async () => {
  await owner("POST /api/v1/secrets", { name: "HOOK_KEY", value: "a secret key" });
  const { id, path } = await handler(`
    const key = await context.secrets.get("HOOK_KEY");
    const expected = "sha256=" + crypto.hmac("sha256", key, input.rawBody);
    if (!crypto.timingSafeEqual(expected, input.headers["x-signature"] ?? "")) {
      return { status: 401, body: { error: "bad signature" } };
    }
    return { ok: true, from: input.headers.authorization, key };`);
  const body = '{ "a":  1 }';
  const signature = `sha256=${createHmac("sha256", "a secret key").update(body).digest("hex")}`;
  expect(await post(path, body, { "x-signature": `${signature}0` })).toMatchObject({ status: 401 });
  expect(await post(path, body)).toMatchObject({ status: 401 });
  const authorization = "Basic c2VuZGVyOnBhc3M=";
  const good = await post(path, body, { "x-signature": signature, authorization });
  expect(good).toMatchObject({ status: 200, body: { ok: true, from: authorization } });
  expect(JSON.stringify(good.body)).not.toContain("a secret key");
  const own = await post(path, body, {
    "x-signature": signature,
    authorization: "Bearer mr_guess",
  });
  expect(own.body).not.toHaveProperty("from");
  const [{ kept }] = await world.sql(
    "select string_agg(outcome #>> '{outcome,current}', '') as kept from artifact_executions where artifact_id = $1",
    [id],
  );
  expect(kept).not.toContain("c2VuZGVyOnBhc3M=");
  expect(kept).not.toContain("a secret key");
});

test("runs with the last editor's permissions in the environment of the URL", async () => {
  await owner(
    "POST /api/v1/tables",
    { name: "Orders", columns: [{ name: "n", type: "integer" }] },
    {
      "x-environment": "staging",
    },
  );
  const { id, path } = await handler(
    "return await context.tables.create('orders', { n: input.body.n });",
  );
  const made = await post(`${path}?environment=staging`, '{"n":1}');
  expect(made).toMatchObject({ status: 200, body: { n: 1 } });
  expect((await post(path, '{"n":1}')).status).toBe(500);
  const rows = await world.sql(
    "select environment, status from artifact_executions where artifact_id = $1 order by environment",
    [id],
  );
  expect(rows).toEqual([
    { environment: "production", status: "failed" },
    { environment: "staging", status: "completed" },
  ]);
  const { body } = await owner("GET /api/v1/audit?type=record.created", undefined, {
    "x-environment": "staging",
  });
  expect(body.data[0]).toMatchObject({ actor: { id, type: "system" }, depth: 1 });
});

test("missing, inactive and other artifacts give the same error, and requests are rate limited", async () => {
  const draft = await handler("return 1;", { status: "draft" });
  const other = await handler("return 1;", { artifactType: "workflow_node" });
  const paths = [draft.path, other.path, "/hooks/default/shop/nothing", "/hooks/nowhere/shop/a"];
  for (const path of paths) {
    expect(await post(path, "{}")).toMatchObject({
      status: 404,
      body: { code: "not_found" },
      events: [],
    });
  }
  const { path } = await handler("return input.rawBody.length;");
  expect((await post(path, "x".repeat(1_048_577), { "content-type": "text/plain" })).status).toBe(
    413,
  );
  expect((await world.stranger(`GET ${path}`)).status).toBe(405);
  expect((await post(path, "{")).status).toBe(400);
  // The author is responsible for inputs that it does not accept.
  const strict = await handler("return 1;", {
    detail: { scriptSource: "return 1;", inputs: { body: { type: "object", required: true } } },
  });
  expect((await post(strict.path, "text", { "content-type": "text/plain" })).status).toBe(500);
});
