import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow } from "../testing/workflows.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const { stranger } = world;

const RUN = ["workflow.run_started", "workflow.run_completed"];
const echo = { id: "echo", type: "transform", config: { expression: "trigger.input" } };

/** Deploys a workflow with these triggers and returns the paths of their addresses. */
async function deploy(triggers: readonly object[], nodes: readonly object[] = [echo]) {
  const [trigger, ...further] = triggers;
  const id = await deployWorkflow(owner, nodes, {
    trigger,
    ...(further.length > 0 && { triggers: further }),
  });
  const { data } = (await owner(`GET /api/v1/workflows/${id}`)).body;
  const all = [data.trigger, ...(data.triggers ?? [])];
  return { id, paths: all.map(({ url }: any) => (url === undefined ? "" : new URL(url).pathname)) };
}

const runsOf = async (id: string) => (await owner(`GET /api/v1/workflows/${id}/runs`)).body.data;

test("methods and paths choose the trigger; its path has parameters", async () => {
  const { paths } = await deploy([
    { type: "webhook", methods: ["GET"], respond: "last_step" },
    {
      type: "webhook",
      id: "one",
      path: "orders/{id}",
      methods: ["GET", "DELETE"],
      respond: "last_step",
    },
    { type: "webhook", id: "all", path: "orders", respond: "last_step", rawBody: true },
  ]);
  const [hook = "", , orders = ""] = paths;
  const got = await stranger(`GET ${hook}?a=1`);
  expect([got.status, got.body, got.events]).toEqual([
    200,
    { body: null, headers: expect.anything(), query: { a: "1" }, method: "GET" },
    RUN,
  ]);
  expect((await stranger(`POST ${hook}`, {})).status).toBe(404);
  expect((await stranger(`DELETE ${orders}/4%2F7`)).body).toMatchObject({
    method: "DELETE",
    params: { id: "4/7" },
  });
  expect((await stranger(`POST ${orders}`, { b: 2 })).body).toMatchObject({
    body: { b: 2 },
    rawBody: '{"b":2}',
  });
  expect((await stranger(`GET ${orders}/1/2`)).status).toBe(404);
});

