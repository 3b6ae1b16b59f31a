/**
 * Tests triggers on other systems: each item and delivery starts one run, and unauthenticated deliveries start
 * none.
 */
import { createHmac, generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { findRuns, waitUntilIdle } from "#domains/runs/testing/triggers.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { createConnector } from "../testing/connector.ts";
import { json, useUpstream } from "../testing/upstream.ts";

const upstream = await useUpstream();
const world = await useWorld({ work: true, env: upstream.env });
const owner = await world.member(["owner"]);
const NODE = { id: "keep", type: "set", config: { values: { seen: "{{ trigger.input }}" } } };
let count = 0;

async function deploy(trigger: object): Promise<string> {
  const definition = { name: `Listener ${(count += 1)}`, trigger, nodes: [NODE], edges: [] };
  const { body, status } = await owner("POST /api/v1/workflows", definition);
  if (status !== 201) throw new Error(JSON.stringify(body));
  await publish(body.data.id);
  return body.data.id as string;
}

const publish = (id: string) => owner(`POST /api/v1/workflows/${id}/publish`, {});

const listenersOf = async (id: string) =>
  (await owner(`GET /api/v1/workflows/${id}/listeners`)).body.data.listeners;
const inputsOf = async (id: string): Promise<unknown[]> => {
  const rows = await world.sql("select trigger from runs where workflow_id = $1 order by id", [id]);
  return rows.map(({ trigger }) => trigger.input);
};

test("a poll starts with current items, starts one run per new item, and keeps its state through changes", async () => {
  let issues = [{ id: 1 }, { id: 2 }];
  let isDown = false;
  upstream.answer = (_received, response) =>
    isDown ? json(response, { message: "no" }, 500) : json(response, issues);
  const { id: connectorId } = await createConnector(
    owner,
    "preset",
    {
      preset: "github",
      baseUrl: upstream.url,
      retries: 0,
      rateLimit: { requests: 1_000, perMs: 1_000 },
    },
    { kind: "bearer", token: "ghp_secret" },
  );
  const trigger = {
    type: "connector",
    connectorId,
    event: "issue_created",
    arguments: { owner: "acme", repo: "app" },
    everyMs: 60_000,
  };
  const id = await deploy(trigger);
  await until(async () => (await listenersOf(id))[0]?.status === "up");
  expect(upstream.received[0]?.path).toMatch(/^\/repos\/acme\/app\/issues\?.*since=/);
  expect(await inputsOf(id)).toEqual([]);
  issues = [{ id: 4 }, { id: 3 }, ...issues];
  world.clock.advance(61_000);
  await until(async () => (await inputsOf(id)).length === 2);
  expect(await inputsOf(id)).toEqual([{ id: 3 }, { id: 4 }]);
  isDown = true;
  world.clock.advance(61_000);
  await until(async () => (await listenersOf(id))[0]?.status === "down");
  [isDown, issues] = [false, [{ id: 5 }, ...issues]];
  // Changing how runs start keeps the poll state.
  await owner(`PATCH /api/v1/workflows/${id}`, { trigger: { ...trigger, batchItems: true } });
  await publish(id);
  await until(async () => (await inputsOf(id)).length === 3);
  expect((await inputsOf(id)).at(-1)).toEqual({ items: [{ id: 5 }] });
  await waitUntilIdle(world);
  const [run] = await findRuns(world, id);
  expect(run).toMatchObject({ trigger_type: "connector" });
});

test("a hook is subscribed and ended with the deployment; only signed deliveries start a run, each one once", async () => {
  upstream.answer = ({ method }, response) =>
    method === "DELETE" ? response.writeHead(204).end() : json(response, { id: 77 }, 201);
  const { id: connectorId } = await createConnector(
    owner,
    "preset",
    { preset: "github", baseUrl: upstream.url },
    { kind: "bearer", token: "ghp_secret" },
  );
  const id = await deploy({
    type: "connector",
    connectorId,
    event: "event",
    arguments: { owner: "acme", repo: "app", events: ["push"] },
  });
  await until(async () => (await listenersOf(id))[0]?.status === "up");
  const sent = JSON.parse(upstream.received[0]?.text ?? "{}");
  expect(sent).toMatchObject({ name: "web", events: ["push"], config: { content_type: "json" } });
  const [{ url }] = await listenersOf(id);
  expect(sent.config.url).toBe(url);
  const { pathname } = new URL(url);
  const call = (body: object, headers: Record<string, string> = {}, key = sent.config.secret) => {
    const payload = JSON.stringify(body);
    const signature = createHmac("sha256", key).update(payload).digest("hex");
    return world.app.inject({
      method: "POST",
      url: pathname,
      payload,
      headers: {
        "content-type": "application/json",
        "x-hub-signature-256": `sha256=${signature}`,
        "x-github-event": "push",
        ...headers,
      },
    });
  };
  const first = await call({ ref: "main" }, { "x-github-delivery": "d-1" });
  expect(first.statusCode).toBe(200);
  expect((await call({ ref: "main" }, { "x-github-delivery": "d-1" })).statusCode).toBe(200);
  expect((await call({ ref: "main" }, {}, "guessed")).statusCode).toBe(401);
  expect(
    (await world.app.inject({ method: "POST", url: `${pathname}x`, payload: {} })).statusCode,
  ).toBe(404);
  const inputs = await inputsOf(id);
  expect(inputs).toMatchObject([{ body: { ref: "main" }, event: "push" }]);
  const trail = JSON.stringify([inputs, await world.sql("select data from events")]);
  expect([trail.includes(sent.config.secret), trail.includes("ghp_secret")]).toEqual([
    false,
    false,
  ]);
  await owner(`POST /api/v1/workflows/${id}/deactivate`);
  await until(async () => upstream.received.at(-1)?.method === "DELETE");
  expect(upstream.received.at(-1)?.path).toBe("/repos/acme/app/hooks/77");
  expect((await call({ ref: "main" }, { "x-github-delivery": "d-2" })).statusCode).toBe(404);
  const listTold = async () => {
    const told = await world.sql(
      "select type from events where type like 'connector.%subscribed' order by epoch, xid, seq",
    );
    return told.map(({ type }) => type);
  };
  // The service responds first, then the event is appended.
  await expect.poll(listTold).toEqual(["connector.subscribed", "connector.unsubscribed"]);
});

test("a feed starts runs only for new entries, and an unreadable feed reports an error", async () => {
  const entry = (n: number) =>
    `<item><guid>${n}</guid><title>A &amp; ${n}</title><link>https://e.com/${n}</link></item>`;
  let items = entry(1);
  upstream.answer = (_received, response) =>
    response
      .writeHead(200, { "content-type": "application/rss+xml" })
      .end(`<?xml version="1.0"?><rss version="2.0"><channel>${items}</channel></rss>`);
  const id = await deploy({ type: "rss", feedUrl: `${upstream.url}/feed`, everyMs: 60_000 });
  await until(async () => (await listenersOf(id))[0]?.status === "up");
  items = entry(2) + items;
  world.clock.advance(61_000);
  await until(async () => (await inputsOf(id)).length === 1);
  expect(await inputsOf(id)).toMatchObject([{ id: "2", title: "A & 2", link: "https://e.com/2" }]);
  upstream.answer = (_received, response) => response.end("<html>no feed</html>");
  world.clock.advance(61_000);
  await until(async () => (await listenersOf(id))[0]?.status === "down");
  expect((await listenersOf(id))[0].problem).toBe("The URL is not an RSS or Atom feed.");
});

test("rejects a trigger that names a missing connector, action or event", async () => {
  const { id: connectorId } = await createConnector(owner, "http", { baseUrl: upstream.url });
  const errors = async (trigger: object) => {
    const definition = { name: "x", trigger, nodes: [NODE], edges: [] };
    const { body } = await owner("POST /api/v1/workflows/validate", definition);
    return (body.errors ?? body.data.errors).map(({ path }: { path: string }) => path);
  };
  expect(await errors({ type: "connector", connectorId, event: "x" })).toEqual(["/trigger/event"]);
  const poll = { action: "nothing" };
  expect(await errors({ type: "connector", connectorId, poll })).toEqual(["/trigger/poll/action"]);
});

test("a poll that reads each item continues after an error, without loss, duplicates or endless retries", async () => {
  let mails: { id: string }[] = [];
  let isRefused = true;
  upstream.answer = ({ path }, response) => {
    if (path === "/token") return json(response, { access_token: "t", expires_in: 86_400 });
    const [, id] = /messages\/(\w+)/.exec(path) ?? [];
    if (id === undefined) return json(response, { messages: mails });
    return id === "m2" && isRefused ? json(response, {}, 500) : json(response, { id, whole: true });
  };
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const { id: connectorId } = await createConnector(
    owner,
    "preset",
    { preset: "gmail", baseUrl: upstream.url, retries: 0 },
    { kind: "oauth2_jwt", clientId: "a@b.c", privateKey, tokenUrl: `${upstream.url}/token` },
  );
  const id = await deploy({
    type: "connector",
    connectorId,
    event: "message_received",
    everyMs: 60_000,
  });
  await until(async () => (await listenersOf(id))[0]?.status === "up");
  mails = ["m3", "m2", "m1"].map((name) => ({ id: name }));
  world.clock.advance(61_000);
  await until(async () => (await inputsOf(id)).length === 1);
  expect(await inputsOf(id)).toEqual([{ id: "m1", whole: true }]);
  isRefused = false;
  world.clock.advance(61_000);
  await until(async () => (await inputsOf(id)).length === 3);
  expect((await inputsOf(id)).map(({ id: name }: any) => name)).toEqual(["m1", "m2", "m3"]);
});
