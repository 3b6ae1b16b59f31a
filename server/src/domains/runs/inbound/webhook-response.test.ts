import { expect, test } from "vitest";
import { startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { startWorld, until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow } from "../testing/workflows.ts";
import { findRuns } from "../testing/triggers.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

/** Sends a request to a workflow of these nodes. */
async function ask(nodes: readonly object[], more: object = {}, of = { world, owner }) {
  const id = await deployWorkflow(of.owner, nodes, { trigger: { type: "webhook" }, ...more });
  const { body } = await of.owner(`GET /api/v1/workflows/${id}`);
  const { pathname } = new URL(body.data.trigger.url);
  const answer = await of.world.stranger(`POST ${pathname}`, { name: "Ada" });
  return { id, answer };
}

const respond = (config: object) => ({ id: "say", type: "respond", config });
const reach = () => ({
  id: "reach",
  type: "http",
  config: { method: "POST", url: receiver.url, body: { from: "hook" } },
});
const OVER = ["workflow.run_started", "workflow.run_completed"];

test("a workflow answers for itself: status, headers and JSON", async () => {
  const { answer } = await ask([
    {
      id: "greet",
      type: "set",
      config: { values: { text: "Hello {{ trigger.input.body.name }}" } },
    },
    respond({
      status: 201,
      headers: { "X-Kind": "greeting", "Content-Type": "application/hello; v=1" },
      body: { text: "{{ steps.greet.output.text }}" },
    }),
  ]);
  expect(answer).toMatchObject({ status: 201, body: { text: "Hello Ada" }, events: OVER });
  expect(answer.headers).toMatchObject({
    "x-kind": "greeting",
    "content-type": "application/hello; v=1",
  });
});

test.each<[object, number, unknown, string | undefined]>([
  [{ body: "plain" }, 200, "plain", "text/plain; charset=utf-8"],
  [{ body: "<p>", headers: { "content-type": "text/html" } }, 200, "<p>", "text/html"],
  [{ body: [1, 2] }, 200, [1, 2], "application/json; charset=utf-8"],
  [{ body: false, status: 503 }, 503, false, "application/json; charset=utf-8"],
  [{ status: 204, body: "nothing" }, 204, undefined, undefined],
  [{ status: 302, headers: { location: "https://example.com/" } }, 302, undefined, undefined],
])("%j", async (config, status, body, type) => {
  const { answer } = await ask([respond(config)]);
  expect(answer).toMatchObject({ status, events: OVER });
  expect(answer.body).toEqual(body);
  expect(answer.headers["content-type"]).toBe(type);
});

test("a response sets no cookies, disables no browser protection and does not control the connection", async () => {
  const { answer } = await ask([
    respond({
      body: "<script>alert(1)</script>",
      headers: {
        "Content-Type": "text/html",
        "Set-Cookie": "millrace_session=planted",
        "Content-Security-Policy": "default-src *",
        "X-Content-Type-Options": "sniff",
        "Transfer-Encoding": "chunked",
        "Content-Length": "3",
        Connection: "close",
        "Bad Name": "x",
        "X-Bad-Value": "a\r\nset-cookie: b",
        "X-Good": "kept",
      },
    }),
  ]);
  expect(answer).toMatchObject({ status: 200, body: "<script>alert(1)</script>", events: OVER });
  const { headers } = answer;
  expect(headers["set-cookie"]).toBeUndefined();
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["x-bad-value"]).toBeUndefined();
  expect(headers["x-good"]).toBe("kept");
});