test("supports password, header and token authentication and does not store credentials in the run", async () => {
  const secret = "top-secret-0";
  await owner("POST /api/v1/secrets", { name: "HOOK_KEY", value: secret });
  await owner("POST /api/v1/secrets", { name: "HOOK_LOGIN", value: "ann:pass" });
  const key = "{{secrets.HOOK_KEY}}";
  const { id, paths } = await deploy([
    {
      type: "webhook",
      auth: { kind: "basic", secret: "{{secrets.HOOK_LOGIN}}" },
      respond: "last_step",
    },
    {
      type: "webhook",
      id: "h",
      auth: { kind: "header", header: "X-Key", secret: key },
      respond: "last_step",
    },
    {
      type: "webhook",
      id: "j",
      auth: { kind: "jwt", secret: key, issuer: "us" },
      respond: "last_step",
    },
  ]);
  const [basic = "", header = "", jwt = ""] = paths;
  const refused = await stranger(`POST ${basic}`, {}, { authorization: "Basic eDp5" });
  expect([refused.status, refused.body.code, refused.events]).toEqual([
    401,
    "hook_credentials_invalid",
    [],
  ]);
  const login = { authorization: `Basic ${Buffer.from("ann:pass").toString("base64")}` };
  expect((await stranger(`POST ${basic}`, {}, login)).events).toEqual(RUN);
  expect((await stranger(`POST ${header}`, {})).status).toBe(401);
  const named = await stranger(`POST ${header}`, {}, { "x-key": secret });
  expect([named.status, named.body.headers["x-key"]]).toEqual([200, undefined]);
  const token = (claims: object, head = { alg: "HS256" }) => {
    const text = [head, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    const mark = createHmac("sha256", secret).update(text.join(".")).digest("base64url");
    return { authorization: `Bearer ${[...text, mark].join(".")}` };
  };
  const good = await stranger(`POST ${jwt}`, {}, token({ iss: "us", sub: "7" }));
  expect([good.status, good.body.claims]).toEqual([200, { iss: "us", sub: "7" }]);
  for (const bad of [
    token({ iss: "them" }),
    token({ iss: "us", exp: 1 }),
    token({ iss: "us" }, { alg: "none" }),
    { authorization: "Bearer a.b.c.d" },
  ]) {
    expect((await stranger(`POST ${jwt}`, {}, bad)).status).toBe(401);
  }
  const runs = await runsOf(id);
  expect(runs).toHaveLength(3);
  for (const run of runs) {
    const { body } = await owner(`GET /api/v1/runs/${run.id}`);
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(JSON.stringify(body)).not.toContain(login.authorization);
  }
});

test("one idempotency key starts one run, also for concurrent requests", async () => {
  const { id, paths } = await deploy([
    { type: "webhook", dedupe: { key: "input.headers.idempotency-key" } },
    { type: "webhook", id: "other", dedupe: { key: "input.body.id" } },
  ]);
  const [hook = "", other = ""] = paths;
  const sent = Array.from({ length: 8 }, () =>
    stranger(`POST ${hook}`, {}, { "idempotency-key": "k1" }),
  );
  const answers = await Promise.all(sent);
  expect(new Set(answers.map(({ body }) => body.data.runId)).size).toBe(1);
  expect(answers.filter(({ body }) => body.data.status === "duplicate")).toHaveLength(7);
  expect(await runsOf(id)).toHaveLength(1);
  const first = await stranger(`POST ${other}`, { id: 7 });
  const again = await stranger(`POST ${other}`, { id: 7 });
  expect([first.events, again.events]).toEqual([RUN, []]);
  expect((await stranger(`POST ${other}`, {})).events).toEqual(RUN);
  expect((await stranger(`POST ${other}`, {})).events).toEqual(RUN);
});

const form = {
  type: "form",
  title: "Leave <b>",
  pages: [
    {
      fields: [
        { name: "Name", required: true },
        { name: "mail", type: "email" },
      ],
    },
    {
      fields: [
        { name: "days", type: "number", required: true },
        { name: "kind", type: "choice", options: ["paid", "unpaid"] },
        { name: "sure", type: "checkbox" },
      ],
    },
  ],
  respond: "last_step",
};
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const page = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

test("shows form pages without JavaScript and finally shows the run's response", async () => {
  const said = {
    id: "said",
    type: "transform",
    config: { expression: '"Hello " & trigger.input.Name' },
  };
  const { id, paths } = await deploy([form], [said]);
  const [path = ""] = paths;
  const shown = await stranger(`GET ${path}`);
  expect([shown.status, shown.events]).toEqual([200, []]);
  const text = String(shown.body);
  expect(text.length).toBeLessThan(50_000);
  expect(text).toContain("Leave &#60;b&#62;");
  expect(text).not.toContain("<script");
  expect(shown.headers["content-security-policy"]).toContain("default-src 'none'");
  const send = (fields: Record<string, string>) => stranger(`POST ${path}`, page(fields), FORM);
  const wrong = await send({ $page: "0", Name: "", mail: "no" });
  expect([wrong.status, wrong.events]).toEqual([422, []]);
  expect(wrong.body).toContain("Enter an e-mail address, for example name@example.com.");
  const next = await send({ $page: "0", Name: '"><script>', mail: "a@b.c" });
  expect([next.status, next.events]).toEqual([200, []]);
  expect(next.body).toContain("Page 2 of 2");
  expect(next.body).not.toContain("<script>");
  const forged = await send({ $page: "1", Name: "", days: "3" });
  expect([forged.status, forged.events]).toEqual([422, []]);
  expect((await send({ $page: "1", Name: "A", days: "3", kind: "other" })).status).toBe(422);
  expect((await send({ $page: "1", Name: "A", days: "3", $website: "x" })).events).toEqual([]);
  const sent = await send({ $page: "1", Name: "Ann", days: "3", kind: "paid", extra: "x" });
  expect([sent.status, sent.events]).toEqual([200, RUN]);
  expect(sent.body).toContain("Hello Ann");
  const [{ id: runId }] = await runsOf(id);
  expect((await owner(`GET /api/v1/runs/${runId}`)).body.data.trigger).toMatchObject({
    type: "form",
    input: { Name: "Ann", mail: null, days: 3, kind: "paid", sure: false },
  });
  expect((await stranger(`GET ${path.slice(0, -1)}`)).status).toBe(404);
});

test("a field can have the name of a built-in object property", async () => {
  const fields = [{ name: "constructor" }, { name: "toString", type: "choices", options: ["a"] }];
  const { id, paths } = await deploy([{ type: "form", title: "Odd", pages: [{ fields }] }]);
  const [path = ""] = paths;
  const shown = await stranger(`GET ${path}`);
  expect(shown.status).toBe(200);
  expect(shown.body).not.toContain("native code");
  const sent = await stranger(`POST ${path}`, page({ $page: "0" }), FORM);
  expect([sent.status, sent.events]).toEqual([200, RUN]);
  const [{ id: runId }] = await runsOf(id);
  const { input } = (await owner(`GET /api/v1/runs/${runId}`)).body.data.trigger;
  expect(input).toEqual({ constructor: null, toString: [] });
});

test("a chat responds on its page, through its API and as a stream", async () => {
  const reply = {
    id: "reply",
    type: "transform",
    config: { expression: '{ "text": "You said " & trigger.input.message }' },
  };
  const { paths } = await deploy(
    [{ type: "chat", title: "Helper", greeting: "Hi." }],
    [{ id: "pause", type: "delay", config: { ms: 1 } }, reply],
  );
  const [path = ""] = paths;
  expect((await stranger(`GET ${path}`)).body).toContain("Hi.");
  const answered = await stranger(`POST ${path}`, page({ message: "<i>one" }), FORM);
  expect(answered.body).toContain("You said &#60;i&#62;one");
  const asked = await stranger(`POST ${path}/messages`, { message: "two" });
  expect([asked.status, asked.body.data.text]).toEqual([202, null]);
  const { runId, sessionId } = asked.body.data;
  const followed = await stranger(`GET ${path}/messages/${runId}?sessionId=${sessionId}`);
  expect(followed.body).toContain('event: answer\ndata: {"text":"You said two"}');
  expect((await stranger(`POST ${path}/messages`, { message: "" })).status).toBe(422);
  const { paths: others } = await deploy([{ type: "chat", title: "Other" }]);
  const elsewhere = `${others[0]}/messages/${runId}?sessionId=${sessionId}`;
  expect((await stranger(`GET ${elsewhere}`)).status).toBe(404);
});

test("a chat and a form have a custom colour, and a chat has suggested questions", async () => {
  const accent = "#7a1f4b";
  const suggestions = ["Where is <my> order?", "Who are you?"];
  const reply = {
    id: "reply",
    type: "transform",
    config: { expression: '{ "text": "You said " & trigger.input.message }' },
  };
  const { paths } = await deploy([{ type: "chat", title: "Helper", suggestions, accent }], [reply]);
  const [path = ""] = paths;
  const first = await stranger(`GET ${path}`);
  expect(first.body).toContain('value="Where is &#60;my&#62; order?"');
  const [style = ""] = /:root\{--accent:#7a1f4b.*?(?=<\/style>)/.exec(first.body) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  expect(first.headers["content-security-policy"]).toContain(`'sha256-${hash}'`);
  const [, sessionId = ""] = /name="sessionId" value="([^"]+)"/.exec(first.body) ?? [];
  const next = await stranger(`POST ${path}`, page({ sessionId, message: "Who are you?" }), FORM);
  expect(next.body).toContain("You said Who are you?");
  expect(next.body).not.toContain("my");
  const { paths: forms } = await deploy([{ ...form, accent }]);
  expect((await stranger(`GET ${forms[0]}`)).body).toContain(`--accent:${accent}`);
  const pale = {
    name: "Pale",
    trigger: { type: "chat", title: "x", accent: "#eeeeee" },
    nodes: [echo],
  };
  expect(await owner("POST /api/v1/workflows", { ...pale, edges: [] })).toMatchObject({
    status: 422,
    body: {
      errors: [{ path: "/trigger/accent", message: expect.stringContaining("dark enough") }],
    },
    events: [],
  });
});

