import { expect, test } from "vitest";
import { type Ask, startWorld, until, useWorld } from "#kernel/testing/world.ts";
import { startNode, send } from "./testing/node.ts";

const MINUTE_MS = 60_000;

const world = await useWorld();
const owner = await world.member(["owner"]);

const publish = (topic: string, body: object, headers = {}) =>
  owner(`POST /api/v1/events/topics/${topic}/publish`, body, headers);
const on = async (topic: string, headers = {}, ask: Ask = owner) => {
  await world.settled();
  const route = `GET /api/v1/events/topics/${topic}/events?limit=200`;
  return (await ask(route, undefined, headers)).body.data;
};

test("a message is an event on its topic, with the payload as data and the publisher as actor", async () => {
  const payload = { order: 4711, lines: [{ sku: "a", n: 2 }], note: "ünïcödé \u2028 \n" };
  const answer = await publish("orders.shipping", { type: "order.shipped", payload });
  expect(answer).toMatchObject({ status: 201, events: ["order.shipped"] });
  const { id } = answer.body.data;
  expect(answer.body).toEqual({ data: { id, deduplicated: false } });
  expect(answer.headers["location"]).toBe(`/api/v1/audit/${id}`);
  const [event, ...others] = await on("orders.shipping");
  expect(others).toEqual([]);
  expect(event).toEqual({
    id,
    type: "order.shipped",
    workspaceId: expect.stringMatching(/^ws_/),
    environment: "production",
    createdAt: expect.any(String),
    actor: { id: (owner as any).userId, name: "Somebody", type: "user" },
    resource: {
      type: "message",
      id: expect.stringMatching(/^msg_/),
      number: null,
      displayName: "orders.shipping",
    },
    requestId: answer.headers["x-request-id"],
    correlationId: expect.any(String),
    causationId: null,
    depth: 0,
    data: payload,
  });
  expect((await owner(`GET /api/v1/audit/${id}`)).body.data).toEqual(event);
});

test("topics of the same name are separate in each environment and workspace", async () => {
  const other = await world.member(["owner"], await world.workspace("next-door"));
  await publish("apart", { type: "here", payload: {} });
  await publish("apart", { type: "staged", payload: {} }, { "x-environment": "staging" });
  await other("POST /api/v1/events/topics/apart/publish", { type: "there", payload: {} });
  const types = (events: any[]) => events.map(({ type }) => type);
  expect(types(await on("apart"))).toEqual(["here"]);
  expect(types(await on("apart", { "x-environment": "staging" }))).toEqual(["staged"]);
  expect(types(await on("apart", {}, other))).toEqual(["there"]);
});

test.each([
  "audit",
  "audit.token",
  "platform",
  "platform.events",
  "platform.news",
  "note",
  "workspace",
  "user",
  "incident",
  "workflow",
  "record",
])("rejects publishing on the platform's topic %s", async (topic) => {
  const answer = await publish(topic, { type: "anything", payload: {} });
  expect(answer).toMatchObject({ status: 403, body: { code: "topic_reserved" }, events: [] });
});

test.each(["incidents", "note.taken", "my.audit", "auditing", "platforms.x", "A-b_c.9", "9"])(
  "accepts the topic %s",
  async (topic) => {
    const answer = await publish(topic, { type: "anything", payload: {} });
    expect(answer).toMatchObject({ status: 201, events: ["anything"] });
  },
);

test.each(["note.created", "workspace.updated", "audit.secret.created", "audit.anything", "audit"])(
  "rejects messages with the platform's type %s",
  async (type) => {
    const answer = await publish("pretence", { type, payload: {} });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: [{ path: "/type" }] },
      events: [],
    });
  },
);

test.each(["", ".", "a.", ".a", "a..b", "a b", "ä", "a/b", "*", "a.*", `a${"b".repeat(200)}`])(
  "rejects %j as a topic and as a type",
  async (name) => {
    const asTopic = await publish(encodeURIComponent(name), { type: "x", payload: {} });
    expect([404, 422]).toContain(asTopic.status);
    const asType = await publish("names", { type: name, payload: {} });
    expect(asType).toMatchObject({ status: 422, events: [] });
  },
);

