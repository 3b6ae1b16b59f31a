import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startWorld, until, useWorld } from "#kernel/testing/world.ts";
import { feedRegistryOf } from "./feed-registry.ts";
import { stream } from "./stream.ts";
import { headersOf, send } from "./testing/node.ts";

const BEGINNING = "evt_0000000000000000000000";

const world = await useWorld();
const owner = await world.member(["owner"]);
await world.app.listen({ port: 0, host: "127.0.0.1" });
const { port } = world.app.server.address() as AddressInfo;

const publish = async (topic: string, payload: object): Promise<string> => {
  const body = { type: "told.once", payload };
  const route = `POST /api/v1/events/topics/${topic}/publish`;
  return (await send(world.app, owner, route, body)).body.data.id;
};

/** A client on a real socket, with the received blocks so far. */
async function listen(path: string, headers: Record<string, string> = {}) {
  const request = get({
    port,
    path: `/api/v1/events/topics/${path}`,
    headers: { ...headersOf(owner), ...headers },
  });
  request.on("error", () => undefined);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  let text = "";
  response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const ended = new Promise((resolve) => response.once("end", resolve));
  return {
    response,
    request,
    ended,
    blocks: () => text.split("\n\n").slice(0, -1),
    events: () =>
      text
        .split("\n\n")
        .slice(0, -1)
        .filter((block) => block.includes("data: "))
        .map((block) => {
          const lines = block.split("\n").map((line) => line.split(": "));
          const fields = Object.fromEntries(
            lines.map(([name, ...rest]) => [name, rest.join(": ")]),
          );
          return { ...fields, data: JSON.parse(fields["data"]!) } as any;
        }),
  };
}

/** The ways in which a user can lose access to a stream. */
test.each<[string, (by: { token: string; userId: string }) => Promise<{ status: number }>]>([
  ["is removed", ({ userId }) => owner(`DELETE /api/v1/settings/users/${userId}`)],
  ["loses a role", ({ userId }) => owner(`DELETE /api/v1/settings/users/${userId}/roles/viewer`)],
  ["logs out", ({ token }) => world.asToken(token)("POST /api/v1/auth/logout")],
])("streams and long polls of whoever %s end at once", async (_, lose) => {
  const viewer = await world.member(["viewer", "member"]);
  const topic = `left-${viewer.userId}`;
  const listener = await listen(`${topic}/stream`, headersOf(viewer));
  await until(async () => listener.blocks().length > 0);
  const poll = send(world.app, viewer, `GET /api/v1/events/topics/${topic}/events?timeout=60000`);
  expect((await lose(viewer)).status).toBeLessThan(300);
  await Promise.all([listener.ended, poll]);
  expect((await poll).status).toBe(401);
  await publish(topic, { secret: true });
  expect(listener.events()).toEqual([]);
});

test("returns the log position before the read, and a stream from there returns missing events", async () => {
  const { headers } = await world.app.inject({ url: "/api/v1/auth/me", headers: headersOf(owner) });
  const id = await publish("since", { n: 1 });
  await world.settled();
  const after = String(headers["x-log-position"]);
  expect(after < id).toBe(true);
  const listener = await listen(`since/stream?after=${after}`);
  await until(async () => listener.events().length > 0);
  expect(listener.events().map((event) => event.id)).toEqual([id]);
  listener.request.destroy();
});

test("a stream starts at the current position and sends each event as a single line with id and type", async () => {
  await publish("live", { n: 0 });
  await world.settled();
  const listener = await listen("live/stream");
  expect(listener.response.statusCode).toBe(200);
  expect(listener.response.headers).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-store",
  });
  await until(async () => feedRegistryOf(world.kernel).waiting === 1);
  const id = await publish("live", { lines: "one\ntwo\r\n\u2028three" });
  await until(async () => listener.events().length === 1);
  const [event] = listener.events();
  expect(event).toMatchObject({ id, event: "told.once" });
  const { body } = await owner(`GET /api/v1/audit/${id}`);
  expect(event.data).toEqual(body.data);
  expect(listener.blocks()[0]).toMatch(/^retry: 1000\nid: evt_[0-9a-z]{22}$/);
  listener.request.destroy();
});

test("a client that reconnects with its last id gets the missed events once and in order", async () => {
  const first = await listen(`resumed/stream?after=${BEGINNING}`);
  const ids = [await publish("resumed", { n: 0 }), await publish("resumed", { n: 1 })];
  await until(async () => first.events().length === 2);
  first.request.destroy();
  const heard = first.events().map(({ id }) => id);
  for (let n = 2; n < 130; n += 1) ids.push(await publish("resumed", { n }));
  // Like a browser: the old address with the new header, which takes precedence.
  const second = await listen(`resumed/stream?after=${BEGINNING}`, { "last-event-id": heard[1] });
  ids.push(await publish("resumed", { n: 130 }));
  await until(async () => second.events().length === ids.length - 2);
  expect([...heard, ...second.events().map(({ id }) => id)]).toEqual(ids);
  second.request.destroy();
});

test("resumes at the stream start after a disconnect before the first event", async () => {
  const first = await listen("cut/stream");
  const begun = await until(async () => /id: (\S+)/.exec(first.blocks()[0] ?? "")?.[1]);
  first.request.destroy();
  const id = await publish("cut", {});
  const second = await listen("cut/stream?limit=1", { "last-event-id": begun });
  await second.ended;
  expect(second.events().map((event) => event.id)).toEqual([id]);
});

