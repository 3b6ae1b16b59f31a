import { expect, test } from "vitest";
import { upload } from "#domains/files/testing/upload.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow } from "../testing/workflows.ts";

const world = await useWorld({ work: true, env: { MILLRACE_RATE_LIMIT: "100" } });
const owner = await world.member(["owner"]);
const { stranger } = world;

const echo = { id: "echo", type: "transform", config: { expression: "trigger.input" } };
const form = {
  type: "form",
  title: "Scan",
  pages: [
    {
      fields: [
        { name: "title", required: true },
        { name: "scan", type: "file" },
      ],
    },
  ],
};

/** Deploys a workflow with these triggers and returns the paths of their addresses. */
async function deploy(triggers: readonly object[]) {
  const [trigger, ...further] = triggers;
  const id = await deployWorkflow(owner, [echo], {
    trigger,
    ...(further.length > 0 && { triggers: further }),
  });
  const { data } = (await owner(`GET /api/v1/workflows/${id}`)).body;
  const all = [data.trigger, ...(data.triggers ?? [])];
  return { id, paths: all.map(({ url }: any) => new URL(url).pathname) };
}

const runsOf = async (id: string) => (await owner(`GET /api/v1/workflows/${id}/runs`)).body.data;

test("one page address of a workflow reveals neither its webhooks nor its other pages", async () => {
  const { id, paths } = await deploy([
    form,
    { type: "webhook", id: "hook" },
    { type: "webhook", id: "paths", path: "orders/{id}" },
    { type: "chat", id: "chat", title: "Chat" },
  ]);
  const [formPath = "", hookPath = "", , chatPath = ""] = paths;
  expect((await stranger(`GET ${formPath}`)).status).toBe(200);
  expect((await stranger(`GET ${chatPath}`)).status).toBe(200);
  const [formToken = "", hookToken = "", chatToken = ""] = [formPath, hookPath, chatPath].map(
    (path) => path.split("/")[3],
  );
  expect(new Set([formToken, hookToken, chatToken]).size).toBe(3);
  for (const token of [formToken, chatToken, id]) {
    for (const [route, body] of [
      [`POST /hooks/default/${token}`, {}],
      [`POST /inbound/default/${token}/hook`, {}],
      [`POST /inbound/default/${token}/orders/1`, {}],
      [
        `POST /chat/default/${token === chatToken ? formToken : token}/messages?triggerId=chat`,
        { message: "Hi" },
      ],
      [`GET /forms/default/${token === formToken ? chatToken : token}`, undefined],
    ] as const) {
      const answer = await stranger(route, body);
      expect([route, answer.status, answer.events]).toEqual([route, 404, []]);
    }
  }
  // Tokens from other workflows and workspaces are rejected too.
  const other = (await deploy([form])).paths[0]?.split("/")[3] ?? "";
  const forged = [id, other.split(".")[1]].join(".");
  expect((await stranger(`GET /forms/default/${forged}`)).status).toBe(404);
  const { slug } = await world.workspace("elsewhere");
  expect((await stranger(`GET /forms/${slug}/${formToken}`)).status).toBe(404);
  expect(await runsOf(id)).toEqual([]);
});

test("a caller can reference only files of the same request", async () => {
  const { id, paths } = await deploy([form, { type: "webhook", id: "hook" }]);
  const [formPath = "", hookPath = ""] = paths;
  const mine = await upload(world, owner, "secret", { name: "secret.txt" });
  const handle = { $file: mine.body.data.id, name: "x", mediaType: "text/plain", size: 1 };
  const encoded = new URLSearchParams({ $file: handle.$file }).toString();
  const urlEncoded = { "content-type": "application/x-www-form-urlencoded" };
  const requests: [string, unknown, Record<string, string>?][] = [
    [`POST ${formPath}`, { title: "T", scan: handle }],
    [`POST ${hookPath}`, { deep: [{ file: handle }] }],
    [`POST ${hookPath}`, encoded, urlEncoded],
    [`POST ${hookPath}?${encoded}`, {}],
    [`POST ${hookPath}`, {}, { $file: handle.$file }],
  ];
  for (const [route, body, headers] of requests) {
    const answer = await stranger(route, body, headers);
    expect([route, answer.status, answer.events]).toEqual([route, 422, []]);
  }
  expect(await runsOf(id)).toEqual([]);
});