test("a file response contains the bytes, with a safe name and content type", async () => {
  const page = "<script>alert(1)</script>".repeat(10_000);
  const write = (name: string, text: string) => ({
    id: "make",
    type: "file.write",
    config: { as: "base64", data: Buffer.from(text).toString("base64"), name },
  });
  const answered = respond({
    file: "{{ steps.make.output }}",
    status: 201,
    headers: { "Content-Type": "text/html", "Content-Disposition": "inline", "X-Good": "kept" },
  });
  const name = 'na\u00efve "\r\nset-cookie: a=b".html';
  const { id, answer } = await ask([write(name, page), answered]);
  expect([answer.status, answer.body === page]).toEqual([201, true]);
  expect(answer.headers).toMatchObject({
    "content-type": "application/octet-stream",
    "content-length": String(page.length),
    "x-content-type-options": "nosniff",
    "x-good": "kept",
  });
  expect(answer.headers["content-disposition"]).toMatch(/^attachment; filename="na_ve [^"]*"/);
  expect(answer.headers["content-security-policy"]).toContain("sandbox");
  expect(answer.headers["set-cookie"]).toBeUndefined();
  expect(await findRuns(world, id)).toMatchObject([{ status: "completed" }]);

  // The run can't read another user's file, even by id.
  const other = await world.member(["owner"]);
  const sent = { "content-type": "application/octet-stream" };
  const { body } = await other("POST /api/v1/files?name=secret.txt", "secret", sent);
  const stolen = respond({ file: { $file: body.data.id } });
  expect((await ask([stolen])).answer).toMatchObject({ status: 500, body: { code: "run_failed" } });
  const both = await owner("POST /api/v1/workflows", {
    name: "Both",
    trigger: { type: "webhook" },
    nodes: [respond({ body: 1, file: { $file: body.data.id } })],
    edges: [],
  });
  expect([both.status, both.body.errors[0].path]).toEqual([422, "/nodes/0/config/file"]);
});

test("a response that depends on other steps is sent once they complete", async () => {
  receiver.answer = (_received, response) =>
    response.setHeader("content-type", "application/json").end('{"n":7}');
  const { id, answer } = await ask([reach(), respond({ body: "{{ steps.reach.output.body.n }}" })]);
  expect(answer).toMatchObject({ status: 200, body: 7 });
  expect(await findRuns(world, id)).toMatchObject([{ status: "completed" }]);
});

test("sends a response without dependencies immediately and continues the run", async () => {
  const { id, answer } = await ask([
    respond({ body: "early" }),
    { id: "later", type: "wait_for_event", config: { topic: "later" } },
  ]);
  expect(answer).toMatchObject({ status: 200, body: "early", events: OVER.slice(0, 1) });
  expect(await findRuns(world, id)).toMatchObject([{ status: "waiting" }]);
});

test("a response is final; later steps do not change it", async () => {
  const stop = { id: "stop", type: "fail", config: { message: "Too late." } };
  const { answer } = await ask([respond({ body: "said" }), stop]);
  expect(answer).toMatchObject({
    status: 200,
    body: "said",
    events: [OVER[0], "workflow.run_failed"],
  });
});

test("a run that fails before its response returns a 500 without details", async () => {
  const stop = { id: "stop", type: "fail", config: { message: "The inner reason." } };
  const atOnce = await ask([stop, respond({ body: "never" })]);
  expect(atOnce.answer).toMatchObject({
    status: 500,
    body: { code: "run_failed", runId: expect.stringMatching(/^run_/) },
    events: [OVER[0], "workflow.run_failed"],
  });
  receiver.answer = (_received, response) => response.writeHead(200).end("{}");
  const later = await ask([reach(), stop, respond({ body: "never" })]);
  expect(later.answer).toMatchObject({ status: 500, body: { code: "run_failed" } });
  for (const { answer } of [atOnce, later]) {
    expect(JSON.stringify(answer.body)).not.toContain("inner reason");
  }
});

test("returns 202 for queued runs and runs without a response", async () => {
  const { answer } = await ask(
    [
      { id: "which", type: "condition", config: { expression: "false" } },
      respond({ body: "never" }),
    ],
    { edges: [{ from: "which", to: "say", when: "true" }] },
  );
  expect(answer).toMatchObject({
    status: 202,
    body: { data: { status: "completed" } },
    events: OVER,
  });
  const limited = await ask([respond({ body: "in turn" })], { maxConcurrency: 1 });
  expect(limited.answer).toMatchObject({
    status: 200,
    body: "in turn",
    events: ["workflow.run_queued"],
  });
});

test("at shutdown waiting callers get a 202, and another node continues the run", async () => {
  await using other = await startWorld({ work: true });
  const by = await other.member(["owner"]);
  const asked = ask(
    [{ id: "wait", type: "delay", config: { ms: 3_600_000 } }, respond({ body: "late" })],
    {},
    { world: other, owner: by },
  );
  await until(
    async () => (await other.sql("select from runs where status = 'waiting'")).length > 0,
  );
  other.kernel.drain();
  expect((await asked).answer).toMatchObject({
    status: 202,
    body: { data: { status: "waiting" } },
  });
});
