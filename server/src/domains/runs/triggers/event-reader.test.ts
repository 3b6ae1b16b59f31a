import { expect, test } from "vitest";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import {
  waitUntilIdle,
  pauseTriggerReader,
  deployEventWorkflow,
  publish,
  findRuns,
  readEventTypes,
} from "../testing/triggers.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

const started = async (id: string): Promise<string[]> =>
  (await findRuns(world, id)).map(({ event_id }) => event_id);

test("event runs use the event as input and cause and keep the event's actor", async () => {
  const id = await deployEventWorkflow(owner, { topic: "orders" }, [
    {
      id: "keep",
      type: "set",
      config: { values: { sku: "{{ trigger.event.data.sku }}", by: "{{ trigger.event.type }}" } },
    },
  ]);
  const eventId = await publish(owner, "orders", { type: "order.placed", payload: { sku: "a-1" } });
  const [run] = await until(async () => {
    const found = await findRuns(world, id);
    return found[0]?.status === "completed" && found;
  });
  expect(run).toMatchObject({
    trigger_type: "event_bus",
    event_id: eventId,
    causation_id: eventId,
    depth: 1,
    run_as: owner.userId,
    actor: { id: owner.userId, type: "user" },
    output: { sku: "a-1", by: "order.placed" },
    trigger: {
      type: "event_bus",
      event: { id: eventId, type: "order.placed", environment: "production", data: { sku: "a-1" } },
    },
  });
  expect(await readEventTypes(world, [run.id])).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
  const told = await world.sql(
    `select actor_id, causation_id, correlation_id, depth from events where resource_id = $1`,
    [run.id],
  );
  const about = { actor_id: id, causation_id: eventId, depth: 1 };
  expect(told).toEqual([0, 1].map(() => ({ ...about, correlation_id: run.correlation_id })));
  await waitUntilIdle(world);
  expect(await started(id)).toEqual([eventId]);
});

test("a visible past event starts a manual run as its cause; an example event starts one too", async () => {
  const id = await deployEventWorkflow(owner, { topic: "returns", eventType: "return.*" }, [
    { id: "keep", type: "set", config: { values: { sku: "{{ trigger.event.data.sku }}" } } },
  ]);
  const eventId = await publish(owner, "returns", { type: "return.sent", payload: { sku: "b" } });
  await publish(owner, "returns", { type: "return.sent", payload: { sku: "c" } });
  await publish(owner, "returns", { type: "noise" });
  await waitUntilIdle(world);
  const filter = encodeURIComponent(JSON.stringify({ "data.sku": "b" }));
  const recent = `GET /api/v1/events/recent?topic=returns&type=return.*&filter=${filter}`;
  const found = await owner(recent);
  expect(found.body.data.map((event: { id: string }) => event.id)).toEqual([eventId]);
  expect(await owner(`${recent}x`)).toMatchObject({ status: 422 });
  const run = (body: object, ask: Ask = owner) =>
    ask(`POST /api/v1/workflows/${id}/trigger?wait=9000`, body);
  const again = await run({ eventId });
  expect(again).toMatchObject({ status: 200, body: { data: { eventId, output: { sku: "b" } } } });
  const told = await world.sql("select type, causation_id from events where resource_id = $1", [
    again.body.data.runId,
  ]);
  expect(told).toEqual([
    { type: "workflow.run_started", causation_id: eventId },
    { type: "workflow.run_completed", causation_id: eventId },
  ]);
  const tested = await owner(`POST /api/v1/workflows/${id}/test`, { eventId });
  expect(tested.body.data).toMatchObject({ output: { sku: "b" } });
  const made = await run({ event: { data: { sku: "made up" } } });
  expect(made.body.data).toMatchObject({ eventId: null, output: { sku: "made up" } });
  const elsewhere = await world.member(["owner"], await world.workspace("elsewhere"));
  const foreign = await publish(elsewhere, "returns", { type: "return.sent" });
  for (const refused of [{ eventId: foreign }, { eventId, event: {} }]) {
    expect(await run(refused)).toMatchObject({ status: 422, events: [] });
  }
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "Starts runs",
    expiresIn: null,
    scopes: ["workflows:trigger"],
  });
  const scoped = world.asToken(body.data.token, "default");
  expect(await run({ eventId }, scoped)).toMatchObject({ status: 422, events: [] });
  expect(await run({ event: {} }, scoped)).toMatchObject({ status: 200 });
});

