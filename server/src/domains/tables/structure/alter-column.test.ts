import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { derivedName } from "../derived-name.ts";
import { dumpTables, schemaSql, createTable } from "../testing/tables.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const schema: string = schemaSql(world.home);

const fill = (slug: string, column: string, values: readonly unknown[]) =>
  Promise.all(
    values.map((value) =>
      world.sql(`insert into ${schema}."${slug}" ("${column}") values ($1)`, [value]),
    ),
  );
const values = async (slug: string, column: string) =>
  (
    await world.sql(
      `select "${column}"::text as value from ${schema}."${slug}" order by 1 nulls first`,
    )
  ).map(({ value }) => value);
const change = (slug: string, body: object) => owner(`PATCH /api/v1/tables/${slug}`, body);

/** Changes to one column, after which its data still exists; no record events are emitted. */
test.each<[from: object, data: unknown[], to: object, kept: (string | null)[]]>([
  [{ type: "text" }, ["1", null, "-20"], { type: "integer" }, [null, "-20", "1"]],
  [{ type: "text" }, ["1.50", "2"], { type: "decimal" }, ["1.50", "2"]],
  [{ type: "text" }, ["true", "false"], { type: "boolean" }, ["false", "true"]],
  [{ type: "text" }, ["2026-02-28"], { type: "date" }, ["2026-02-28"]],
  [
    { type: "text" },
    ["2026-02-28T10:00:00+01:00"],
    { type: "timestamp" },
    ["2026-02-28 09:00:00+00"],
  ],
  [{ type: "text" }, ['{"a": [1]}'], { type: "json", indexed: true }, ['{"a": [1]}']],
  [{ type: "text" }, ["a"], { type: "enum", options: { values: ["a", "b"] } }, ["a"]],
  [{ type: "integer", unique: true }, [7], { type: "decimal" }, ["7"]],
  [{ type: "decimal", indexed: true }, [7.0], { type: "integer" }, ["7"]],
  [{ type: "integer", default: 5 }, [7], { type: "text", default: "x" }, ["7"]],
  [{ type: "boolean" }, [true], { type: "text" }, ["true"]],
  [
    { type: "date", default: "$now" },
    ["2026-01-31"],
    { type: "timestamp" },
    ["2026-01-31 00:00:00+00"],
  ],
  [{ type: "timestamp" }, ["2026-01-31T23:30:00Z"], { type: "date" }, ["2026-01-31"]],
  [{ type: "json", indexed: true }, ['"x"'], { type: "text" }, ["x"]],
  [
    { type: "enum", options: { values: ["a"] } },
    ["a"],
    { type: "multi_enum", options: { values: ["a"] } },
    ["{a}"],
  ],
  [{ type: "integer" }, [7], { type: "autonumber", required: true }, ["7"]],
  [{ type: "text" }, ["7", "10"], { type: "autonumber", required: true }, ["10", "7"]],
  [{ type: "text" }, ["a"], { required: true, unique: true, indexed: true }, ["a"]],
  [
    { type: "text", required: true, unique: true },
    ["a"],
    { required: false, unique: false },
    ["a"],
  ],
  [{ type: "enum", options: { values: ["a"] } }, ["a"], { options: { values: ["b", "a"] } }, ["a"]],
  [{ type: "integer", options: { max: 9 } }, [7], { options: { max: 8, min: 7 } }, ["7"]],
])("%j with %j becomes %j", async (from, data, to, kept) => {
  const slug = await createTable(owner, [{ name: "c", ...from }]);
  await fill(slug, "c", data);
  const changed = await change(slug, { alterColumns: [{ name: "c", ...to }] });
  expect(changed.body.errors ?? changed).toMatchObject({ status: 200, events: ["table.updated"] });
  expect(changed.body.data.columns).toMatchObject([{ name: "c", ...to }]);
  expect(await values(slug, "c")).toEqual(kept);
});

