import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { setPartitionSql } from "#kernel/db/partition.ts";
import { OpenTable } from "#domains/tables/schema/open-table.ts";
import type { TableSource } from "#domains/tables/schema/table-cache.ts";
import { resolveTable, type TableSchema } from "#domains/tables/schema/table-schema.ts";
import { listStatement, parseListing } from "./list-sql.ts";
import { afterCursorConditions } from "#kernel/list/order.ts";
import type { RecordQuery } from "./record-query.ts";
import { type FilledTable, createFilledTable, pagesOf, recordId } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

function listOf(path: string, query: Readonly<Record<string, string>>, ask: Ask = owner) {
  return ask(`GET ${path}?${new URLSearchParams(query).toString()}`);
}

async function titlesOf(path: string, query: Readonly<Record<string, string>>, ask: Ask = owner) {
  const { body } = await listOf(path, query, ask);
  return body.errors ?? body.data.map(({ title }: { title: string | null }) => title);
}

describe("a list", () => {
  const ROWS = ["a", "b", "c", "d", "e"].map((title) => ({ title }));
  let table: FilledTable;

  beforeAll(async () => {
    table = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "title", type: "text" }] },
      ROWS,
    );
  });

  test("sorts from newest to oldest, page by page", async () => {
    const pages = await pagesOf(owner, table.path, { limit: "2" });
    const titles = pages.map((page) => page.map(({ title }) => title));
    expect(titles).toEqual([["e", "d"], ["c", "b"], ["a"]]);
  });

  test("returns the total number of matches on request", async () => {
    const { body } = await listOf(table.path, {
      limit: "1",
      count: "exact",
      filter: '{"title":{"gt":"b"}}',
    });
    expect(body).toEqual({
      data: [expect.objectContaining({ id: table.ids[4] })],
      pagination: { nextCursor: expect.any(String), hasMore: true, limit: 1, total: 3 },
    });
    const without = await listOf(table.path, {});
    expect(without.body.pagination).toEqual({ nextCursor: null, hasMore: false, limit: 50 });
  });

  test("pages remain stable when records are added and deleted in between", async () => {
    const { path, place } = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "title", type: "text" }] },
      ROWS,
    );
    const first = await listOf(path, { limit: "2" });
    const { nextCursor } = first.body.pagination;
    await world.sql(`insert into ${place} (id, title) values ($1, 'new')`, [recordId(9)]);
    await world.sql(`delete from ${place} where title = 'd'`);
    const titles = await titlesOf(path, { limit: "2", after: nextCursor });
    expect(titles).toEqual(["c", "b"]);
  });

  test("rejects cursors from a different list, sort or filter", async () => {
    const other = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "title", type: "text" }] },
      ROWS,
    );
    const { body } = await listOf(table.path, { limit: "2", sort: "title" });
    const after = body.pagination.nextCursor as string;
    const refused = [{ path: "?after", message: "is not a valid cursor for this list" }];
    expect(await titlesOf(table.path, { sort: "title", after })).toEqual(["c", "d", "e"]);
    expect(await titlesOf(other.path, { sort: "title", after })).toEqual(refused);
    expect(await titlesOf(table.path, { sort: "-title", after })).toEqual(refused);
    expect(await titlesOf(table.path, { sort: "title", q: "c", after })).toEqual(refused);
    expect(await titlesOf(table.path, { sort: "title", filter: "{}", after })).toEqual(refused);
    expect(await titlesOf(table.path, { after: "e30.AAAA" })).toEqual(refused);
  });

  test.each([
    [{ filter: "{" }, "?filter"],
    [{ filter: "[]" }, "?filter"],
    [{ filter: '{"nothing":1}' }, "?filter/nothing"],
    [{ filter: '{"or":[{"title":{"gt":1}}]}' }, "?filter/or/0/title/gt"],
    [{ filter: '{"title":{"like":"a"}}' }, "?filter/title/like"],
    [{ sort: "nothing" }, "?sort"],
    [{ sort: "title,-title" }, "?sort"],
    [{ sort: "title,,id" }, "?sort"],
    [{ sort: "id,title,createdAt,updatedAt,createdBy" }, "?sort"],
    [{ sort: "revision" }, "?sort"],
    [{ fields: "title,nothing" }, "?fields"],
    [{ fields: 'title" from x' }, "?fields"],
    [{ expand: "title" }, "?expand"],
    [{ expand: "createdBy" }, "?expand"],
    [{ count: "about" }, "?count"],
    [{ limit: "1001" }, "?limit"],
    [{ before: "x" }, "?before"],
    [{ at: "1.5" }, "?at"],
    [{ at: "0.5", offset: "3" }, "?at"],
    [{ offset: "1000001" }, "?offset"],
    [{ q: "" }, "?q"],
  ])("%j is refused", async (query, path) => {
    const { status, body } = await listOf(table.path, query as Record<string, string>);
    expect([status, body.errors?.[0]?.path]).toEqual([422, path]);
  });
});