const MESSAGES = {
  placed: { type: "order.placed", payload: { total: 5, customer: { tier: "gold" } } },
  large: { type: "order.placed", payload: { total: 500, tags: ["rush"] } },
  paid: { type: "order.bill.paid", payload: { total: 500 } },
  other: { type: "refund", payload: { before: 1, after: 2, changes: [] } },
};

test.each<[string, object, readonly (keyof typeof MESSAGES)[]]>([
  ["everything on its topic", {}, ["placed", "large", "paid", "other"]],
  ["one type", { eventType: "refund" }, ["other"]],
  ["a pattern", { eventType: "order.*" }, ["placed", "large", "paid"]],
  ["a pattern of two words", { eventType: "*.placed" }, ["placed", "large"]],
  ["no type that comes", { eventType: "refund.*" }, []],
  ["an equality", { filter: { "data.customer.tier": "gold" } }, ["placed"]],
  ["a comparison", { filter: { "data.total": { gte: 100 } } }, ["large", "paid"]],
  ["both", { eventType: "*.placed", filter: { "data.total": { gte: 100 } } }, ["large"]],
  ["a list", { filter: { "data.tags": { contains: "rush" } } }, ["large"]],
  ["the actor", { filter: { "actor.type": "workflow" } }, []],
  [
    "a type by its filter",
    { filter: { or: [{ type: "refund" }, { "data.total": 5 }] } },
    ["placed", "other"],
  ],
  ["a message that looks like a change", { filter: { "data.before": 1 } }, ["other"]],
])("a trigger receives %s", async (name, trigger, expected) => {
  const topic = `table.${name.replaceAll(/\W/g, "-")}`;
  const id = await deployEventWorkflow(owner, { topic, ...trigger });
  const ids: Record<string, string> = {};
  for (const [key, message] of Object.entries(MESSAGES))
    ids[key] = await publish(owner, topic, message);
  await publish(owner, "table.elsewhere", MESSAGES.placed);
  await publish(owner, topic, MESSAGES.placed, { "x-environment": "staging" });
  await waitUntilIdle(world);
  expect(await started(id)).toEqual(expected.map((key) => ids[key]));
});

test("platform events appear on the topic of their namespace and on the common topic", async () => {
  const [own, all, changed, unchanged] = await Promise.all([
    deployEventWorkflow(owner, { topic: "note", eventType: "note.created" }),
    deployEventWorkflow(owner, { topic: "platform.events", eventType: "note.*" }),
    deployEventWorkflow(owner, {
      topic: "note",
      filter: { "before.body": "old", "data.body": "new", changes: { contains: "body" } },
    }),
    deployEventWorkflow(owner, { topic: "note", filter: { "before.body": "new" } }),
  ]);
  const { body } = await owner("POST /api/v1/notes", { title: "A note", body: "old" });
  await owner(`PATCH /api/v1/notes/${body.data.id}`, { body: "new" });
  await publish(owner, "note.imitation", { type: "note.imitated" });
  await waitUntilIdle(world);
  const types = async (id: string): Promise<string[]> =>
    (await findRuns(world, id)).map(({ trigger }) => trigger.event.type);
  expect(await types(own)).toEqual(["note.created"]);
  expect(await types(all)).toEqual(["note.created", "note.updated"]);
  expect(await types(changed)).toEqual(["note.updated"]);
  expect(await types(unchanged)).toEqual([]);
  const [run] = await findRuns(world, changed);
  expect(run.trigger.event).toMatchObject({ data: { body: "new" }, before: { body: "old" } });
});

test("audit log events start only workflows of users who can read the audit log", async () => {
  const builder = await world.member(["builder"]);
  const trigger = { topic: "platform.events", eventType: "audit.secret.created" };
  const [hidden, seen] = [
    await deployEventWorkflow(builder, trigger),
    await deployEventWorkflow(owner, trigger),
  ];
  await owner("POST /api/v1/secrets", { name: "WATCHED", value: "quite secret" });
  await waitUntilIdle(world);
  expect(await started(hidden)).toEqual([]);
  expect(await started(seen)).toHaveLength(1);
});

