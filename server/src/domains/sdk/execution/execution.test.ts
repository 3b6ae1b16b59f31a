import { expect, test } from "vitest";
import { startNode, send } from "#domains/bus/testing/node.ts";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { type Ask, useFixture, useWorld } from "#kernel/testing/world.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ env: receiver.env });
const owner = await world.member(["owner"]);

let count = 0;
async function made(scriptSource: string, more: object = {}): Promise<string> {
  count += 1;
  const { body, status } = await owner("POST /api/flowsdk/artifacts", {
    name: `made ${count}`,
    artifactType: "workflow_node",
    detail: { scriptSource, ...more },
  });
  expect(status).toBe(201);
  return `/api/flowsdk/artifacts/${body.data.id}`;
}

const executed = async (path: string, inputPayload: object = {}, ask: Ask = owner) =>
  ask(`POST ${path}/execute`, { inputPayload, triggerType: "manual" });

test("an execution returns exactly the declared outputs", async () => {
  const path = await made(
    "input.seen = true; context.addMessage('info', 'Done'); context.ui.set('name', { readonly: true });" +
      "return { sum: input.a + input.b };",
  );
  const { status, body, events } = await executed(path, { a: 1, b: 2 });
  expect(status).toBe(200);
  expect(events).toEqual(["artifact.executed"]);
  expect(body).toEqual({
    success: true,
    data: {
      aborted: false,
      abortReason: null,
      current: { a: 1, b: 2, seen: true },
      previous: null,
      output: { sum: 3 },
      runtimeError: null,
      messages: [{ level: "info", text: "Done" }],
      uiStateChanges: [{ field: "name", change: { readonly: true } }],
    },
  });
});

test("returns and records an error with its position and an abort with its reason", async () => {
  const path = await made(
    "if (input.stop) context.abort('Not today');\n  throw new TypeError('No');",
  );
  const failed = await executed(path);
  expect(failed.status).toBe(200);
  expect(failed.body).toMatchObject({
    success: false,
    data: { aborted: false, runtimeError: { name: "TypeError", message: "No", line: 2 } },
  });
  const aborted = await executed(path, { stop: true });
  expect(aborted.body).toMatchObject({
    success: true,
    data: { aborted: true, abortReason: "Not today", runtimeError: null },
  });
  const { body } = await owner(`GET ${path}/executions`);
  expect(body.data.map(({ status, triggerType }: any) => [status, triggerType])).toEqual([
    ["aborted", "manual"],
    ["failed", "manual"],
  ]);
  const { body: one } = await owner(`GET ${path}/executions/${body.data[1].id}`);
  expect(one.data.outcome.runtimeError.name).toBe("TypeError");
});

test("validates inputs and outputs by the artifact's declaration", async () => {
  const path = await made(
    `export default defineArtifact({
       inputs: { n: { type: "integer", required: true } }, outputs: { m: { type: "integer", required: true } },
       execute: (input) => (input.n > 1 ? { m: input.n } : { m: "one" }) })`,
  );
  expect((await executed(path, { n: 2 })).body).toMatchObject({
    success: true,
    data: { output: { m: 2 } },
  });
  const refused = await executed(path, { n: "2" });
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ path: "/inputPayload/n", message: "must be of type integer" }],
  ]);
  expect(refused.events).toEqual([]);
  expect((await executed(path, { n: 1 })).body).toMatchObject({
    success: false,
    data: { runtimeError: { name: "OutputError" } },
  });
});

test("a draft can be executed manually, a disabled artifact can't", async () => {
  const path = await made("return 1;");
  expect((await executed(path)).body.data.output).toEqual({ result: 1 });
  await owner(`PATCH ${path}`, { status: "disabled" });
  const refused = await executed(path);
  expect([refused.status, refused.body.code]).toEqual([409, "artifact_disabled"]);
});

test("the context reads and writes records, publishes and calls external systems with the caller's permissions", async () => {
  await owner("POST /api/v1/tables", {
    name: "Things",
    slug: "things",
    columns: [{ name: "title", type: "text", required: true }],
  });
  receiver.answer = (_, response) =>
    void response.setHeader("content-type", "application/json").end('{"pong":true}');
  const path = await made(`
    const made = await context.tables.create("things", { title: "One" });
    await context.tables.update("things", made.id, { title: "Two" });
    const found = await context.tables.list("things", { filter: { title: "Two" } });
    const one = await context.tables.get("things", made.id);
    await context.tables.delete("things", made.id);
    const event = await context.events.publish("sdk.tests", { type: "thing.seen", payload: { n: 1 } });
    const answer = await context.http.request({ url: ${JSON.stringify(receiver.url)}, method: "POST", body: { ping: 1 } });
    context.log.info("called", { status: answer.status });
    return { found: found.length, title: one.title, deduplicated: event.deduplicated,
             pong: answer.body.pong, place: context.workspace.slug, environment: context.environment };
  `);
  const { body, events } = await executed(path);
  expect(body.data.runtimeError).toBeNull();
  expect(body.data.output).toEqual({
    found: 1,
    title: "Two",
    deduplicated: false,
    pong: true,
    place: "default",
    environment: "production",
  });
  expect(events).toEqual([
    "record.created",
    "record.updated",
    "record.deleted",
    "thing.seen",
    "artifact.executed",
  ]);
  const member = await world.member(["agent"]);
  const poor = await world.member(["viewer"]);
  expect((await executed(path, {}, poor)).status).toBe(403);
  const path2 = await made("await context.tables.create('things', {}); return 1;");
  expect((await executed(path2, {}, member)).body.data.runtimeError).toMatchObject({
    message: expect.stringMatching(/title|valid/i),
  });
});