describe("an order", () => {
  const columns = [
    { name: "title", type: "text" },
    { name: "size", type: "decimal", indexed: true },
    { name: "count", type: "integer", required: true },
    { name: "open", type: "boolean" },
    { name: "day", type: "date" },
    { name: "at", type: "timestamp" },
  ];
  // Each value occurs several times.
  const rows = Array.from({ length: 24 }, (_, index) => ({
    title: [null, "b", "B", "😀", "\uffee", ""][(index * 5) % 6],
    size: [null, 0.5, -1, 10][index % 4],
    count: (index * 7) % 3,
    open: [null, true, false][index % 3],
    day: [null, "2026-01-31", "1999-12-31"][(index * 2) % 3],
    at: [null, "2026-01-31T00:00:00.001Z", "2026-01-31T00:00:00Z"][(index >> 1) % 3],
  }));
  let table: FilledTable;

  beforeAll(async () => {
    table = await createFilledTable(world, owner, { columns }, rows);
  });

  /** Compares by code point, with null last. */
  function compare(left: any, right: any): number {
    if (left === right) return 0;
    if (left === null) return 1;
    if (right === null) return -1;
    if (typeof left !== "string") return left < right ? -1 : 1;
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }

  test.each([
    "title",
    "-title",
    "size",
    "-size",
    "count",
    "-count",
    "open",
    "-day",
    "at",
    "-at",
    "id",
    "-createdAt",
    "count,-size",
    "-size,title",
    "open,-day,title,-count",
    "-at,open",
    "day,count,id,title",
  ])("a sort by %s is stable across pages, without gaps or duplicates", async (sort) => {
    const keys = sort.split(",");
    const all = (await pagesOf(owner, table.path, { sort, limit: "200" })).flat();
    const names = keys.map((key) => key.replace("-", ""));
    const direction = keys.at(-1)?.startsWith("-") ? -1 : 1;
    const expected = all.toSorted((left, right) => {
      for (const [index, name] of names.entries()) {
        const order = compare(left[name], right[name]) * (keys[index]?.startsWith("-") ? -1 : 1);
        if (order !== 0) return order;
      }
      return compare(left.id, right.id) * direction;
    });
    expect(all.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(all).toHaveLength(rows.length);
    const pages = await pagesOf(owner, table.path, { sort, limit: "5", fields: "count" });
    expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 5, 4]);
    expect(pages.flat()).toEqual(all.map(({ id, count }) => ({ id, count, revision: 1 })));
  });

  test("rejects a sort by a field that cannot be sorted", async () => {
    const { path } = await createFilledTable(
      world,
      owner,
      {
        columns: [
          { name: "extra", type: "json" },
          { name: "tags", type: "multi_enum", options: { values: ["a"] } },
        ],
      },
      [],
    );
    for (const sort of ["extra", "-tags"]) {
      expect((await listOf(path, { sort })).body.errors).toMatchObject([{ path: "?sort" }]);
    }
  });
});