test("builders, agents and change managers publish; members, viewers and auditors read", async () => {
  const roles: Record<string, number> = {
    admin: 201,
    builder: 201,
    agent: 201,
    change_manager: 201,
    member: 403,
    viewer: 403,
    auditor: 403,
  };
  for (const [role, status] of Object.entries(roles)) {
    const ask = await world.member([role]);
    const body = { type: "spoken", payload: {} };
    const answer = await ask("POST /api/v1/events/topics/roles/publish", body);
    expect(answer).toMatchObject({ status, events: status === 201 ? ["spoken"] : [] });
    expect((await ask("GET /api/v1/events/topics/roles/events")).status).toBe(200);
  }
});

test("suppresses the second message with the same key on a topic for five minutes", async () => {
  const body = { type: "paid", payload: { n: 1 }, deduplicationKey: "invoice 7" };
  const first = await publish("billing", body);
  expect(first).toMatchObject({ status: 201, events: ["paid"] });
  const { id } = first.body.data;
  world.clock.advance(3 * MINUTE_MS);
  const second = await publish("billing", { ...body, type: "other", payload: { n: 2 } });
  expect(second).toMatchObject({ status: 200, body: { data: { id, deduplicated: true } } });
  expect(second.events).toEqual([]);

  const elsewhere = await publish("billing.eu", body);
  expect(elsewhere).toMatchObject({ status: 201, events: ["paid"] });
  const staged = await publish("billing", body, { "x-environment": "staging" });
  expect(staged).toMatchObject({ status: 201, events: ["paid"] });
  const otherKey = await publish("billing", { ...body, deduplicationKey: "invoice 8" });
  expect(otherKey).toMatchObject({ status: 201, events: ["paid"] });

  // Counted from the first message, not from the suppressed one.
  world.clock.advance(2 * MINUTE_MS);
  const third = await publish("billing", body);
  expect(third).toMatchObject({ status: 201, events: ["paid"] });
  expect(third.body.data.id > id).toBe(true);
  const fourth = await publish("billing", body);
  expect(fourth.body).toEqual({ data: { id: third.body.data.id, deduplicated: true } });
});

test("a failed message releases its key", async () => {
  const body = { type: "note.created", payload: {}, deduplicationKey: "second thought" };
  expect((await publish("thoughts", body)).status).toBe(422);
  expect(await publish("thoughts", { ...body, type: "thought" })).toMatchObject({
    status: 201,
    events: ["thought"],
  });
});

test("of 50 concurrent publishers with one key on two nodes, one publishes and all get its id", async () => {
  await using node = await startNode(world);
  const rounds = ["first", "after the window"];
  for (const [round, type] of rounds.entries()) {
    const body = { type: "raced", payload: { type }, deduplicationKey: "the race" };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        send(
          n % 2 === 0 ? world.app : node.app,
          owner,
          "POST /api/v1/events/topics/race/publish",
          body,
        ),
      ),
    );
    const published = answers.filter(({ status }) => status === 201);
    expect(published).toHaveLength(1);
    const { id, deduplicated } = published[0]!.body.data;
    expect(deduplicated).toBe(false);
    const suppressed = answers.filter(({ status }) => status === 200);
    expect(suppressed).toHaveLength(49);
    for (const { body: answer } of suppressed) {
      expect(answer).toEqual({ data: { id, deduplicated: true } });
    }
    expect(await on("race")).toHaveLength(round + 1);
    world.clock.advance(5 * MINUTE_MS);
  }
});

test("deletes keys exactly after their time", async () => {
  await using working = await startWorld({ work: true });
  const ask = await working.member(["owner"]);
  const publishOnce = (key: string) =>
    ask("POST /api/v1/events/topics/forgetful/publish", {
      type: "x",
      payload: {},
      deduplicationKey: key,
    });
  // It runs once at the start, and then every minute.
  await until(async () => {
    const [job] = await working.sql("select due_at from jobs where kind = 'bus.prune'");
    return job?.due_at > working.clock.now();
  });
  await publishOnce("old");
  working.clock.advance(9 * MINUTE_MS);
  await publishOnce("new");
  working.clock.advance(2 * MINUTE_MS);
  await until(async () => {
    const rows = await working.sql("select key from message_keys");
    return rows.length === 1 && rows[0].key === "new";
  });
});