test("files of requests that start no run are deleted", async () => {
  const { id, paths } = await deploy([
    form,
    { type: "webhook", id: "hook", dedupe: { key: "input.query.key" } },
    { ...form, id: "plain", pages: [{ fields: [{ name: "title" }] }] },
  ]);
  const [formPath = "", hookPath = "", plainPath = ""] = paths;
  const blobs = async () => (await world.sql("select from blobs where state <> 'deleted'")).length;
  const send = async (path: string, fields: Record<string, string>, field = "scan") => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    data.append(field, new File(["bytes"], "a.txt"));
    const request = new Request("http://localhost", { method: "POST", body: data });
    const { statusCode } = await world.app.inject({
      method: "POST",
      url: path,
      headers: { "content-type": request.headers.get("content-type") ?? "" },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    return statusCode;
  };
  const before = await blobs();
  expect(await send(formPath, { title: "" })).toBe(422);
  expect(await send(formPath, { title: "T", $website: "x" })).toBe(200);
  expect(await send(formPath, { title: "T", $back: "1" })).toBe(200);
  expect(await send(formPath, { title: "T" }, "other")).toBe(400);
  expect(await send(plainPath, { title: "T" })).toBe(400);
  const image = await stranger(`POST ${formPath}`, "bytes", { "content-type": "image/png" });
  expect(image.status).toBe(415);
  expect(await blobs()).toBe(before);
  expect(await send(formPath, { title: "T" })).toBe(200);
  const sent = Array.from({ length: 4 }, () => send(`${hookPath}?key=1`, {}));
  expect(await Promise.all(sent)).toEqual([202, 202, 202, 202]);
  // Both runs have the same content.
  expect(await blobs()).toBe(before + 1);
  expect(await runsOf(id)).toHaveLength(2);
});

test("a conversation continues only in the chat that started it", async () => {
  const chat = { type: "chat", title: "Chat" };
  const { id, paths } = await deploy([chat]);
  const [path = ""] = paths;
  const [other = ""] = (await deploy([chat])).paths;
  const { sessionId } = (await stranger(`POST ${path}/messages`, { message: "Hi" })).body.data;
  const again = await stranger(`POST ${path}/messages`, { message: "Hi", sessionId });
  expect([again.status, again.body.data.sessionId]).toEqual([202, sessionId]);
  // The memory key of an agent can be any id in the workspace.
  const chosen = [id, `${sessionId.slice(0, -1)}${sessionId.endsWith("A") ? "B" : "A"}`];
  for (const [at, session] of [...chosen.map((one) => [path, one]), [other, sessionId]]) {
    const refused = await stranger(`POST ${at}/messages`, { message: "Hi", sessionId: session });
    expect([refused.status, refused.events]).toEqual([422, []]);
    const fields = new URLSearchParams({ message: "Hi", sessionId: String(session) });
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const page = await stranger(`POST ${at}`, fields.toString(), type);
    expect([page.status, String(page.body).includes(`value="${session}"`)]).toEqual([200, false]);
  }
});

test("one client address does not block others", async () => {
  const { paths } = await deploy([form]);
  const [path = ""] = paths;
  const ask = async (remoteAddress: string) =>
    (await world.app.inject({ method: "GET", url: path, remoteAddress })).statusCode;
  const flood = Array.from({ length: 130 }, (_, n) => ask(`2001:db8::${n.toString(16)}`));
  const statuses = await Promise.all(flood);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  expect(await ask("2001:db8:1::1")).toBe(200);
});

test("unauthenticated callers do not use up the rate limit of authenticated callers", async () => {
  await owner("POST /api/v1/secrets", { name: "HOOK_KEY", value: "top-secret-0" });
  const auth = { kind: "header", header: "X-Key", secret: "{{secrets.HOOK_KEY}}" };
  const { paths } = await deploy([{ type: "webhook", auth }]);
  const [path = ""] = paths;
  const send = async (remoteAddress: string, key: string) => {
    const headers = { "x-key": key };
    const sent = { method: "POST", url: path, remoteAddress, headers } as const;
    return (await world.app.inject(sent)).statusCode;
  };
  const { rateLimit } = world.kernel.settings;
  const statuses: number[] = [];
  for (let n = 0; n <= rateLimit; n += 1) statuses.push(await send("192.0.2.1", "guess"));
  expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
  expect(await send("192.0.2.2", "top-secret-0")).toBe(202);
});

test("guessed tokens cost no query each and block no other caller; a new address works at once", async () => {
  const { db } = world.kernel;
  const system = db.system.bind(db);
  let reads = 0;
  db.system = ((text: string, values?: readonly unknown[]) => {
    if (text.includes("hook_token =") || text.includes("w.hook_token")) reads += 1;
    return system(text, values);
  }) as typeof db.system;
  const webhook = { type: "webhook" };
  const [known = ""] = (await deploy([webhook])).paths;
  const flood = async (count: number) => {
    const sent = Array.from({ length: count }, (_, n) =>
      stranger(`POST /hooks/default/${String(n).padStart(32, "x")}`, {}),
    );
    return new Set((await Promise.all(sent)).map(({ status }) => status));
  };
  const tries = 800;
  expect([...(await flood(tries))].toSorted()).toEqual([404, 429]);
  expect((await stranger(`POST ${known}`, {})).status).toBe(202);
  const [fresh = ""] = (await deploy([webhook])).paths;
  expect((await stranger(`POST ${fresh}`, {})).status).toBe(202);
  expect(reads).toBeLessThan(tries);
  db.system = system;
});