describe("a filter", () => {
  let table: FilledTable;

  beforeAll(async () => {
    const columns = [
      { name: "title", type: "text" },
      { name: "count", type: "integer", indexed: true },
      { name: "price", type: "decimal" },
      { name: "open", type: "boolean" },
      { name: "day", type: "date" },
      { name: "at", type: "timestamp" },
      { name: "state", type: "enum", options: { values: ["new", "done"] } },
      { name: "tags", type: "multi_enum", indexed: true, options: { values: ["red", "blue"] } },
      { name: "extra", type: "json", indexed: true },
    ];
    table = await createFilledTable(world, owner, { columns }, [
      {
        title: "one",
        count: 1,
        price: 1.5,
        open: true,
        day: "2026-01-31",
        at: "2026-01-31T09:00:00Z",
        state: "new",
        tags: ["red", "blue"],
        extra: JSON.stringify({ a: { b: [1, "x"] } }),
      },
      { title: "two", count: 2, price: 2, open: false, tags: [], extra: '"text"' },
      { title: "none" },
    ]);
  });

  test.each([
    [{}, ["none", "two", "one"]],
    [{ title: { startsWith: "o" } }, ["one"]],
    [{ title: { in: ["one", "two"] }, count: { gte: 2 } }, ["two"]],
    [{ count: { ne: 1 } }, ["none", "two"]],
    [{ count: 1.5 }, []],
    [{ count: { gt: 1.5 } }, ["two"]],
    [{ price: { lte: 1.5 } }, ["one"]],
    [{ not: { open: true } }, ["none", "two"]],
    [{ day: { lt: "2026-02-01" } }, ["one"]],
    [{ at: "2026-01-31T10:00:00+01:00" }, ["one"]],
    [{ at: { gte: "2026-01-31" } }, ["one"]],
    [{ at: { startsWith: "2026-01-31T09:00:00.000" } }, ["one"]],
    [{ state: { exists: false } }, ["none", "two"]],
    [{ tags: { contains: "blue" } }, ["one"]],
    [{ tags: [] }, ["two"]],
    [{ "tags.1": "blue" }, ["one"]],
    [{ "extra.a.b.0": 1 }, ["one"]],
    [{ "extra.a": { eq: { b: [1, "x"] } } }, ["one"]],
    [{ extra: { endsWith: "xt" } }, ["two"]],
    [{ id: recordId(2) }, ["two"]],
    [{ createdBy: "system", createdAt: { gt: "2020-01-01" } }, ["none", "two", "one"]],
    [{ or: [{ title: "none" }, { and: [{ count: 1 }, { open: true }] }] }, ["none", "one"]],
  ])("%j", async (filter, titles) => {
    expect(await titlesOf(table.path, { filter: JSON.stringify(filter) })).toEqual(titles);
  });
});