test("a stream ends after the requested number of events", async () => {
  for (let n = 0; n < 3; n += 1) await publish("short", { n });
  const listener = await listen(`short/stream?after=${BEGINNING}&limit=2`);
  await listener.ended;
  expect(listener.events().map(({ data }) => data.data.n)).toEqual([0, 1]);
});

test("rejects an invalid last id", async () => {
  const answer = await owner("GET /api/v1/events/topics/live/stream", undefined, {
    "last-event-id": "17",
  });
  expect(answer).toMatchObject({
    status: 422,
    body: { errors: [{ path: "Last-Event-ID" }] },
    events: [],
  });
});

test("sends comments during silence and ends the stream at its maximum duration", async () => {
  const partition = { workspace: world.home, environment: "production" } as const;
  const feed = { partition, name: "silent", topics: ["silent"] };
  const begin = { from: BEGINNING, eventsMax: 9 };
  const pieces = stream(world.kernel, feed, begin, { heartbeatMs: 5, lastsMs: 60_000 });
  expect((await pieces.next()).value).toMatch(/^retry/);
  expect((await pieces.next()).value).toBe(":\n\n");
  expect((await pieces.next()).value).toBe(":\n\n");
  await pieces.return(undefined);
  const brief = stream(world.kernel, feed, begin, { heartbeatMs: 60_000, lastsMs: 20 });
  const all = await Array.fromAsync(brief);
  expect(all.filter((piece) => !piece.startsWith(":"))).toHaveLength(1);
  expect(feedRegistryOf(world.kernel).waiting).toBe(0);
});

test("reads the log only as fast as the client reads", async () => {
  const payload = { text: "x".repeat(400_000) };
  for (let n = 0; n < 60; n += 1) await publish("large", payload);
  await world.settled();
  await until(async () => feedRegistryOf(world.kernel).waiting === 0);
  const before = feedRegistryOf(world.kernel).reads;
  const listener = await listen(`large/stream?after=${BEGINNING}`);
  listener.response.pause();
  await until(async () => feedRegistryOf(world.kernel).reads > before);
  // Other requests are served in the meantime; the stream stays within its first batch.
  for (let n = 0; n < 20; n += 1) await publish("elsewhere", {});
  expect(feedRegistryOf(world.kernel).reads - before).toBe(1);
  listener.response.resume();
  // One additional block, with which every stream begins.
  await until(async () => listener.blocks().length === 61);
  listener.request.destroy();
});

test("streams end on shutdown", async () => {
  await using ending = await startWorld();
  const ask = await ending.member(["owner"]);
  const reply = ending.app.inject({
    url: "/api/v1/events/topics/quiet/stream",
    headers: headersOf(ask),
  });
  await until(async () => feedRegistryOf(ending.kernel).waiting === 1);
  ending.kernel.drain();
  const { statusCode, payload, headers } = await reply;
  expect(statusCode).toBe(200);
  expect(headers["connection"]).toBe("close");
  expect(payload).toMatch(/^retry: 1000\nid: \S+\n\n$/);
});

test("a browser's EventSource needs only a cookie and the address", async () => {
  const publishIn = (environment: string) =>
    owner(
      "POST /api/v1/events/topics/shop.windows/publish",
      { type: "told.once", payload: { environment } },
      { "x-environment": environment },
    );
  await publishIn("production");
  const staged = await publishIn("staging");
  const open = (query: string, cookie = `millrace_session=${owner.token}`) =>
    world.app.inject({
      url: `/api/v1/events/topics/shop.windows/stream?after=${BEGINNING}&limit=1&${query}`,
      headers: { cookie },
    });
  const heard = await open("workspace=default&environment=staging");
  expect(heard.statusCode).toBe(200);
  expect(heard.payload).toContain(`id: ${staged.body.data.id}\n`);
  expect((await open("workspace=default")).payload).toContain('"environment":"production"');
  for (const [query, status, code] of [
    ["", 400, "workspace_required"],
    ["workspace=", 400, "workspace_required"],
    ["workspace=elsewhere", 403, "workspace_forbidden"],
    ["workspace=default&workspace=default", 403, "workspace_forbidden"],
    ["workspace=default&environment=moon", 400, "unknown_environment"],
  ] as const) {
    const answer = await open(query);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
  }
  expect((await open("workspace=default", "millrace_session=mrs_guessed")).statusCode).toBe(401);
  // Other operations accept only the headers.
  expect(await owner("GET /api/v1/audit?workspace=default")).toMatchObject({ status: 422 });
});

test("one stream contains all messages of users and no platform events", async () => {
  const first = await publish("orders", { n: 1 });
  await publish("invoices", { n: 2 });
  await world.kernel.startWork();
  const counted = async () =>
    (await owner("GET /api/v1/events/topics?limit=200")).body.data.map(({ name }: any) => name);
  await until(async () => (await counted()).includes("invoices"));
  const heard = await listen(`platform.messages/stream?after=${first}`);
  await owner("POST /api/v1/itsm/incidents", { title: "Not a message" });
  await publish("orders", { n: 3 });
  await until(async () => heard.events().length >= 2);
  expect(heard.events().map(({ data }) => [data.resource.displayName, data.data.n])).toEqual([
    ["invoices", 2],
    ["orders", 3],
  ]);
  const elsewhere = await world.member(["owner"], await world.workspace("messages-elsewhere"));
  const none = await elsewhere("GET /api/v1/events/topics/platform.messages/events?timeout=0");
  expect(none.body.data).toEqual([]);
});
