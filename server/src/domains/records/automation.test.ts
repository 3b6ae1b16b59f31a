/** Record steps, triggers and webhooks follow the access rules of tables. */
import { expect, test } from "vitest";
import { waitUntilIdle, deployEventWorkflow, findRuns } from "#domains/runs/testing/triggers.ts";
import {
  deployWorkflow,
  deployAndRun,
  waitForRun,
  stepsOf,
  trigger,
} from "#domains/runs/testing/workflows.ts";
import { arrived, caughtUp } from "#domains/webhooks/testing/deliveries.ts";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable } from "./testing/records.ts";

const receiver = await useReceiver();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);
/** Creates workflows and webhooks; sees the same fields and records as an agent. */
const maker = await world.member(["builder", "agent"]);

const columns = [
  { name: "title", type: "text" },
  { name: "salary", type: "integer" },
];
const RULES = [
  {
    roles: ["agent"],
    actions: ["read", "create", "update"],
    where: { title: { startsWith: "open" } },
    fields: ["title"],
  },
];

const node = (id: string, { slug }: FilledTable, operation: string, config: object = {}) => ({
  id,
  type: "records",
  config: { operation, table: slug, ...config },
});

test("a workflow creates, reads, lists, changes and deletes records", async () => {
  const table = await createFilledTable(world, owner, { columns }, []);
  const made = "{{ steps.make.output.id }}";
  const run = await deployAndRun(
    owner,
    [
      node("make", table, "create", {
        data: { title: "{{ trigger.input.title }}", salary: "{{ trigger.input.n }}" },
      }),
      node("more", table, "create", { data: { title: "more" } }),
      node("read", table, "get", { id: made }),
      node("change", table, "update", { id: made, data: { salary: 2 } }),
      node("all", table, "list", { sort: "title" }),
      node("some", table, "list", { filter: { salary: { gte: 2 } } }),
      node("first", table, "list", { sort: "-title", limit: 1 }),
      node("remove", table, "delete", { id: made }),
    ],
    {},
    { title: "made", n: 1 },
  );
  expect(run.status).toBe("completed");
  const output = (id: string) => stepsOf(run)[id].output;
  const record = output("make");
  expect(record).toMatchObject({ title: "made", salary: 1, createdBy: owner.userId });
  const changed = { ...record, salary: 2, updatedAt: output("change").updatedAt };
  expect(output("read")).toEqual(record);
  expect(output("change")).toEqual(changed);
  const listed = [
    { ...changed, revision: 2 },
    { ...output("more"), revision: 1 },
  ];
  expect(output("all")).toEqual(listed);
  expect(output("some")).toEqual(listed.slice(0, 1));
  expect(output("first")).toEqual(listed.slice(1));
  expect(output("remove")).toBeNull();
  const told = await world.sql(
    `select type, actor_type, actor_id from events where resource_id = $1
      order by epoch, xid, seq`,
    [record.id],
  );
  expect(told.map(({ type }) => type)).toEqual([
    "record.created",
    "record.updated",
    "record.deleted",
  ]);
  expect(new Set(told.map((one) => `${one.actor_type} ${one.actor_id}`))).toEqual(
    new Set([`workflow ${run.workflowId}`]),
  );
});

test("a list step reads several pages until the limit", async () => {
  const table = await createFilledTable(world, owner, { columns }, []);
  const records = Array.from({ length: 450 }, (_, salary) => ({ salary }));
  await owner(`POST ${table.path}/bulk`, { records });
  const run = await deployAndRun(owner, [
    node("some", table, "list", { sort: "salary", limit: 401 }),
    node("all", table, "list", { sort: "salary", limit: 1_000 }),
    node("usual", table, "list"),
  ]);
  const steps = stepsOf(run);
  const salaries = (id: string) => steps[id].output.map(({ salary }: any) => salary);
  const numbers = records.map(({ salary }) => salary);
  expect(salaries("some")).toEqual(numbers.slice(0, 401));
  expect(salaries("all")).toEqual(numbers);
  expect(salaries("usual")).toEqual(numbers.slice(-200).toReversed());
});

test("a step that fails reports the reason", async () => {
  const table = await createFilledTable(world, owner, { columns }, []);
  const failure = async (config: object) => {
    const run = await deployAndRun(owner, [{ id: "it", type: "records", config }]);
    return [run.status, stepsOf(run)["it"].error.code];
  };
  const nobody = `rec_${"0".repeat(26)}`;
  const { slug } = table;
  expect(await failure({ operation: "get", table: slug, id: nobody })).toEqual([
    "failed",
    "not_found",
  ]);
  expect(await failure({ operation: "list", table: "none" })).toEqual(["failed", "not_found"]);
  const bad = { operation: "create", table: slug, data: { salary: "x" } };
  expect(await failure(bad)).toEqual(["failed", "invalid"]);
  const unsaved = await owner("POST /api/v1/workflows", {
    name: "with a secret",
    trigger: { type: "manual" },
    nodes: [node("it", table, "create", { data: { title: "{{ secrets.KEY }}" } })],
    edges: [],
  });
  expect(unsaved.status).toBe(422);
});