describe("an index", () => {
  let table: FilledTable;
  let known: TableSchema;

  beforeAll(async () => {
    const columns = [
      { name: "state", type: "text", indexed: true, required: true },
      { name: "size", type: "integer", indexed: true },
      { name: "price", type: "decimal", indexed: true },
      { name: "tags", type: "multi_enum", indexed: true, options: { values: ["red", "blue"] } },
      { name: "extra", type: "json", indexed: true },
      { name: "twice", type: "formula", indexed: true, options: { expression: "size * 2" } },
      {
        name: "shout",
        type: "formula",
        indexed: true,
        options: { expression: "$uppercase(state)" },
      },
    ];
    table = await createFilledTable(world, owner, { columns }, []);
    await world.sql(`
      insert into ${table.place} (id, created_at, state, size, price, tags, extra)
      select 'rec_' || lpad(n::text, 26, '0'), timestamptz '2026-01-01' + n * interval '1 second',
             'state ' || n % 50, nullif(n % 500, 0), n % 10 / 2.0, array['red'], jsonb_build_object('a', n)
        from generate_series(1, 5000) as n`);
    await world.sql(`analyze ${table.place}`);
    const { body } = await owner(`GET /api/v1/tables/${table.slug}`);
    known = resolveTable(
      { ...body.data, shape: 1 },
      { workspace: world.home, environment: "production" },
    );
  });

  /** Returns the plans that are possible if other access paths are disabled; costs differ between servers. */
  async function plansOf(
    closed: readonly string[],
    question: RecordQuery,
    after?: readonly unknown[],
  ): Promise<string[]> {
    const listing = parseListing(new OpenTable({} as TableSource, {} as Caller, known), question);
    const parts = after ? afterCursorConditions(listing.keys, after) : [undefined];
    const client = new pg.Client(world.database.app);
    await client.connect();
    await client.query(setPartitionSql(known.partition, "session"));
    for (const way of ["seqscan", ...closed]) await client.query(`set enable_${way} = off`);
    const plans: string[] = [];
    for (const part of parts) {
      const { text, values } = listStatement(listing, part, 51);
      const { rows } = await client.query(`explain ${text}`, [...values]);
      plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
    }
    await client.end();
    return plans;
  }

  test.each<[RecordQuery, unknown[] | undefined, number]>([
    [{ sort: "createdAt" }, undefined, 1],
    [{ sort: "createdAt" }, ["2026-01-01T01:00:00.000Z", recordId(3600)], 1],
    [{ sort: "-createdAt" }, ["2026-01-01T01:00:00.000Z", recordId(3600)], 1],
    [{}, [recordId(10)], 1],
    [{ sort: "state" }, ["state 7", recordId(3000)], 1],
    [{ sort: "size" }, [400, recordId(3000)], 2],
    [{ sort: "size" }, [null, recordId(3000)], 1],
    [{ sort: "-size" }, [null, recordId(3000)], 2],
    [{ sort: "-size" }, [1, recordId(3000)], 1],
    [{ filter: '{"state":"state 1"}' }, undefined, 1],
    [{ filter: '{"state":"state 1"}' }, [recordId(3000)], 1],
    [{ filter: '{"size":7}' }, [recordId(3000)], 1],
    [{ sort: "price" }, [4.5, recordId(3000)], 2],
    [{ filter: '{"price":4.5}' }, [recordId(3000)], 1],
    [{ sort: "twice" }, [800, recordId(3000)], 2],
    [{ filter: '{"twice":14}' }, [recordId(3000)], 1],
    [{ sort: "-shout" }, ["STATE 7", recordId(3000)], 1],
  ])("serves %j behind %j, without a sort", async (question, after, parts) => {
    const plans = await plansOf(["sort", "bitmapscan"], question, after);
    expect(plans).toHaveLength(parts);
    for (const plan of plans) {
      expect(plan).toMatch(/Index (Only )?Scan/);
      expect(plan).not.toMatch(/Sort|Seq Scan/);
    }
  });

  test.each([
    '{"state":{"in":["state 1","state 2"]}}',
    '{"state":{"startsWith":"state 1"},"size":{"gt":490}}',
    '{"size":{"gte":490,"lt":495}}',
    '{"size":null}',
    '{"twice":{"gte":980,"lt":990}}',
    '{"shout":{"startsWith":"STATE 1"}}',
    '{"tags":{"contains":"blue"}}',
    '{"extra.a":77}',
    '{"createdAt":{"lt":"2026-01-01T00:01:00Z"}}',
  ])("serves the filter %s", async (filter) => {
    for (const plan of await plansOf(["indexscan"], { filter })) {
      expect(plan).toMatch(/Index Cond/);
      expect(plan).not.toMatch(/Seq Scan/);
    }
  });
});

test("a search matches texts and enums case-insensitively, and treats all characters literally", async () => {
  const columns = [
    { name: "title", type: "text" },
    { name: "state", type: "enum", options: { values: ["Öffen", "zu"] } },
    { name: "extra", type: "json" },
  ];
  const rows = [
    { title: "100% of it", state: "zu" },
    { title: "A_b\\c", state: "zu" },
    { title: "Straße", state: "Öffen", extra: '"100"' },
    { title: null, state: null },
  ];
  const { path } = await createFilledTable(world, owner, { columns }, rows);
  const found = async (q: string) => (await titlesOf(path, { q })).toReversed();
  expect(await found("100")).toEqual(["100% of it"]);
  expect(await found("0% OF")).toEqual(["100% of it"]);
  expect(await found("%")).toEqual(["100% of it"]);
  expect(await found("_")).toEqual(["A_b\\c"]);
  expect(await found("B\\C")).toEqual(["A_b\\c"]);
  expect(await found("STRA")).toEqual(["Straße"]);
  expect(await found("öff")).toEqual(["Straße"]);
  expect(await found("zu")).toEqual(["100% of it", "A_b\\c"]);
  const bare = await createFilledTable(
    world,
    owner,
    { columns: [{ name: "n", type: "integer" }] },
    [{ n: 1 }],
  );
  expect(await titlesOf(bare.path, { q: "1" })).toEqual([]);
});