test.each<[why: string, from: object, data: unknown[], to: object]>([
  ["text that is no number", { type: "text" }, ["number one"], { type: "integer" }],
  ["a fraction", { type: "decimal" }, [1.5], { type: "integer" }],
  ["no day", { type: "text" }, ["2026-02-30"], { type: "date" }],
  ["no time", { type: "text" }, ["tomorrow"], { type: "timestamp" }],
  ["a day before all years", { type: "text" }, ["0000-12-31"], { type: "date" }],
  ["a moment of long ago", { type: "text" }, ["1899-12-31T23:59:59Z"], { type: "timestamp" }],
  ["a number beyond JSON's", { type: "text" }, ["9007199254740993"], { type: "integer" }],
  ["more digits than JSON keeps", { type: "text" }, ["1234567890.123456"], { type: "decimal" }],
  ["no number at all", { type: "text" }, ["NaN"], { type: "decimal" }],
  ["nothing, in the words of JSON", { type: "text" }, [" null "], { type: "json" }],
  ["nobody", { type: "text" }, ["somebody"], { type: "reference", options: { table: "users" } }],
  [
    "text that is longer than usual",
    { type: "text", options: { maxLength: 20_000 } },
    ["x".repeat(10_001)],
    { options: {} },
  ],
  ["no JSON", { type: "text" }, ['{"unclosed'], { type: "json" }],
  [
    "none of the values",
    { type: "text" },
    ["violet"],
    { type: "enum", options: { values: ["a"] } },
  ],
  [
    "a value that is taken away",
    { type: "enum", options: { values: ["a", "violet"] } },
    ["violet"],
    { options: { values: ["a"] } },
  ],
  ["text that is too long", { type: "text" }, ["violet"], { options: { maxLength: 2 } }],
  ["a number out of range", { type: "integer" }, [10], { options: { max: 9 } }],
  ["nothing where something must be", { type: "text" }, [null], { required: true }],
  [
    "a number beyond those that count",
    { type: "text" },
    ["9007199254740993"],
    { type: "autonumber" },
  ],
  ["nothing to count on from", { type: "integer" }, [null], { type: "autonumber" }],
  [
    "an id of nobody",
    { type: "text" },
    ["rec_00000000000000000000000000"],
    { type: "reference", options: { table: "target" } },
  ],
])("%s keeps a column as it was", async (_, from, data, to) => {
  await owner("POST /api/v1/tables", { name: "Target", columns: [] });
  const slug = await createTable(owner, [{ name: "c", ...from }]);
  await fill(slug, "c", data);
  const before = await dumpTables(world);
  const kept = await values(slug, "c");
  const answer = await change(slug, { description: "No", alterColumns: [{ name: "c", ...to }] });
  expect(answer).toMatchObject({ status: 422, body: { code: "column_data_unfit" }, events: [] });
  expect(answer.body.detail).toMatch(new RegExp(`^${slug}\\.c does not match existing data: `));
  expect(answer.body.errors).toMatchObject([{ path: "/alterColumns/0" }]);
  // Members who may change tables may not be allowed to read their records.
  for (const value of data.filter((one) => typeof one === "string")) {
    expect(JSON.stringify(answer.body)).not.toContain(value);
  }
  expect(await dumpTables(world)).toEqual(before);
  expect(await values(slug, "c")).toEqual(kept);
});

test("a write with an outdated definition must satisfy the current one", async () => {
  const slug = await createTable(owner, [{ name: "c", type: "text" }]);
  const partition = { workspace: world.home, environment: "production" } as const;
  const { promise: read, resolve: open } = Promise.withResolvers<void>();
  const [{ view } = {}] = await world.sql(
    `select view_name as view from information_schema.view_table_usage
      where table_schema = $1 and table_name = $2`,
    [schema.replaceAll('"', ""), slug],
  );
  // A reader holds a lock; the change waits for it, and a writer waits for the change.
  const reader = world.kernel.db.write(partition, async (session) => {
    await session.send(`select from ${schema}."${view}" limit 1`, []);
    await read;
  });
  const options = { table: "users" };
  const changing = change(slug, { alterColumns: [{ name: "c", type: "reference", options }] });
  await world.waiting(1);
  const writing = owner(`POST /api/v1/tables/${slug}/records`, { c: "somebody" });
  await world.waiting(2);
  open();
  await reader;
  expect(await changing).toMatchObject({ status: 200 });
  expect(await writing).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/c", message: "must be the id of a user" }] },
  });
  expect(await values(slug, "c")).toEqual([]);
});

test("changing a column drops the check that an earlier release left", async () => {
  const slug = await createTable(owner, [
    { name: "a", type: "integer" },
    { name: "b", type: "integer" },
  ]);
  const { id } = (await owner(`GET /api/v1/tables/${slug}`)).body.data;
  for (const name of ["a", "b"]) {
    const constraint = derivedName(id, "check", name);
    const check = `check ("${name}" between -9007199254740991 and 9007199254740991)`;
    await world.sql(`alter table ${schema}."${slug}" add constraint "${constraint}" ${check}`);
  }
  await fill(slug, "a", [1]);
  for (const body of [
    { renameColumns: { a: "c" } },
    { addColumns: [{ name: "a", type: "integer", options: { min: 1 } }] },
    { alterColumns: [{ name: "b", options: { max: 9 } }] },
    { alterColumns: [{ name: "b", options: {} }] },
    { alterColumns: [{ name: "c", type: "text" }] },
  ]) {
    const changed = await change(slug, body);
    expect(changed.body.errors ?? changed).toMatchObject({ status: 200 });
  }
  expect(await values(slug, "c")).toEqual(["1"]);
});