test("workflows write records with the deployer's rights", async () => {
  const table = await createFilledTable(world, owner, { columns, rules: RULES }, [
    { title: "open", salary: 1 },
    { title: "shut", salary: 2 },
  ]);
  const list = await deployAndRun(maker, [node("all", table, "list")]);
  expect(stepsOf(list)["all"].output).toMatchObject([{ title: "open", salary: null }]);
  const run = await deployAndRun(maker, [
    node("it", table, "update", { id: table.ids[0], data: { salary: 9 } }),
  ]);
  expect(stepsOf(run)["it"].error.code).toBe("record_forbidden");
});

test("workflows receive record events with the deployer's field visibility", async () => {
  const table = await createFilledTable(world, owner, { columns, rules: RULES }, []);
  const free = await createFilledTable(world, owner, { columns }, []);
  const slugs = [table.slug, free.slug];
  const only = { topic: "record", filter: { "data.tableSlug": { in: slugs } } };
  const byOwner = await deployEventWorkflow(owner, only);
  const byMaker = await deployEventWorkflow(maker, only);
  const byGuess = await deployEventWorkflow(maker, {
    topic: "record",
    filter: { "data.tableSlug": table.slug, "data.salary": { gt: 0 } },
  });
  const waiting = await runOfWaiting(table);
  await owner(`POST ${table.path}`, { title: "shut", salary: 5 });
  const { body } = await owner(`POST ${table.path}`, { title: "open", salary: 6 });
  await owner(`PATCH ${table.path}/${body.data.id}`, { salary: 7 });
  await owner(`POST ${free.path}`, { title: "free", salary: 8 });
  await waitUntilIdle(world);
  const heard = async (id: string) =>
    (await findRuns(world, id)).map(({ trigger: { event } }) =>
      [event.type, event.data.title, event.data.salary, event.resource.displayName].join(" "),
    );
  expect(await heard(byOwner)).toEqual([
    "record.created shut 5 shut",
    "record.created open 6 open",
    "record.updated open 7 open",
    "record.created free 8 free",
  ]);
  expect(await heard(byMaker)).toEqual(["record.created open  open", "record.created free 8 free"]);
  expect(await heard(byGuess)).toEqual([]);
  const [run] = await findRuns(world, waiting);
  expect(run).toMatchObject({ status: "completed", output: { title: "open", salary: null } });
});

/** Runs a workflow, deployed by the maker, that waits for a record of a table. */
async function runOfWaiting({ slug }: FilledTable): Promise<string> {
  const said = (name: string) => `{{ steps.wait.output.data.${name} }}`;
  const id = await deployWorkflow(maker, [
    {
      id: "wait",
      type: "wait_for_event",
      config: { topic: "record", filter: { "data.tableSlug": slug } },
    },
    {
      id: "keep",
      type: "set",
      config: { values: { title: said("title"), salary: said("salary") } },
    },
  ]);
  const { body } = await trigger(maker, id);
  await waitForRun(maker, body.data.runId, ["waiting"]);
  return id;
}

test("webhooks send records with the field visibility of the last editor", async () => {
  const table = await createFilledTable(world, owner, { columns, rules: RULES }, []);
  const hook = async (ask: Ask, name: string, more: object = {}): Promise<string> => {
    const { status, body } = await ask("POST /api/v1/webhooks", {
      name,
      url: `${receiver.url}/${name}`,
      events: ["record.*"],
      retries: 0,
      filter: { "data.tableSlug": table.slug },
      ...more,
    });
    expect(status).toBe(201);
    return body.data.id;
  };
  const whole = await hook(owner, "whole");
  const part = await hook(maker, "part");
  const guess = await hook(maker, "guess", { filter: { "data.salary": { gt: 0 } } });
  const happen = async (title: string) => {
    const made = await owner(`POST ${table.path}`, { title, salary: 5 });
    for (const id of [whole, part, guess]) await caughtUp(world, id);
    return made.body.data.id as string;
  };
  const heard = (name: string) =>
    arrived(receiver, name).map(({ body: { data } }) => `${data.title} ${data.salary}`);
  await happen("open 1");
  await happen("shut 1");
  expect(heard("whole")).toEqual(["open 1 5", "shut 1 5"]);
  expect(heard("part")).toEqual(["open 1 null"]);
  expect(heard("guess")).toEqual([]);

  // The webhook uses the permissions of the member who last changed the filter or URL.
  await maker(`PATCH /api/v1/webhooks/${whole}`, { filter: { "data.tableSlug": table.slug } });
  await happen("open 2");
  expect(heard("whole").slice(2)).toEqual(["open 2 null"]);
  await owner(`PATCH /api/v1/webhooks/${whole}`, { url: `${receiver.url}/whole?again` });
  await happen("shut 2");
  expect(receiver.received.at(-1)?.body.data).toMatchObject({ title: "shut 2", salary: 5 });

  // Readers of the delivery list see a payload only if they may see the record.
  const sent = async (ask: Ask, id: string, index: number) => {
    const list = await ask(`GET /api/v1/webhooks/${id}/deliveries`);
    const { id: deliveryId } = list.body.data.toReversed()[index];
    const { body } = await ask(`GET /api/v1/webhooks/${id}/deliveries/${deliveryId}`);
    const { body: text } = body.data.request;
    return text === null ? "hidden" : JSON.parse(text).data.salary;
  };
  expect(await sent(owner, part, 0)).toBeNull();
  expect(await sent(maker, part, 0)).toBeNull();
  expect(await sent(owner, whole, 0)).toBe(5);
  expect(await sent(maker, whole, 0)).toBe("hidden");
});