test("an address returns 404 if the deployer left or the trigger is inactive", async () => {
  const leaver = await world.member(["admin"]);
  const id = await deployWorkflow(leaver, [echo], { trigger: form });
  const { data } = (await owner(`GET /api/v1/workflows/${id}`)).body;
  const { pathname } = new URL(data.trigger.url);
  expect((await stranger(`GET ${pathname}`)).status).toBe(200);
  await owner(`POST /api/v1/workflows/${id}/deactivate`);
  expect((await stranger(`GET ${pathname}`)).status).toBe(404);
});

test("an input that does not match the schema is rejected for every kind of trigger, and no run starts", async () => {
  const inputSchema = {
    type: "object",
    required: ["order"],
    properties: { order: { type: "integer", minimum: 1 } },
  };
  const { id, paths } = await deploy([
    { type: "webhook", inputSchema, respond: "last_step" },
    { type: "manual", id: "hand", inputSchema },
    {
      type: "chat",
      id: "talk",
      title: "Talk",
      inputSchema: { properties: { message: { maxLength: 3 } } },
    },
    {
      type: "form",
      id: "ask",
      title: "Order",
      inputSchema,
      pages: [{ fields: [{ name: "order", label: "Order", type: "number" }] }],
    },
  ]);
  const [hook = "", , chat = "", form = ""] = paths;
  const pathsOf = ({ body }: { body: any }) => body.errors.map(({ path }: any) => path);
  const refused = await stranger(`POST ${hook}`, { order: 0 });
  expect([refused.status, pathsOf(refused), refused.events]).toEqual([422, ["/order"], []]);
  const byHand = await owner(`POST /api/v1/workflows/${id}/trigger`, { input: { order: "x" } });
  expect([byHand.status, pathsOf(byHand), byHand.events]).toEqual([422, ["/input/order"], []]);
  const tested = await owner(`POST /api/v1/workflows/${id}/test`, { input: {} });
  expect([tested.status, pathsOf(tested)]).toEqual([422, ["/input/order"]]);
  const bodyOf = { input: { body: { order: -1 } }, triggerId: "trigger" };
  const another = await owner(`POST /api/v1/workflows/${id}/trigger`, bodyOf);
  expect([another.status, pathsOf(another)]).toEqual([422, ["/input/body/order"]]);
  const said = await stranger(`POST ${chat.replace("/talk", "/messages?triggerId=talk")}`, {
    message: "long",
  });
  expect([said.status, pathsOf(said)]).toEqual([422, ["/message"]]);
  const filled = await stranger(`POST ${form}`, { order: "0" });
  expect([filled.status, filled.events]).toEqual([422, []]);
  expect(filled.body).toContain("must be");

  const parent = await deployWorkflow(owner, [
    { id: "call", type: "subworkflow", config: { workflowId: id, input: { order: 0 } } },
  ]);
  const started = await owner(`POST /api/v1/workflows/${parent}/trigger?wait=20000`, {});
  expect(started.body.data).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
  expect(await runsOf(id)).toEqual([]);
  expect((await stranger(`POST ${hook}`, { order: 7 })).body).toMatchObject({ body: { order: 7 } });

  const unchecked = await owner("POST /api/v1/workflows", {
    name: "Loose",
    trigger: { type: "manual", inputSchema: { properties: { a: { pattern: "(a+)+" } } } },
    nodes: [echo],
    edges: [],
  });
  expect([unchecked.status, pathsOf(unchecked)]).toEqual([
    422,
    ["/trigger/inputSchema/properties/a/pattern"],
  ]);
});
