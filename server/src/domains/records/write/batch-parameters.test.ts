import { describe, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { createFilledTable, recordId, rowsOf, eventDataOf } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

describe("many records", () => {
  test("creates all records together, in order", async () => {
    const columns = [
      { name: "title", type: "text" },
      { name: "no", type: "autonumber" },
      { name: "tags", type: "multi_enum", options: { values: ["a", 'b"\\', "{,}"] } },
      { name: "extra", type: "json" },
      { name: "price", type: "decimal" },
      { name: "at", type: "timestamp" },
      { name: "open", type: "boolean" },
    ];
    const table = await createFilledTable(world, owner, { columns }, []);
    const records = Array.from({ length: 1_000 }, (_, index) => ({
      title: index % 3 ? `"title" \\ ${index}, {}` : null,
      tags: [[], ["a"], ['b"\\', "{,}"], null][index % 4],
      extra: [{ index }, "text", [index, null], null][index % 4],
      price: index / 8,
      at: "2026-01-31T09:00:00.123+01:00",
      open: index % 2 === 0,
    }));
    const made = await owner(`POST ${table.path}/bulk`, { records });
    expect([made.status, made.events.length]).toEqual([201, 1_000]);
    expect(new Set(made.events)).toEqual(new Set(["record.created"]));
    const at = "2026-01-31T08:00:00.123Z";
    expect(made.body.data).toMatchObject(records.map((record) => ({ ...record, at })));
    const ids = made.body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(ids.toSorted());
    const listed = await owner(`GET ${table.path}?limit=200&sort=id`);
    const first = made.body.data
      .slice(0, 200)
      .map((record: object) => ({ ...record, revision: 1 }));
    expect(listed.body.data).toEqual(first);
  });

  test("rejects empty and too large lists", async () => {
    const table = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "n", type: "integer" }] },
      [],
    );
    const records = (count: number) => ({ records: Array.from({ length: count }, () => ({})) });
    for (const count of [0, 1_001]) {
      const answer = await owner(`POST ${table.path}/bulk`, records(count));
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: "/records" }] } });
    }
    expect(await rowsOf(world, table)).toEqual([]);
  });

  test("creates nothing if one record is invalid, and reports the path of each error", async () => {
    const customers = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "name", type: "text" }] },
      [{ name: "Ada" }],
    );
    const columns = [
      { name: "number", type: "integer", unique: true },
      { name: "name", type: "text", required: true },
      { name: "customer", type: "reference", options: { table: customers.slug } },
      { name: "agent", type: "reference", options: { table: "users" } },
    ];
    const table = await createFilledTable(world, owner, { columns }, []);
    await owner(`POST ${table.path}`, { number: 1, name: "one" });
    const good = { number: 2, name: "two" };
    const faults = async (records: object[]) => {
      const { status, body, events } = await owner(`POST ${table.path}/bulk`, { records });
      expect(events).toEqual([]);
      return [status, body.code, ...(body.errors?.map((fault: any) => fault.path) ?? [])];
    };
    expect(await faults([good, { number: "x" }, { number: 3, name: "", colour: 1 }])).toEqual([
      422,
      "invalid",
      "/records/1/number",
      "/records/1/name",
      "/records/2/colour",
    ]);
    expect(
      await faults([good, { ...good, number: 1 }, { ...good, number: 3 }, { ...good, number: 3 }]),
    ).toEqual([409, "record_not_unique", "/records/1/number", "/records/3/number"]);
    const ada = recordId(1);
    expect(
      await faults([
        { name: "a", customer: ada },
        { name: "b", customer: recordId(8) },
        { name: "c", customer: recordId(9) },
      ]),
    ).toEqual([422, "invalid", "/records/1/customer", "/records/2/customer"]);
    const nobody = `usr_${"0".repeat(26)}`;
    expect(
      await faults([
        { name: "a", agent: owner.userId },
        { name: "b", agent: nobody },
      ]),
    ).toEqual([422, "invalid", "/records/1/agent"]);
    expect(await rowsOf(world, table)).toHaveLength(1);
  });

  test("distinguishes records by several fields if the table requires it", async () => {
    const columns = [
      { name: "place", type: "text" },
      { name: "day", type: "date" },
      { name: "price", type: "decimal" },
      { name: "at", type: "timestamp" },
      { name: "no", type: "autonumber" },
    ];
    const indexes = [
      { columns: ["place", "day"], unique: true },
      { columns: ["price", "at", "createdBy"], unique: true },
      { columns: ["place", "no"], unique: true },
      { columns: ["place", "price"] },
    ];
    const at = "2026-01-31T08:00:00.120Z";
    const table = await createFilledTable(world, owner, { columns, indexes }, [
      { place: "a", day: "2026-01-31", price: "1.50", at, created_by: owner.userId },
    ]);
    const pathsOf = async (records: object[]) => {
      const { status, body, events } = await owner(`POST ${table.path}/bulk`, { records });
      expect([status, body.code, events]).toEqual([409, "record_not_unique", []]);
      return body.errors.map((fault: { path: string }) => fault.path);
    };
    const day = "2026-02-01";
    expect(
      await pathsOf([
        { place: "a", day },
        { place: "a", day: "2026-01-31" },
        { place: "b", day: "2026-01-31" },
        { place: "b", day: "2026-01-31" },
        { place: "a", day: null },
        { place: "a", day: null },
      ]),
    ).toEqual(["/records/1/place", "/records/1/day", "/records/3/place", "/records/3/day"]);
    expect(await pathsOf([{ price: 1.5 }, { at }, { price: 1.5, at }])).toEqual([
      "/records/2/price",
      "/records/2/at",
      "/records/2/createdBy",
    ]);
    const free = [{ place: "a", day }, { place: "a" }, { place: "a" }, { price: 1.5 }, { at }];
    const made = await owner(`POST ${table.path}/bulk`, { records: free });
    expect(made.status).toBe(201);
  });

  test("reports the records whose text is too long for an index", async () => {
    const columns = ["a", "b"].map((name) => ({ name, type: "text" }));
    const indexes = [{ columns: ["a", "b"] }];
    const table = await createFilledTable(world, owner, { columns, indexes }, []);
    // The maximum length: PostgreSQL can compress the repetitive text, but not the random one.
    const [short, long] = [
      "x".repeat(9_000),
      Array.from({ length: 250 }, () => crypto.randomUUID()).join(""),
    ];
    const records = Array.from({ length: 300 }, (_, index) => ({
      a: `${index}`,
      b: index === 41 || index === 299 ? long : short,
    }));
    const answer = await owner(`POST ${table.path}/bulk`, { records });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual([
      "/records/41",
      "/records/299",
    ]);
    expect(await rowsOf(world, table)).toEqual([]);
  });

  test("may have the total size limit, which applies to a single record too", async () => {
    const columns = Array.from({ length: 3 }, (_, index) => ({
      name: `t${index}`,
      type: "text",
      options: { maxLength: 1_000_000 },
    }));
    const table = await createFilledTable(world, owner, { columns }, []);
    const long = "x".repeat(600_000);
    const made = await owner(`POST ${table.path}/bulk`, {
      records: [{ t0: long }, { t1: long }, { t2: long }],
    });
    expect(made.status).toBe(201);
    const { id } = made.body.data[0];
    const tooLarge = { status: 422, events: [] };
    expect(await owner(`PATCH ${table.path}/${id}`, { t1: long })).toMatchObject(tooLarge);
    const records = [{ t0: long, t1: long }];
    expect(await owner(`POST ${table.path}/bulk`, { records })).toMatchObject(tooLarge);
    const huge = { filter: {}, set: { t0: long, t1: null } };
    expect(await owner(`PATCH ${table.path}/bulk`, huge)).toMatchObject(tooLarge);
  });
});