test("redeliveries do not exceed the field visibility of the webhook's last editor", async () => {
  const table = await createFilledTable(world, owner, { columns, rules: RULES }, []);
  const { body } = await maker("POST /api/v1/webhooks", {
    name: "missed",
    url: `${receiver.url}/missed`,
    events: ["record.*"],
    retries: 0,
    filter: { "data.tableSlug": table.slug },
  });
  const { id } = body.data;
  const since = world.clock.now().toISOString();
  await maker(`PATCH /api/v1/webhooks/${id}`, { status: "paused" });
  await owner(`POST ${table.path}`, { title: "open", salary: 5 });
  await owner(`POST ${table.path}`, { title: "shut", salary: 5 });
  await maker(`POST /api/v1/webhooks/${id}/resume`, { from: "pausedAt" });
  await caughtUp(world, id);
  await owner(`POST /api/v1/webhooks/${id}/recover`, { since });
  await until(async () => {
    const [{ open }] = await world.sql(
      "select count(*)::int as open from jobs where kind = 'webhooks.recover'",
    );
    return open === 0;
  });
  await caughtUp(world, id);
  const heard = () => arrived(receiver, "missed").map(({ body: { data } }) => data);
  expect(heard()).toMatchObject([{ title: "open", salary: null }]);
  const [first] = (await owner(`GET /api/v1/webhooks/${id}/deliveries`)).body.data;
  await owner(`POST /api/v1/webhooks/${id}/deliveries/${first.id}/replay`, {});
  await caughtUp(world, id);
  expect(heard()).toMatchObject([{ salary: null }, { salary: null }]);

  // A delivery is not sent again if the recipient may no longer see the record.
  await owner(`PATCH /api/v1/tables/${table.slug}`, {
    rules: [{ ...RULES[0], roles: ["member"] }],
  });
  const refused = await owner(`POST /api/v1/webhooks/${id}/deliveries/${first.id}/replay`, {});
  expect(refused).toMatchObject({ status: 403, events: [] });
});

test("a list step reports that it was truncated, continues from a cursor, and passes all records to a loop", async () => {
  const rows = Array.from({ length: 230 }, (_, index) => ({ title: "open", salary: index }));
  const table = await createFilledTable(world, owner, { columns }, rows);
  const edges = [
    { from: "first", to: "rest" },
    { from: "rest", to: "all" },
    { from: "all", to: "each" },
  ];
  const each = {
    id: "each",
    type: "loop",
    config: {
      items: "{{ steps.all.output }}",
      body: {
        nodes: [{ id: "id", type: "set", config: { values: { id: "{{ item.id }}" } } }],
        edges: [],
      },
    },
  };
  const run = await deployAndRun(
    owner,
    [
      node("first", table, "list", { sort: "salary" }),
      node("rest", table, "list", { sort: "salary", after: "{{ steps.first.page.nextCursor }}" }),
      node("all", table, "list", { all: true, fields: ["title"] }),
      each,
    ],
    { edges },
  );
  expect(run.error).toBeNull();
  const { first, rest, all } = stepsOf(run);
  expect(first).toMatchObject({
    page: { truncated: true, nextCursor: expect.any(String) },
    logs: [{ level: "warn", message: expect.stringContaining("More than 200 records match") }],
  });
  expect(first.output).toHaveLength(200);
  expect(rest).toMatchObject({ page: { truncated: false, nextCursor: null }, logs: [] });
  expect(rest.output).toHaveLength(30);
  expect(all.output).toHaveLength(230);
  expect(run.output).toHaveLength(230);
  const cut = await deployAndRun(owner, [node("all", table, "list", { all: true, limit: 10 })]);
  expect(cut.error).toMatchObject({ code: "too_many_records", path: "all" });
});
