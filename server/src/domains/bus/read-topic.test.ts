import { randomUUID } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type Ask, startWorld, until, useWorld } from "#kernel/testing/world.ts";
import { feedRegistryOf } from "./feed-registry.ts";
import { startNode, headersOf, send } from "./testing/node.ts";

const BEGINNING = "evt_0000000000000000000000";

const world = await useWorld();
const owner = await world.member(["owner"]);
afterEach(() => expect(feedRegistryOf(world.kernel).waiting).toBe(0));

const freshTopic = () => `topic.${randomUUID()}`;
const publish = async (topic: string, n = 0, app = world.app): Promise<string> => {
  const body = { type: "told", payload: { n } };
  const answer = await send(app, owner, `POST /api/v1/events/topics/${topic}/publish`, body);
  expect(answer.status).toBe(201);
  return answer.body.data.id;
};
const read = (topic: string, query = "", app = world.app) =>
  send(app, owner, `GET /api/v1/events/topics/${topic}/events?${query}`);
const waiting = (count: number) =>
  until(async () => feedRegistryOf(world.kernel).waiting === count);

test("reads a topic from its oldest event page by page, always with a cursor", async () => {
  const topic = freshTopic();
  const empty = await read(topic);
  expect(empty).toEqual({
    status: 200,
    body: { data: [], pagination: { nextCursor: BEGINNING, hasMore: false, limit: 50 } },
  });
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await publish(topic, n));
  await world.settled();
  const pages = [];
  let after = empty.body.pagination.nextCursor;
  for (let n = 0; n < 4; n += 1) {
    const { body } = await read(topic, `limit=2&after=${after}`);
    pages.push([body.data.map(({ id }: any) => id), body.pagination.hasMore]);
    after = body.pagination.nextCursor;
    expect(body.pagination.limit).toBe(2);
  }
  expect(pages).toEqual([
    [ids.slice(0, 2), true],
    [ids.slice(2, 4), true],
    [ids.slice(4), false],
    [[], false],
  ]);
  expect(after).toBe(ids.at(-1));
  const later = await publish(topic, 5);
  await world.settled();
  const { body } = await read(topic, `after=${after}`);
  expect(body.data.map(({ id }: any) => id)).toEqual([later]);
});

test.each(["x", "evt_", "evt_000000000000000000000u", "msg_0000000000000000000000", "0"])(
  "rejects the cursor %s",
  async (after) => {
    for (const what of ["events", "stream"]) {
      const answer = await owner(`GET /api/v1/events/topics/t/${what}?after=${after}`);
      expect(answer).toMatchObject({
        status: 422,
        body: { errors: [{ path: "?after" }] },
        events: [],
      });
    }
  },
);

test.each(["limit=0", "limit=201", "timeout=-1", "timeout=60001", "timeout=soon"])(
  "%s is out of range",
  async (query) => {
    expect((await read("t", query)).status).toBe(422);
  },
);

test("a publish completes a poll, on this node and on another", async () => {
  await using node = await startNode(world);
  for (const app of [world.app, node.app]) {
    const topic = freshTopic();
    const last = await publish(topic, 0);
    const poll = read(topic, `timeout=60000&after=${last}`);
    await waiting(1);
    // Events on other topics do not affect it.
    await publish(freshTopic(), 0, app);
    expect(feedRegistryOf(world.kernel).waiting).toBe(1);
    const id = await publish(topic, 1, app);
    const { body } = await poll;
    expect(body.data).toMatchObject([{ id, data: { n: 1 } }]);
    expect(body.pagination).toEqual({ nextCursor: id, hasMore: false, limit: 50 });
  }
});

test("a poll of platform.events completes on every platform event and on no message", async () => {
  await world.settled();
  const { body: all } = await read("platform.events", "limit=200");
  expect(all.pagination.hasMore).toBe(false);
  const poll = read("platform.events", `timeout=60000&after=${all.pagination.nextCursor}`);
  await waiting(1);
  await publish(freshTopic());
  expect(feedRegistryOf(world.kernel).waiting).toBe(1);
  await owner("POST /api/v1/notes", { title: "Heard", body: "" });
  const { body } = await poll;
  expect(body.data).toMatchObject([{ type: "note.created", data: { title: "Heard" } }]);
  await world.settled();
  const onNote = await read("note", "limit=200");
  expect(onNote.body.data.at(-1)).toEqual(body.data[0]);
});

