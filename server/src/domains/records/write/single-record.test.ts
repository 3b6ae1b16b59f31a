import { beforeAll, describe, expect, test } from "vitest";
import { startNode, send } from "#domains/bus/testing/node.ts";
import { useWorld } from "#kernel/testing/world.ts";
import {
  type FilledTable,
  createFilledTable,
  recordId,
  rowsOf,
  eventDataOf,
} from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

describe("one record", () => {
  let orders: FilledTable;
  let customers: FilledTable;
  let ada: string;
  let tableThen: object;

  beforeAll(async () => {
    customers = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "name", type: "text" }] },
      [],
    );
    ada = (await owner(`POST ${customers.path}`, { name: "Ada" })).body.data.id;
    const columns = [
      { name: "number", type: "text", required: true, unique: true },
      { name: "no", type: "autonumber", options: { start: 7 } },
      { name: "total", type: "decimal", default: 0, options: { min: 0 } },
      { name: "open", type: "boolean", default: true },
      { name: "day", type: "date" },
      { name: "at", type: "timestamp", default: "$now" },
      { name: "extra", type: "json" },
      { name: "state", type: "enum", options: { values: ["new", "done"] }, default: "new" },
      { name: "tags", type: "multi_enum", options: { values: ["a", 'b"\\'] } },
      { name: "customer", type: "reference", options: { table: customers.slug } },
      { name: "agent", type: "reference", options: { table: "users" }, default: "$user" },
      { name: "count", type: "integer" },
    ];
    orders = await createFilledTable(world, owner, { columns }, []);
    const { body } = await owner(`GET /api/v1/tables/${orders.slug}`);
    tableThen = { tableSlug: orders.slug, tableId: body.data.id, tableRevision: 1 };
  });

  test("a create fills defaults, returns the record as later reads do, and emits an event", async () => {
    const made = await owner(`POST ${orders.path}`, {
      number: "A-1",
      total: "12.50",
      day: "2026-01-31",
      extra: { b: [1, null], a: "x" },
      tags: ['b"\\', "a"],
      customer: ada,
    });
    expect(made).toMatchObject({ status: 201, events: ["record.created"] });
    const { data } = made.body;
    expect(data).toEqual({
      id: expect.stringMatching(/^rec_/),
      createdAt: expect.any(String),
      updatedAt: data.createdAt,
      createdBy: owner.userId,
      number: "A-1",
      no: 7,
      total: 12.5,
      open: true,
      day: "2026-01-31",
      at: data.createdAt,
      extra: { a: "x", b: [1, null] },
      state: "new",
      tags: ['b"\\', "a"],
      customer: ada,
      agent: owner.userId,
      count: null,
    });
    expect(made.headers["location"]).toBe(`${orders.path}/${data.id}`);
    expect(made.headers["etag"]).toBe('"1"');
    const read = await owner(`GET ${made.headers["location"]}`);
    expect([read.body.data, read.headers["etag"]]).toEqual([data, '"1"']);
    const [told] = await eventDataOf(world, made.headers["x-request-id"] ?? "");
    expect(told).toEqual({ ...tableThen, ...data });
    const { body } = await owner(`GET /api/v1/audit?resourceId=${data.id}`);
    expect(body.data[0].resource).toEqual({
      type: "record",
      id: data.id,
      number: null,
      displayName: "A-1",
    });
  });

  test("reports all errors in it", async () => {
    const answer = await owner(`POST ${orders.path}`, {
      number: null,
      no: 3,
      total: -1,
      day: "2026-02-30",
      state: "old",
      tags: ["a", "a"],
      customer: "Ada",
      agent: recordId(1),
      id: recordId(1),
      colour: "red",
      count: 1.5,
    });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
    const paths = answer.body.errors.map(({ path }: { path: string }) => path);
    const all = "/number /no /total /day /state /tags /customer /agent /count /id /colour";
    expect(paths).toEqual(all.split(" "));
  });

  test.each([
    ["a customer who is not there", () => ({ customer: recordId(9) }), "/customer"],
    ["somebody unknown", () => ({ agent: `usr_${"0".repeat(26)}` }), "/agent"],
  ])("does not refer to %s", async (_, fields, path) => {
    const made = await owner(`POST ${orders.path}`, { number: "A-2", ...fields() });
    expect(made).toMatchObject({ status: 422, body: { errors: [{ path }] }, events: [] });
    const [row] = await rowsOf(world, orders);
    const changed = await owner(`PATCH ${orders.path}/${row.id}`, fields());
    expect(changed).toMatchObject({ status: 422, body: { errors: [{ path }] }, events: [] });
  });

  test("a record cannot refer to a former member, but may keep an existing reference", async () => {
    const agent = await world.member(["agent"]);
    const { body } = await owner(`POST ${orders.path}`, { number: "A-3", agent: agent.userId });
    await world.sql("update memberships set status = 'deactivated' where user_id = $1", [
      agent.userId,
    ]);
    const refused = await owner(`POST ${orders.path}`, { number: "A-4", agent: agent.userId });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: "/agent" }] } });
    const kept = { agent: agent.userId, count: 3 };
    const changed = await owner(`PATCH ${orders.path}/${body.data.id}`, kept);
    expect(changed).toMatchObject({ status: 200, body: { data: kept } });
  });

  test("needs distinct values in unique fields", async () => {
    const taken = { status: 409, events: [] };
    const why = {
      code: "record_not_unique",
      errors: [{ path: "/number", message: "is already used by another record" }],
    };
    expect(await owner(`POST ${orders.path}`, { number: "A-1" })).toMatchObject({
      ...taken,
      body: why,
    });
    const { body } = await owner(`POST ${orders.path}`, { number: "A-5" });
    const route = `PATCH ${orders.path}/${body.data.id}`;
    expect(await owner(route, { number: "A-1" })).toMatchObject({ ...taken, body: why });
    const key = { "idempotency-key": "twice" };
    const first = await owner(`POST ${orders.path}`, { number: "A-1" }, key);
    const again = await owner(`POST ${orders.path}`, { number: "A-1" }, key);
    expect(first).toMatchObject({ ...taken, body: why });
    expect(again).toMatchObject({ ...taken, body: first.body });
    expect(again.headers["idempotency-replayed"]).toBe("true");
  });

  test("an update changes the named fields, and its event contains the previous values", async () => {
    const { body } = await owner(`POST ${orders.path}`, { number: "A-6", extra: { a: 1, b: 2 } });
    const before = body.data;
    world.clock.advance(1_000);
    const changed = await owner(`PATCH ${orders.path}/${before.id}`, {
      total: 3,
      tags: ["a"],
      extra: { b: 2, a: 1 },
      day: null,
    });
    expect(changed).toMatchObject({ status: 200, events: ["record.updated"] });
    expect(changed.headers["etag"]).toBe('"2"');
    const after = changed.body.data;
    expect(after).toEqual({ ...before, total: 3, tags: ["a"], updatedAt: expect.any(String) });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect((await owner(`GET ${orders.path}/${before.id}`)).body.data).toEqual(after);
    const tableSlug = orders.slug;
    expect(await eventDataOf(world, changed.headers["x-request-id"] ?? "")).toEqual([
      {
        ...tableThen,
        before: { tableSlug, ...before },
        after: { tableSlug, ...after },
        changes: ["total", "tags"],
      },
    ]);
  });

  test("an update without differences changes nothing", async () => {
    const { body } = await owner(`POST ${orders.path}`, { number: "A-7", extra: { a: 1, b: 2 } });
    const same = { number: "A-7", total: "0.00", extra: { b: 2, a: 1 }, count: null };
    const answer = await owner(`PATCH ${orders.path}/${body.data.id}`, same);
    expect(answer).toMatchObject({ status: 200, body, events: [] });
    expect(answer.headers["etag"]).toBe('"1"');
  });

  test("If-Match limits changes and deletions to one revision", async () => {
    const { body } = await owner(`POST ${orders.path}`, { number: "A-8" });
    const place = `${orders.path}/${body.data.id}`;
    await owner(`PATCH ${place}`, { count: 1 });
    const old = { "if-match": '"1"' };
    const stale = { status: 412, events: [] };
    expect(await owner(`PATCH ${place}`, { count: 2 }, old)).toMatchObject(stale);
    expect(await owner(`DELETE ${place}`, undefined, old)).toMatchObject(stale);
    expect((await owner(`GET ${place}`)).body.data.count).toBe(1);
    const deleted = await owner(`DELETE ${place}`, undefined, { "if-match": '"2"' });
    expect(deleted).toMatchObject({ status: 204, events: ["record.deleted"] });
    const gone = { status: 404, body: { code: "not_found" }, events: [] };
    expect(await owner(`PATCH ${place}`, { count: 2 })).toMatchObject(gone);
    expect(await owner(`DELETE ${place}`)).toMatchObject(gone);
  });

  test("is written in its own environment", async () => {
    const elsewhere = { "x-environment": "staging" };
    expect(await owner(`POST ${orders.path}`, { number: "S" }, elsewhere)).toMatchObject({
      status: 404,
      events: [],
    });
  });

  test("a repeated request creates one record", async () => {
    const table = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "n", type: "integer" }] },
      [],
    );
    const key = { "idempotency-key": "once" };
    const [one, other] = [
      await owner(`POST ${table.path}`, { n: 1 }, key),
      await owner(`POST ${table.path}`, { n: 1 }, key),
    ];
    expect(other.body).toEqual(one.body);
    expect(await rowsOf(world, table)).toHaveLength(1);
  });

  test("changes any combination of fields", async () => {
    const columns = Array.from({ length: 6 }, (_, index) => ({
      name: `f${index}`,
      type: "integer",
    }));
    const table = await createFilledTable(world, owner, { columns }, []);
    const { body } = await owner(`POST ${table.path}`, {});
    const record = { ...body.data };
    for (let set = 1; set < 64; set += 3) {
      const fields = Object.fromEntries(
        columns.flatMap(({ name }, index) => ((set >> index) & 1 ? [[name, set]] : [])),
      );
      const answer = await owner(`PATCH ${table.path}/${record.id}`, fields);
      Object.assign(record, fields, { updatedAt: answer.body.data.updatedAt });
      expect(answer).toMatchObject({ status: 200, body: { data: record } });
      expect(answer.events).toEqual(["record.updated"]);
    }
    const again = await owner(`PATCH ${table.path}/${record.id}`, { f0: record.f0, f5: record.f5 });
    expect(again.events).toEqual([]);
  });

  test("is written with the current definition after a change elsewhere", async () => {
    const table = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "a", type: "integer" }] },
      [],
    );
    const { id } = (await owner(`POST ${table.path}`, { a: 1 })).body.data;
    await using node = await startNode(world);
    const elsewhere = (body: object) =>
      send(node.app, owner, `PATCH /api/v1/tables/${table.slug}`, body);
    const refused = { status: 422, events: [] };
    await elsewhere({ renameColumns: [{ from: "a", to: "b" }] });
    expect(await owner(`POST ${table.path}`, { a: 2 })).toMatchObject(refused);
    expect((await owner(`POST ${table.path}`, { b: 2 })).body).toMatchObject({ data: { b: 2 } });
    await elsewhere({ renameColumns: [{ from: "b", to: "c" }] });
    expect(await owner(`PATCH ${table.path}/${id}`, { b: 3 })).toMatchObject(refused);
    await elsewhere({ renameColumns: [{ from: "c", to: "d" }] });
    expect((await owner(`PATCH ${table.path}/${id}`, { d: 3 })).body.data).toMatchObject({ d: 3 });
    await elsewhere({ addColumns: [{ name: "e", type: "integer", required: true, default: 9 }] });
    await elsewhere({ alterColumns: [{ name: "e", default: null }] });
    const missing = await owner(`POST ${table.path}`, { d: 2 });
    expect(missing).toMatchObject({ ...refused, body: { errors: [{ path: "/e" }] } });
    await elsewhere({ addColumns: [{ name: "f", type: "integer" }] });
    const put = { e: 1, f: 1 };
    expect((await owner(`POST ${table.path}`, put)).body.data).toMatchObject(put);
  });
});

test("concurrent changes of one record emit consecutive events", async () => {
  const columns = [
    { name: "a", type: "integer" },
    { name: "b", type: "integer" },
  ];
  const table = await createFilledTable(world, owner, { columns }, [{ a: 0, b: 0 }]);
  const place = `${table.path}/${table.ids[0]}`;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      owner(`PATCH ${place}`, index % 2 ? { a: index } : { b: index }),
    ),
  );
  const changes = answers.filter(({ events }) => events.length === 1);
  const [row] = await rowsOf(world, table);
  expect(row.revision).toBe(1 + changes.length);
  const told = await world.sql(
    "select data from events where type = 'record.updated' and data ->> 'tableSlug' = $1",
    [table.slug],
  );
  // Each change starts from the result of another, so all states but the last are the start of a change.
  const states = ({ a, b }: { a: number; b: number }) => `${a} ${b}`;
  const before = told.map(({ data }) => states(data.before)).toSorted();
  const after = told.map(({ data }) => states(data.after));
  expect([...after, "0 0"].toSorted()).toEqual([...before, states(row)].toSorted());
});