test("rejects a unique constraint on duplicate values", async () => {
  const slug = await createTable(owner, [
    { name: "a", type: "text" },
    { name: "b", type: "integer" },
  ]);
  await fill(slug, "a", ["x", "x"]);
  const before = await dumpTables(world);
  for (const body of [
    { alterColumns: [{ name: "a", unique: true }] },
    { addIndexes: [{ columns: ["a", "createdBy"], unique: true }] },
    { addColumns: [{ name: "c", type: "integer", default: 1, unique: true }] },
  ]) {
    expect(await change(slug, body)).toMatchObject({
      status: 409,
      body: { code: "column_not_unique", detail: expect.stringContaining(`${slug}.`) },
      events: [],
    });
  }
  expect(await dumpTables(world)).toEqual(before);
});

test("existing records get the default of a new column, and a required column must have one", async () => {
  const slug = await createTable(owner, [{ name: "a", type: "text" }]);
  await fill(slug, "a", ["x"]);
  const before = await dumpTables(world);
  const lacking = await change(slug, {
    addColumns: [
      { name: "ok", type: "text" },
      { name: "b", type: "integer", required: true },
    ],
  });
  expect(lacking).toMatchObject({
    status: 422,
    body: {
      code: "column_data_unfit",
      errors: [{ path: "/addColumns/1", message: expect.stringContaining("Set a default") }],
    },
    events: [],
  });
  expect(await dumpTables(world)).toEqual(before);
  const added = await change(slug, {
    addColumns: [
      { name: "b", type: "integer", required: true, default: 5 },
      { name: "c", type: "timestamp", default: "$now" },
      { name: "d", type: "autonumber", options: { start: 10 } },
      { name: "e", type: "multi_enum", options: { values: ["it's", "b"] }, default: ["it's"] },
      { name: "f", type: "json", default: { a: [1, "\\'"] } },
    ],
  });
  expect(added).toMatchObject({ status: 200, events: ["table.updated"] });
  const [row] = await world.sql(
    `select a, b, c is not null as c, d, e, f from ${schema}."${slug}"`,
  );
  expect(row).toEqual({ a: "x", b: "5", c: true, d: "10", e: ["it's"], f: { a: [1, "\\'"] } });
});

test("a renamed column keeps its data, its index and its uniqueness, and its old name is free", async () => {
  const slug = await createTable(owner, [
    { name: "a", type: "text", unique: true, indexed: true },
    { name: "b", type: "text", unique: true },
  ]);
  await fill(slug, "a", ["x"]);
  const swapped = await change(slug, {
    renameColumns: [
      { from: "a", to: "spare" },
      { from: "b", to: "a" },
      { from: "spare", to: "b" },
    ],
    addColumns: [{ name: "spare", type: "integer", unique: true, indexed: true }],
  });
  expect(swapped).toMatchObject({ status: 200, events: ["table.updated"] });
  expect(swapped.body.data.columns).toMatchObject([
    { name: "b", indexed: true },
    { name: "a", indexed: false },
    { name: "spare" },
  ]);
  expect(await values(slug, "b")).toEqual(["x"]);
  await expect(fill(slug, "b", ["x"])).rejects.toMatchObject({ code: "23505" });
});

test("a counter continues where it stopped, and never returns a number twice", async () => {
  const slug = await createTable(owner, [
    { name: "n", type: "autonumber" },
    { name: "a", type: "text" },
  ]);
  await fill(slug, "a", ["x", "y"]);
  for (const alteration of [
    { options: { start: 2 } },
    { type: "integer" },
    { type: "autonumber" },
  ]) {
    const answer = await change(slug, { alterColumns: [{ name: "n", ...alteration }] });
    expect(answer.status).toBe(200);
  }
  await fill(slug, "a", ["z"]);
  expect(await values(slug, "n")).toEqual(["1", "2", "3"]);
  await change(slug, { alterColumns: [{ name: "n", options: { start: 50 } }] });
  await fill(slug, "a", ["z"]);
  expect(await values(slug, "n")).toEqual(["1", "2", "3", "50"]);
});

test("a column is replaced by another of the same name in one change", async () => {
  const slug = await createTable(owner, [{ name: "a", type: "text", indexed: true }]);
  await fill(slug, "a", ["x"]);
  const replaced = await change(slug, {
    dropColumns: ["a"],
    addColumns: [{ name: "a", type: "boolean", indexed: true }],
  });
  expect(replaced).toMatchObject({
    status: 200,
    body: { data: { columns: [{ type: "boolean" }] } },
  });
  expect(await values(slug, "a")).toEqual([null]);
});

test("rejects an index on values that are too long", async () => {
  const slug = await createTable(owner, [
    { name: "a", type: "text" },
    { name: "b", type: "text" },
  ]);
  await fill(slug, "a", [randomBytes(4_000).toString("base64")]);
  const before = await dumpTables(world);
  expect(await change(slug, { addIndexes: [{ columns: ["b", "a"] }] })).toMatchObject({
    status: 422,
    body: {
      code: "column_data_unfit",
      errors: [{ path: "/addIndexes/0/columns", message: expect.stringContaining("too long") }],
    },
    events: [],
  });
  expect(await dumpTables(world)).toEqual(before);
});