test("a poll is empty after its timeout and returns its original cursor", async () => {
  const topic = freshTopic();
  const after = await publish(topic);
  const { status, body } = await read(topic, `timeout=30&after=${after}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    data: [],
    pagination: { nextCursor: after, hasMore: false, limit: 50 },
  });
});

test("polls are empty on shutdown", async () => {
  await using ending = await startWorld();
  const ask = await ending.member(["owner"]);
  const polls = [1, 2, 3].map(() =>
    ending.app.inject({
      url: "/api/v1/events/topics/quiet/events?timeout=60000",
      headers: headersOf(ask),
    }),
  );
  await until(async () => feedRegistryOf(ending.kernel).waiting === 3);
  ending.kernel.drain();
  for (const { statusCode, headers, payload } of await Promise.all(polls)) {
    expect(statusCode).toBe(200);
    expect(headers["connection"]).toBe("close");
    expect(JSON.parse(payload).data).toEqual([]);
  }
  expect(feedRegistryOf(ending.kernel).waiting).toBe(0);
});

test("does not wait for a disconnected client", async () => {
  await using left = await startWorld();
  const ask = await left.member(["owner"]);
  await left.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = left.app.server.address() as AddressInfo;
  const requests = ["events?timeout=60000", "stream"].map((what) => {
    const request = get({
      port,
      path: `/api/v1/events/topics/quiet/${what}`,
      headers: headersOf(ask),
    });
    request.on("error", () => undefined);
    request.on("response", (response: IncomingMessage) => response.on("error", () => undefined));
    return request;
  });
  await until(async () => feedRegistryOf(left.kernel).waiting === 2);
  for (const request of requests) request.destroy();
  await until(async () => feedRegistryOf(left.kernel).waiting === 0);
});

test("one publish completes 2000 polls of one topic, which share reads of the log", async () => {
  const topic = freshTopic();
  const lobby = feedRegistryOf(world.kernel);
  const partition = { workspace: world.home, environment: "production" } as const;
  const feed = { partition, name: topic, topics: [topic] };
  const wish = { after: BEGINNING, limit: 50, waitMs: 60_000, settleMs: 0 };
  const overHttp = Array.from({ length: 20 }, () => read(topic, "timeout=60000"));
  const others = Array.from({ length: 1_980 }, () => lobby.next(feed, wish));
  await waiting(2_000);
  const before = lobby.reads;
  const id = await publish(topic, 7);
  for (const { body } of await Promise.all(overHttp)) {
    expect(body.data).toMatchObject([{ id, data: { n: 7 } }]);
  }
  for (const { events } of await Promise.all(others)) {
    expect(events.map((event) => event.id)).toEqual([id]);
  }
  // One read, and some more while a transaction of another test is open.
  expect(lobby.reads - before).toBeLessThan(200);
});

test("events committed after an open transaction appear after its end, in order and complete", async () => {
  const topic = freshTopic();
  const partition = { workspace: world.home, environment: "production" } as const;
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  // Takes its position first and commits last.
  const slow = world.kernel.db.write(partition, async (session) => {
    await session.send(
      `insert into events (epoch, topic, type, actor_id, actor_type, actor_name, resource_type,
                           resource_id, correlation_id, created_at, data)
       values (1, $1, 'slow', 'x', 'system', 'x', 'message', 'x', 'x', now(), '{}')`,
      [topic],
    );
    begun.resolve();
    await gate.promise;
  });
  await begun.promise;
  try {
    const fast = await publish(topic, 1);
    // It must not be returned yet, because the slow event would be skipped.
    expect((await read(topic)).body.data).toEqual([]);
    const poll = read(topic, "timeout=60000");
    await waiting(1);
    gate.resolve();
    await slow;
    const { body: first } = await poll;
    await world.settled();
    const { body: rest } = await read(topic, `after=${first.pagination.nextCursor}`);
    const seen = [...first.data, ...rest.data];
    expect(seen.map(({ type }) => type)).toEqual(["slow", "told"]);
    expect(seen[1].id).toBe(fast);
  } finally {
    // If left open, it would block all other tests.
    gate.resolve();
    await slow;
  }
});

test("only users with access to the audit log can read audit events, by any topic", async () => {
  const viewer = await world.member(["viewer"]);
  await owner("POST /api/v1/secrets", { name: "SEEN_BY_FEW", value: "nothing much" });
  await world.settled();
  const topics = async (ask: Ask, topic: string) => {
    const { body } = await ask(`GET /api/v1/events/topics/${topic}/events?limit=200`);
    return new Set(body.data.map(({ type }: any) => type.split(".")[0]));
  };
  expect(await topics(owner, "audit")).toEqual(new Set(["audit"]));
  expect(await topics(owner, "platform.events")).toContain("audit");
  const seen = await topics(viewer, "platform.events");
  expect(seen).toContain("note");
  expect(seen).not.toContain("audit");
  for (const what of ["events", "stream"]) {
    const refused = await viewer(`GET /api/v1/events/topics/audit/${what}`);
    expect(refused).toMatchObject({ status: 403, body: { code: "forbidden" }, events: [] });
  }
});