test("a workflow receives run events of other workflows but ignores its run events", async () => {
  const trigger = { topic: "workflow", eventType: "workflow.run_completed" };
  const watcher = await deployEventWorkflow(owner, {
    ...trigger,
    filter: { "data.trigger": "event_bus", "data.workflowName": { ne: "x" } },
  });
  const watched = await deployEventWorkflow(owner, { topic: "watched" });
  await publish(owner, "watched", { type: "go" });
  await until(
    async () => (await started(watched)).length === 1 && (await started(watcher)).length > 0,
  );
  await waitUntilIdle(world);
  const heard = (await findRuns(world, watcher)).map(
    ({ trigger: { event } }) => event.data.workflowId,
  );
  expect(heard).toEqual([watched]);
  await owner(`POST /api/v1/workflows/${watcher}/deactivate`);
});

test("a chain of runs that start each other is cut at its sixteenth link", async () => {
  const id = await deployEventWorkflow(owner, { topic: "loop" }, [
    { id: "again", type: "publish_event", config: { topic: "loop", type: "again", payload: {} } },
  ]);
  await publish(owner, "loop", { type: "first" });
  await until(async () =>
    (await findRuns(world, id)).some(({ depth, status }) => depth === 16 && status === "completed"),
  );
  await waitUntilIdle(world);
  expect((await findRuns(world, id)).map(({ depth }) => depth)).toEqual(
    Array.from({ length: 16 }, (_, link) => link + 1),
  );
});

test("a workflow receives events after its activation, however late they are read, and none while inactive", async () => {
  const release = await pauseTriggerReader(world);
  await publish(owner, "since", { type: "before" });
  const id = await deployEventWorkflow(owner, { topic: "since" });
  const first = await publish(owner, "since", { type: "first" });
  // A new version with the same trigger misses no event.
  await owner(`PATCH /api/v1/workflows/${id}`, { description: "The same, in other words" });
  await owner(`POST /api/v1/workflows/${id}/publish`);
  const second = await publish(owner, "since", { type: "second" });
  await release();
  await until(async () => (await started(id)).length === 2);
  await owner(`POST /api/v1/workflows/${id}/deactivate`);
  await publish(owner, "since", { type: "unheard" });
  await waitUntilIdle(world);
  const again = await pauseTriggerReader(world);
  await publish(owner, "since", { type: "unheard" });
  await owner(`POST /api/v1/workflows/${id}/activate`);
  const third = await publish(owner, "since", { type: "third" });
  await again();
  await until(async () => (await started(id)).length > 2);
  await waitUntilIdle(world);
  expect(await started(id)).toEqual([first, second, third]);
});

test("a failed batch is processed again, and only once", async () => {
  const id = await deployEventWorkflow(owner, { topic: "stumble" });
  await world.sql(`
    create function stumble() returns trigger language plpgsql as
      $$ begin raise exception 'a stone in the way'; end $$;
    create trigger stumble before insert on runs for each row
      when (new.workflow_id = '${id}') execute function stumble()`);
  const eventId = await publish(owner, "stumble", { type: "go" });
  await until(async () => world.lines.some((line) => line.includes("a stone in the way")));
  await world.sql("drop trigger stumble on runs");
  await until(async () => (await started(id)).length > 0);
  await waitUntilIdle(world);
  expect(await started(id)).toEqual([eventId]);
});

test("a concurrency key derived from the event makes runs exclusive", async () => {
  const id = await deployEventWorkflow(
    owner,
    { topic: "exclusive" },
    [
      {
        id: "hold",
        type: "wait_for_event",
        // The second run existed before the first release event, so that event must not end its wait.
        config: { topic: "exclusive.release", since: "wait" },
      },
    ],
    { maxConcurrency: 1, concurrencyKey: "{{ trigger.event.data.customer }}" },
  );
  for (const customer of ["a", "a", "b"]) {
    await publish(owner, "exclusive", { type: "go", payload: { customer } });
  }
  const states = async (): Promise<string> =>
    (await findRuns(world, id))
      .map((run) => `${run.concurrency_key} ${run.status}`)
      .toSorted()
      .join();
  await until(async () => (await states()) === "a queued,a waiting,b waiting");
  await publish(owner, "exclusive.release", { type: "enough" });
  await until(async () => (await states()) === "a completed,a waiting,b completed");
  await publish(owner, "exclusive.release", { type: "enough" });
  await until(async () => (await states()) === "a completed,a completed,b completed");
  for (const run of await findRuns(world, id)) {
    expect(await readEventTypes(world, [run.id])).toEqual([
      "workflow.run_queued",
      "workflow.run_started",
      "workflow.run_completed",
    ]);
  }
});
