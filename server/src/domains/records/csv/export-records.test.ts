import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable, pagesOf } from "../testing/records.ts";
import { tries } from "#kernel/testing/thorough.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

function exported(path: string, query: Record<string, string> = {}, ask: Ask = owner) {
  return ask(`GET ${path}/export?${new URLSearchParams(query).toString()}`);
}

function imported(path: string, csv: string, query: Record<string, string> = {}, ask: Ask = owner) {
  const route = `POST ${path}/import?${new URLSearchParams(query).toString()}`;
  return ask(route, csv, { "content-type": "text/csv; charset=utf-8" });
}

async function all(path: string, fields: readonly string[]): Promise<unknown[][]> {
  const records = (await pagesOf(owner, path, { sort: "id" })).flat();
  return records.map((record) => fields.map((field) => record[field]));
}

describe("an export", () => {
  const columns = [
    { name: "title", type: "text" },
    { name: "price", type: "decimal" },
    { name: "extra", type: "json" },
  ];
  let table: FilledTable;

  beforeAll(async () => {
    const at = { created_at: "2026-01-31T09:00:00Z", updated_at: "2026-01-31T09:00:00Z" };
    table = await createFilledTable(world, owner, { columns }, [
      { ...at, title: 'a "b", c', price: "-1.50", extra: '{"a":[1]}' },
      { ...at, title: "", price: null, extra: null },
      { ...at, title: "=1+1\nso", price: "2", extra: '"x"' },
    ]);
  });

  test("writes one line per record, and a header line with the titles of the fields", async () => {
    const { status, body, headers, events } = await exported(table.path, {
      sort: "id",
      formulas: "raw",
    });
    expect([status, events]).toEqual([200, []]);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(headers["content-disposition"]).toBe(`attachment; filename="${table.slug}.csv"`);
    const own = (index: number) =>
      `${table.ids[index]},2026-01-31T09:00:00.000Z,2026-01-31T09:00:00.000Z,system`;
    expect(body).toBe(
      "ID,Created at,Updated at,Created by,Title,Price,Extra\r\n" +
        `${own(0)},"a ""b"", c",-1.5,"{""a"":[1]}"\r\n` +
        `${own(1)},"",,\r\n` +
        `${own(2)},"=1+1\nso",2,"""x"""\r\n`,
    );
  });

  test("applies the filter, and escapes formulas unless the option is off", async () => {
    const query = { fields: "title,price", filter: '{"price":{"exists":true}}' };
    const { body } = await exported(table.path, query);
    expect(body).toBe(
      "ID,Title,Price\r\n" +
        `${table.ids[2]},"'=1+1\nso",2\r\n${table.ids[0]},"a ""b"", c",-1.5\r\n`,
    );
  });

  test("supports JSON and JSON lines", async () => {
    const query = { fields: "price", sort: "id" };
    const prices = [-1.5, null, 2].map((price, index) => ({ id: table.ids[index], price }));
    const json = await exported(table.path, { ...query, format: "json" });
    expect(json.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(json.body).toEqual(prices);
    const lines = await exported(table.path, { ...query, format: "ndjson" });
    expect(lines.headers["content-type"]).toBe("application/x-ndjson; charset=utf-8");
    expect(lines.body).toBe(prices.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const none = { ...query, filter: '{"price":7}' };
    expect((await exported(table.path, { ...none, format: "json" })).body).toEqual([]);
    expect((await exported(table.path, none)).body).toBe("ID,Price\r\n");
  });

  test.each([0, 9, 10, 11, 1_010])("contains all of %d records", async (count) => {
    const { path, place } = await createFilledTable(world, owner, { columns }, []);
    await world.sql(`insert into ${place} (price) select n from generate_series(1, $1::int) as n`, [
      count,
    ]);
    const prices = Array.from({ length: count }, (_, index) => index + 1);
    const query = { fields: "price", sort: "price" };
    const { body } = await exported(path, { ...query, format: "json" });
    expect(body.map(({ price }: { price: number }) => price)).toEqual(prices);
    const lines = (await exported(path, query)).body.split("\r\n");
    const cells = lines.map((line: string) => line.split(",")[1] ?? "");
    expect(cells).toEqual(["Price", ...prices.map(String), ""]);
  });

  test("exports all pages", async () => {
    const many = await createFilledTable(world, owner, { columns }, []);
    await world.sql(`
      insert into ${many.place} (id, title, price)
      select 'rec_' || lpad(n::text, 26, '0'), repeat('x', case when n < 300 then 9000 else 9 end), nullif(n % 7, 0)
        from generate_series(1, 2500) as n`);
    const { body } = await exported(many.path, {
      sort: "price,id",
      format: "json",
      fields: "price",
    });
    expect(body).toHaveLength(2500);
    expect(new Set(body.map(({ id }: { id: string }) => id)).size).toBe(2500);
    expect(body.findIndex(({ price }: { price: number | null }) => price === null)).toBe(2143);
    const whole = await exported(many.path, { sort: "id", format: "json" });
    expect(whole.body.map(({ title }: { title: string }) => title.length)).toEqual(
      Array.from({ length: 2500 }, (_, index) => (index < 299 ? 9000 : 9)),
    );
  });

  test("contains only what access rules allow its reader", async () => {
    const agent = await world.member(["agent"]);
    const rules = [
      { roles: ["agent"], actions: ["read"], where: { price: { gt: 1 } }, fields: ["title"] },
    ];
    const { path, ids } = await createFilledTable(world, owner, { columns, rules }, [
      { title: "cheap", price: 1 },
      { title: "dear", price: 2 },
    ]);
    const { body } = await exported(path, { fields: "title,price" }, agent);
    expect(body).toBe(`ID,Title,Price\r\n${ids[1]},dear,\r\n`);
  });

  test.each([
    [{ format: "xml" }, "?format"],
    [{ filter: "{" }, "?filter"],
    [{ sort: "nothing" }, "?sort"],
    [{ fields: "nothing" }, "?fields"],
  ])("%j is refused before anything is sent", async (query, path) => {
    const { status, body } = await exported(table.path, query as Record<string, string>);
    expect([status, body.errors[0].path]).toEqual([422, path]);
  });
});

test("importing an export creates the same records", async () => {
  const values = ["red", "a;b", "[x]", '"q"', "=1", "null"];
  const columns = [
    { name: "words", type: "text" },
    { name: "whole", type: "integer" },
    { name: "part", type: "decimal" },
    { name: "open", type: "boolean" },
    { name: "day", type: "date" },
    { name: "at", type: "timestamp" },
    { name: "extra", type: "json" },
    { name: "one", type: "enum", options: { values } },
    { name: "some", type: "multi_enum", options: { values } },
    { name: "who", type: "reference", options: { table: "users" } },
    { name: "counted", type: "autonumber" },
    { name: "usual", type: "text", default: "default" },
  ];
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }).filter((made) => !made.includes("\0")),
    fc.string({
      unit: fc.constantFrom('"', ",", "\r", "\n", " ", "\t", "'", "=", ";", "😀", "\ufeff"),
    }),
  );
  const moment = fc.date({
    min: new Date("1900-01-01"),
    max: new Date("2400-01-01"),
    noInvalidDate: true,
  });
  const scalar = fc.oneof(text, fc.integer(), fc.boolean());
  const record = fc.record(
    {
      words: fc.option(text),
      whole: fc.option(fc.maxSafeInteger()),
      part: fc.option(fc.integer({ min: -1e9, max: 1e9 }).map((made) => made / 1000)),
      open: fc.option(fc.boolean()),
      day: fc.option(moment.map((made) => made.toISOString().slice(0, 10))),
      at: fc.option(moment.map((made) => made.toISOString())),
      extra: fc.option(
        fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.constantFrom("a", "b"), scalar)),
      ),
      one: fc.option(fc.constantFrom(...values)),
      some: fc.option(fc.uniqueArray(fc.constantFrom(...values))),
      who: fc.constantFrom(null, owner.userId),
      usual: fc.option(text),
    },
    { noNullPrototype: true },
  );
  const fields = columns.map(({ name }) => name).filter((name) => name !== "counted");
  const from = await createFilledTable(world, owner, { columns }, []);
  const to = await createFilledTable(world, owner, { columns }, []);
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 40 }), async (records) => {
      await world.sql(`truncate ${from.place}, ${to.place}`);
      const made = await owner(`POST ${from.path}/bulk`, { records });
      expect(made.body.errors ?? made.status).toBe(201);
      const { body } = await exported(from.path, { sort: "id" });
      const answer = await imported(to.path, body);
      expect(answer.body).toMatchObject({ data: { imported: records.length } });
      expect(await all(to.path, fields)).toEqual(await all(from.path, fields));
    }),
    { numRuns: tries(8) },
  );
});
