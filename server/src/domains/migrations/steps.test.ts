import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { schemaSql } from "#domains/tables/testing/tables.ts";
import { items, migrationWorkspace } from "./testing/workspace.ts";

const world = await useWorld();

test("reports errors in steps with their paths before anything is written", async () => {
  const { owner } = await migrationWorkspace(world);
  const answer = await owner("POST /api/v1/migrations", {
    name: "Wrong",
    up: [
      { op: "add_column", table: "items", column: { name: "x", type: "colour" } },
      { op: "fly", table: "items" },
      7,
      "select 1",
      { op: "sql", sql: "insert into items (title)\nvalues (pg_read_file('x'))" },
      { op: "sql", sql: "create table t (x int);\n\ncreate table u (y interval)" },
      { op: "sql", sql: "create tabel t" },
      { op: "sql", sql: "" },
      { op: "sql", sql: "drop table x", more: 1 },
      { op: "sql" },
    ],
    down: ["insert into items (title) values ($1)"],
  });
  expect(answer).toMatchObject({ status: 422, events: [], body: { code: "invalid" } });
  expect(answer.body.errors.map(({ path, message }: any) => `${path} ${message}`)).toEqual([
    expect.stringMatching(/^\/up\/0\/column\/type must be one of text/),
    expect.stringMatching(/^\/up\/1\/op must be one of create_table, .*, drop_index, sql$/),
    "/up/2 must be an object",
    "/up/3 line 1, column 1: SELECT is not available",
    "/up/4/sql line 2, column 9: the function pg_read_file is not available",
    "/up/5/sql line 3, column 19: the column type interval is not available",
    expect.stringMatching(/^\/up\/6\/sql line 1, column 8: syntax error/),
    "/up/7/sql the statement is empty",
    "/up/8/more is not a known field",
    "/up/9/sql must be a string",
    "/down/0 line 1, column 35: the parameter $1 has no value",
  ]);
  const long = await owner("POST /api/v1/migrations", { name: "x", up: ["-".repeat(262_145)] });
  expect(long.body.errors).toMatchObject([{ path: "/up/0" }]);
});

test("rolls back a failed migration and blocks later migrations until it is fixed", async () => {
  const {
    owner,
    write,
    apply,
    applied,
    read,
    recordsOf,
    lastEvent,
    dumpTables: everything,
  } = await migrationWorkspace(world);
  await applied([items]);
  await owner("POST /api/v1/tables/items/records", { title: "One", amount: 1 });
  const before = await everything();
  const id = await write([
    { op: "create_table", table: "other", columns: [] },
    "insert into items (title, amount) values ('Two', 2)",
    { op: "add_column", table: "items", column: { name: "x", type: "text", required: true } },
  ]);
  const later = await write(["alter table items add column day date"]);
  const failed = await apply(id);
  expect(failed).toMatchObject({
    status: 422,
    events: ["migration.failed"],
    body: {
      code: "migration_failed",
      step: 2,
      errors: [{ path: "/up/2/column", message: expect.stringContaining("no value") }],
    },
  });
  expect(await everything()).toEqual(before);
  expect(await recordsOf("items")).toMatchObject([{ title: "One" }]);
  expect(await read(id)).toMatchObject({
    status: "failed",
    error: { step: 2, message: expect.stringContaining("no value") },
    statements: [],
  });
  const event = await lastEvent();
  expect(event.data).toMatchObject({ id, direction: "up", error: { step: 2 } });
  expect(await apply(later)).toMatchObject({
    status: 409,
    body: { detail: "Migration 2 failed in this environment: fix or delete it." },
  });
  // It fails again, and changing only the name does not fix it.
  expect(await apply(id)).toMatchObject({ status: 422, events: ["migration.failed"] });
  await owner(`PATCH /api/v1/migrations/${id}`, { name: "Mended" });
  expect((await read(id)).status).toBe("failed");
  await owner(`PATCH /api/v1/migrations/${id}`, { up: ["alter table items add column x text"] });
  expect((await read(id)).status).toBe("pending");
  expect(await apply(id)).toMatchObject({ status: 200 });
  expect(await apply(later)).toMatchObject({ status: 200 });
});