describe("changes the records that match a condition", () => {
  const columns = [
    { name: "title", type: "text", unique: true },
    { name: "state", type: "enum", options: { values: ["open", "closed"] } },
    { name: "agent", type: "reference", options: { table: "users" } },
  ];
  const records = [
    { title: "a", state: "open" },
    { title: "b", state: "closed" },
    { title: "c", state: "open" },
    { title: "d", state: null },
  ];

  test("are changed together, and only actual changes are counted", async () => {
    const table = await createFilledTable(world, owner, { columns }, records);
    const body = { filter: { state: { in: ["open", "closed"] } }, set: { state: "closed" } };
    const answer = await owner(`PATCH ${table.path}/bulk`, body);
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { updated: 2 } },
      events: ["record.updated", "record.updated"],
    });
    const rows = await rowsOf(world, table);
    expect(rows.map(({ state, revision }) => [state, revision])).toEqual([
      ["closed", 2],
      ["closed", 1],
      ["closed", 2],
      [null, 1],
    ]);
    const again = await owner(`PATCH ${table.path}/bulk`, body);
    expect(again).toMatchObject({ status: 200, body: { data: { updated: 0 } }, events: [] });
    const told = await eventDataOf(world, answer.headers["x-request-id"] ?? "");
    expect(told.map(({ before, changes }) => [before.title, before.state, changes])).toEqual([
      ["a", "open", ["state"]],
      ["c", "open", ["state"]],
    ]);
  });

  test.each([
    [{ filter: { colour: 1 }, set: { state: "open" } }, "/filter/colour"],
    [{ filter: { state: 1 }, set: { state: "open" } }, "/filter/state"],
    [{ filter: {}, set: { state: "new" } }, "/set/state"],
    [{ filter: {}, set: { colour: 1 } }, "/set/colour"],
    [{ filter: {}, set: {} }, "/set"],
    [{ set: { state: "open" } }, "/filter"],
    [{ filter: {}, set: { agent: `usr_${"0".repeat(26)}` } }, "/set/agent"],
  ])("%j changes nothing", async (body, path) => {
    const table = await createFilledTable(world, owner, { columns }, records);
    const answer = await owner(`PATCH ${table.path}/bulk`, body);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path }] }, events: [] });
  });

  test("changes nothing if one record cannot be changed", async () => {
    const table = await createFilledTable(world, owner, { columns }, records);
    const set = { title: "same", state: "closed" };
    const answer = await owner(`PATCH ${table.path}/bulk`, { filter: {}, set });
    expect(answer).toMatchObject({
      status: 409,
      body: { code: "record_not_unique", errors: [{ path: "/set/title" }] },
      events: [],
    });
    expect((await rowsOf(world, table)).map(({ revision }) => revision)).toEqual([1, 1, 1, 1]);
  });

  test("has a maximum number of records", async () => {
    const table = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "n", type: "integer" }] },
      [],
    );
    await world.sql(`insert into ${table.place} (n) select i from generate_series(1, 10001) as i`);
    const body = { filter: { n: { lte: 10_001 } }, set: { n: 0 } };
    const refused = { status: 422, body: { code: "too_many_records" }, events: [] };
    expect(await owner(`PATCH ${table.path}/bulk`, body)).toMatchObject(refused);
    expect(await owner(`DELETE ${table.path}/bulk?filter={}`)).toMatchObject(refused);
    const less = { filter: { n: { gt: 9_701 } }, set: { n: 0 } };
    const done = await owner(`PATCH ${table.path}/bulk`, less);
    expect(done.body.data).toEqual({ updated: 300 });
    expect(done.events).toHaveLength(300);
  });

  test("are deleted together", async () => {
    const table = await createFilledTable(world, owner, { columns }, records);
    const filter = encodeURIComponent(JSON.stringify({ state: "open" }));
    const answer = await owner(`DELETE ${table.path}/bulk?filter=${filter}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { deleted: 2 } },
      events: ["record.deleted", "record.deleted"],
    });
    expect((await rowsOf(world, table)).map(({ title }) => title)).toEqual(["b", "d"]);
    const again = await owner(`DELETE ${table.path}/bulk?filter=${filter}`);
    expect(again).toMatchObject({ body: { data: { deleted: 0 } }, events: [] });
    expect((await owner(`DELETE ${table.path}/bulk`)).status).toBe(422);
    expect((await owner(`DELETE ${table.path}/bulk?filter={`)).body.errors[0].path).toBe("?filter");
  });
});