const DEEP =
  "(() => { let deep = {}; for (let n = 0; n < LEVELS; n += 1) deep = { deep }; return deep; })()";
test.each([
  ["context.tables.list('things', { q: 'a\\u0000' })", "invalid"],
  ["context.secrets.get('\\u0000')", "invalid"],
  ["context.events.publish('sdk.tests', { type: 'a.b', payload: { x: 'a\\u0000' } })", "invalid"],
  ["context.events.publish('sdk.tests', { type: 'a.b', payload: { x: '\\ud800' } })", "invalid"],
  [
    `context.events.publish('sdk.tests', { type: 'a.b', payload: ${DEEP.replace("LEVELS", "100")} })`,
    "invalid",
  ],
  [
    `context.http.request({ url: 'https://example.com', body: ${DEEP.replace("LEVELS", "2000")} })`,
    "too_large",
  ],
  ["context.http.request({ method: 'get', url: 'http://10.0.0.1/' })", "outbound_refused"],
  ["context.http.request({ url: 'ftp://example.com' })", "invalid"],
  ["context.http.request()", "invalid"],
])("rejects a call for the same reason as a request: %s", async (call, code) => {
  const path = await made(
    `try { return { done: await ${call} }; } catch ({ code, errors }) { return { code, errors }; }`,
  );
  const { body, events } = await executed(path);
  expect(body.data.output).toMatchObject({ code });
  expect(events).toEqual(["artifact.executed"]);
});

test("a secret requires its author's permission and is never disclosed", async () => {
  await owner("POST /api/v1/secrets", { name: "SDK_KEY", value: "sesame-4c1d88" });
  await owner("POST /api/v1/tables", {
    name: "Notes",
    slug: "notes",
    columns: [{ name: "text", type: "text" }],
  });
  const path = await made(`
    const key = await context.secrets.get('SDK_KEY');
    context.log.info(key);
    const note = await context.tables.create('notes', { text: 'The key is ' + key });
    await context.events.publish('sdk.tests', { type: 'key.told', payload: { key: btoa(key) } });
    return { key, note: note.text, length: key.length };`);
  const agent = await world.member(["agent"]);
  const { body } = await executed(path, {}, agent);
  expect(body.data.runtimeError).toBeNull();
  expect(body.data.output).toMatchObject({ length: 13 });
  expect(JSON.stringify(body)).not.toContain("sesame");
  const kept = await world.sql("select outcome::text from artifact_executions");
  const told = await world.sql("select data::text from events");
  const { body: notes } = await owner("GET /api/v1/tables/notes/records");
  expect(notes.data).toHaveLength(1);
  const all = JSON.stringify([kept, told, notes, world.lines]);
  expect(all).not.toContain("sesame");
  expect(all).not.toContain(btoa("sesame-4c1d88"));
});

test("stops an endless script and aborts calls to an unresponsive server", async () => {
  const path = await made("for (;;);", { timeoutMs: 200 });
  expect((await executed(path)).body).toMatchObject({
    success: false,
    data: { runtimeError: { name: "TimeoutError" } },
  });
  receiver.answer = (_, response) => void response.writeHead(500).end();
  const calling = await made(`
    const codes = [];
    for (let n = 0; n < 6; n += 1) {
      try { codes.push((await context.http.request({ method: "POST", body: {}, url: ${JSON.stringify(receiver.url)} })).status); }
      catch (error) { codes.push(error.code); }
    }
    return { codes };`);
  const { body } = await executed(calling);
  expect(body.data.output.codes).toEqual([500, 500, 500, 500, 500, "circuit_open"]);
});

test("test cases report each difference and have no side effects", async () => {
  const path = await made(
    `const { body } = await context.http.request({ url: "https://example.com/price" });
     if (body.price > 100) throw new RangeError("Too dear");
     return { price: body.price, item: input.item };`,
  );
  const mocks = (price: number) => ({
    "http.request": [
      { args: [{ url: "https://example.com/price" }], returns: { body: { price } } },
    ],
  });
  const input = { inputPayload: { item: "pen" } };
  const cases = [
    { name: "good", ...input, expected: { price: 5, item: "pen" }, mocks: mocks(5) },
    { name: "off", ...input, expected: { price: 6, item: "pen", more: 1 }, mocks: mocks(5) },
    {
      name: "throws",
      ...input,
      expected: { runtimeError: { name: "RangeError" } },
      mocks: mocks(500),
    },
    { name: "unmocked", ...input, expected: { price: 5 } },
  ];
  for (const testCase of cases) {
    const { status, events } = await owner(`POST ${path}/test-cases`, testCase);
    expect([status, events]).toEqual([201, ["artifact_test_case.created"]]);
  }
  const { body, events } = await owner(`POST ${path}/test-cases/run-all`);
  expect(events).toEqual(["artifact.tested"]);
  expect(body.data).toMatchObject({ passed: 2, failed: 2 });
  const byName = new Map<string, any>(
    body.data.results.map((result: any) => [result.name, result]),
  );
  expect(byName.get("off").diff).toEqual([
    { path: "/more", expected: 1, actual: null },
    { path: "/price", expected: 6, actual: 5 },
  ]);
  expect(byName.get("unmocked").runtimeError.message).toMatch(/http\.request/);
  // A missing sandbox slot is not a failure of the artifact.
  await using full = await startNode(world);
  await full.kernel.sandbox.close();
  const busy = await send(full.app, owner, `POST ${path}/test-cases/run-all`);
  expect([busy.status, busy.body.code]).toEqual([503, "sandbox_busy"]);
});