const FAILING = [
  [
    [{ op: "drop_table", table: "nothing" }],
    0,
    "/up/0/table",
    "is not a table in this environment",
  ],
  [
    ["drop table nothing"],
    0,
    "/up/0/sql",
    "drop_table nothing table: is not a table in this environment",
  ],
  [
    ["insert into nothing (x) values (1)"],
    0,
    "/up/0/sql",
    "the table nothing does not exist in this environment",
  ],
  [
    ["insert into items (nothing)\nvalues (1)"],
    0,
    "/up/0/sql",
    'line 1, column 20: column "nothing" of relation "items" does not exist',
  ],
  [
    [{ op: "sql", sql: "delete from items;\n  update items set amount = 1 / 0" }],
    0,
    "/up/0/sql",
    "line 2, column 3: division by zero",
  ],
  [
    ["insert into items (title, amount) values ('x', 9007199254740992)"],
    0,
    "/up/0/sql",
    'line 1, column 1: new row for relation "items" violates check constraint of items (amount)',
  ],
  [
    ["insert into items (id, title) values ('mine', 'x')"],
    0,
    "/up/0/sql",
    "line 1, column 1: The id of a record is made by the platform.",
  ],
  [
    [
      { op: "add_column", table: "items", column: { name: "y", type: "text" } },
      { ...items, columns: [] },
    ],
    1,
    "/up/1",
    "A table with this slug already exists.",
  ],
  [
    ["create table t (r text references nothing)"],
    0,
    "/up/0/sql",
    "the column r: options/table is not a table in this environment",
  ],
] as const;

const EVERY = [
  ["text", `'${"x".repeat(10_001)}'`],
  ["integer", "-9007199254740992"],
  ["decimal", "'NaN'"],
  ["decimal", "1234567890.123456"],
  ["date", "'0001-12-31 BC'"],
  ["timestamp", "'10000-01-01 00:00:00+00'"],
  ["json", "'null'"],
  ["reference", "'somebody'"],
] as const;

test("SQL writes only valid values, and leaves no triggers behind", async () => {
  const {
    owner,
    write,
    apply,
    applied,
    remove,
    recordsOf,
    dumpTables: everything,
  } = await migrationWorkspace(world);
  const columns = EVERY.map(([type], n) => ({
    name: `c${n}`,
    type,
    ...(type === "reference" && { options: { table: "users" } }),
  }));
  await applied([{ ...items, columns: [{ name: "title", type: "text" }, ...columns] }]);
  await owner("POST /api/v1/tables/items/records", { title: "One" });
  const before = await everything();
  for (const [n, [, value]] of EVERY.entries()) {
    const id = await write([`update items set c${n} = ${value}`]);
    const { body } = await apply(id);
    expect(body).toMatchObject({ code: "migration_failed", step: 0 });
    expect(body.errors[0].message).toContain(`violates check constraint of items (c${n})`);
    await remove(id);
  }
  expect(await everything()).toEqual(before);
  await applied(["update items set c1 = 7, c6 = '{}'"]);
  expect(await recordsOf("items")).toMatchObject([{ c1: 7, c6: {} }]);
  const { constraints, triggers } = await everything();
  expect({ constraints, triggers }).toMatchObject({
    constraints: before.constraints,
    triggers: before.triggers,
  });
});

test("while SQL runs, readers see the previous tables, and writers wait for the end", async () => {
  const { owner, write, apply, applied, recordsOf, workspace } = await migrationWorkspace(world);
  await applied([items, { ...items, table: "others" }]);
  const { body } = await owner("POST /api/v1/tables/items/records", { title: "One", amount: 1 });
  await owner("POST /api/v1/tables/others/records", { title: "Other", amount: 1 });
  const id = await write(["update items set amount = 2", "update others set amount = 2"]);
  // The migration has finished with the first table when it waits for the second.
  const holder = await world.hold(`${schemaSql(workspace.key)}.others`);
  const applying = apply(id);
  await world.waiting(1);
  expect(await recordsOf("items")).toMatchObject([{ amount: 1 }]);
  const writing = owner(`PATCH /api/v1/tables/items/records/${body.data.id}`, { title: "Two" });
  await world.waiting(2);
  await holder.release();
  expect((await applying).body).toMatchObject({ data: { status: "applied" } });
  expect(await writing).toMatchObject({ status: 200, body: { data: { title: "Two", amount: 2 } } });
});

test("a failed step reports the reason, and leaves no trace", async () => {
  const {
    owner,
    write,
    apply,
    applied,
    remove,
    dumpTables: everything,
  } = await migrationWorkspace(world);
  await applied([items]);
  await owner("POST /api/v1/tables/items/records", { title: "One", amount: 1 });
  const before = await everything();
  for (const [up, step, path, message] of FAILING) {
    const id = await write(up);
    const { body } = await apply(id);
    expect(body).toMatchObject({ code: "migration_failed", step, errors: [{ path, message }] });
    await remove(id);
  }
  expect(await everything()).toEqual(before);
});

test("SQL on records keeps ids, authors and revisions, and is undone only by an explicit down script", async () => {
  const { owner, write, apply, rollBack, applied, read, remove, recordsOf } =
    await migrationWorkspace(world);
  await applied([
    items,
    {
      op: "create_table",
      table: "parts",
      columns: [
        { name: "title", type: "text" },
        { name: "item", type: "reference", options: { table: "items", onDelete: "set_null" } },
      ],
    },
  ]);
  const kept = await owner("POST /api/v1/tables/items/records", { title: "Kept", amount: 1 });
  const gone = await owner("POST /api/v1/tables/items/records", { title: "Gone" });
  const part = await owner("POST /api/v1/tables/parts/records", {
    title: "P",
    item: gone.body.data.id,
  });
  const id = await write([
    `insert into items (title, amount) select 'New ' || n, n from generate_series(1, 2) as n;
     with old as (select id from items where title = 'Gone') delete from items using old where items.id = old.id`,
    {
      op: "sql",
      sql: "update items set amount = amount + 10, revision = 77, created_by = 'x', updated_at = '2000-01-01' where title = 'Kept'",
    },
  ]);
  expect(await apply(id)).toMatchObject({
    status: 200,
    events: ["migration.applied"],
    body: { data: { recordsChanged: 4 } },
  });
  const records = await recordsOf("items");
  expect(records).toMatchObject([
    { id: kept.body.data.id, title: "Kept", amount: 11, createdBy: owner.userId },
    {
      id: expect.stringMatching(/^rec_[0-9a-z]{26}$/),
      title: "New 1",
      amount: 1,
      createdBy: owner.userId,
    },
    { title: "New 2", amount: 2, createdBy: owner.userId },
  ]);
  expect(records[0].updatedAt >= kept.body.data.updatedAt).toBe(true);
  const etags = await Promise.all(
    [`items/records/${kept.body.data.id}`, `parts/records/${part.body.data.id}`].map(
      async (place) => (await owner(`GET /api/v1/tables/${place}`)).headers["etag"],
    ),
  );
  expect(etags).toEqual(['"2"', '"2"']);
  expect((await recordsOf("parts"))[0]).toMatchObject({ item: null });
  expect(await rollBack(id)).toMatchObject({
    status: 409,
    events: [],
    body: { code: "migration_irreversible" },
  });

  const both = await applied(
    ["insert into items (title) values ('Again')"],
    ["delete from items where title = 'Again'", { op: "drop_table", table: "parts" }],
  );
  expect(await rollBack(both)).toMatchObject({
    status: 200,
    events: ["table.dropped", "migration.rolled_back"],
    body: { data: { recordsChanged: 1 } },
  });
  await remove(both);
  const stubborn = await applied(["insert into items (title) values ('A')"], ["drop table parts"]);
  expect(await rollBack(stubborn)).toMatchObject({
    status: 422,
    events: ["migration.failed"],
    body: { code: "migration_failed", step: 0, errors: [{ path: "/down/0/sql" }] },
  });
  expect((await read(stubborn)).status).toBe("applied");
});

test("SQL that creates tables creates tables that the API shows", async () => {
  const { owner, rollBack, applied } = await migrationWorkspace(world);
  const id = await applied([
    `create table customers (id serial primary key, email varchar(200) not null unique,
       status text not null default 'new' check (status in ('new', 'old')), created_at timestamptz default now());
     create table invoices (customer bigint references customers on delete cascade, total numeric(10, 2));
     create index by_total on invoices (total, created_at);
     insert into customers (email) values ('a@example.com');
     insert into invoices (customer, total) select id, 9.5 from customers;
     alter table invoices rename column total to net`,
  ]);
  const { body } = await owner("GET /api/v1/tables/invoices");
  expect(body.data).toMatchObject({
    columns: [
      {
        name: "customer",
        type: "reference",
        indexed: true,
        options: { table: "customers", onDelete: "cascade" },
      },
      { name: "net", type: "decimal", options: { scale: 2 } },
    ],
    indexes: [{ name: "by_total", columns: ["net", "createdAt"], unique: false }],
  });
  const [customer] = (await owner("GET /api/v1/tables/customers/records")).body.data;
  expect(customer).toMatchObject({ email: "a@example.com", status: "new" });
  expect((await owner("GET /api/v1/tables/invoices/records")).body.data).toMatchObject([
    { customer: customer.id, net: 9.5 },
  ]);
  expect(await rollBack(id)).toMatchObject({ body: { code: "migration_irreversible" } });
  const dropped = await applied(["drop index by_total; drop table customers, invoices"]);
  expect((await owner("GET /api/v1/tables")).body.data).toEqual([]);
  expect(await rollBack(dropped)).toMatchObject({
    events: ["table.created", "table.created", "migration.rolled_back"],
  });
  expect((await owner("GET /api/v1/tables/invoices")).body.data.indexes).toHaveLength(1);
});
