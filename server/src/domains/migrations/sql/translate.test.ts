import { loadModule } from "libpg-query";
import { beforeAll, expect, test } from "vitest";
import { inspectScript } from "#domains/queries/guard/script.ts";
import { parseColumns } from "#domains/tables/columns/parse-fields.ts";
import type { Table } from "#domains/tables/table.ts";
import type { NewColumn } from "#domains/tables/columns/new-column.ts";
import { TableLookup } from "./table-lookup.ts";
import { translateToSteps } from "./translate.ts";

beforeAll(() => loadModule());

const columns: NewColumn[] = [
  { name: "title", type: "text", required: true, unique: true },
  { name: "dueDate", type: "date", indexed: true },
  { name: "amount", type: "integer", options: { min: 0, max: 10 } },
  { name: "code", type: "text", options: { maxLength: 5, multiline: true } },
];

const orders = {
  slug: "orders",
  columns: parseColumns(columns, { path: "" }).columns,
  indexes: [{ name: "by_both", columns: ["title", "amount"], unique: false }],
} as unknown as Table;

const known = new TableLookup([orders]);

function translate(sql: string, tables = known) {
  const verdict = inspectScript(sql);
  if ("errors" in verdict) throw new Error(verdict.errors[0]?.message);
  return verdict.statements.flatMap((one) =>
    one.kind === "structure" ? [...translateToSteps(one.node, tables)] : [],
  );
}

const change = (column: string, to: object) => ({
  op: "alter_column",
  table: "orders",
  column,
  change: to,
});

test("SQL types become column types", () => {
  const [step] = translate(`create table t (
    a text, b varchar(40) not null, c char(3), d uuid, e smallint, f integer, g bigint default 7,
    h serial, i bigint generated always as identity (start with 100), j numeric(10, 2), k numeric,
    l real, m double precision, n boolean default 't', o date default current_date, p timestamp,
    q timestamptz(3) default now(), r json, s jsonb default '{"x": 1}', t text collate "C" default null)`);
  expect(step).toEqual({
    op: "create_table",
    table: "t",
    columns: [
      { name: "a", type: "text" },
      { name: "b", type: "text", required: true, options: { maxLength: 40 } },
      { name: "c", type: "text", options: { maxLength: 3 } },
      { name: "d", type: "text", options: { maxLength: 36 } },
      { name: "e", type: "integer" },
      { name: "f", type: "integer" },
      { name: "g", type: "integer", default: 7 },
      { name: "h", type: "autonumber" },
      { name: "i", type: "autonumber", options: { start: 100 } },
      { name: "j", type: "decimal", options: { scale: 2 } },
      { name: "k", type: "decimal" },
      { name: "l", type: "decimal" },
      { name: "m", type: "decimal" },
      { name: "n", type: "boolean", default: true },
      { name: "o", type: "date", default: "$now" },
      { name: "p", type: "timestamp" },
      { name: "q", type: "timestamp", default: "$now" },
      { name: "r", type: "json" },
      { name: "s", type: "json", default: { x: 1 } },
      { name: "t", type: "text" },
    ],
  });
});

test("system columns are allowed in create table, and constraints become properties", () => {
  const [step] = translate(
    `create table if not exists "Invoices" (x int)`.replace('"Invoices"', "invoices") + ";",
  );
  expect(step).toMatchObject({ table: "invoices" });
  expect(
    translate(`create table lines (
      id uuid primary key default gen_random_uuid(), created_at timestamptz not null default now(),
      "updatedAt" timestamptz, created_by text,
      "orderId" bigint not null references orders (id) on delete cascade,
      parent text, status text default 'new' check (status in ('new', 'paid')),
      kind text check (kind = any (array['a', 'b'])), n int check (n > 0 and n < 10), m numeric,
      name text, constraint named check (char_length(name) <= 50), check (m between 1 and 2.5),
      foreign key (parent) references lines on delete set null, unique (name),
      constraint pair unique (name, n))`),
  ).toEqual([
    {
      op: "create_table",
      table: "lines",
      columns: [
        {
          name: "orderId",
          type: "reference",
          required: true,
          options: { table: "orders", onDelete: "cascade" },
        },
        { name: "parent", type: "reference", options: { table: "lines", onDelete: "set_null" } },
        { name: "status", type: "enum", default: "new", options: { values: ["new", "paid"] } },
        { name: "kind", type: "enum", options: { values: ["a", "b"] } },
        { name: "n", type: "integer", options: { min: 1, max: 9 } },
        { name: "m", type: "decimal", options: { min: 1, max: 2.5 } },
        { name: "name", type: "text", unique: true, options: { maxLength: 50 } },
      ],
      indexes: [{ columns: ["name", "n"], unique: true, name: "pair" }],
    },
  ]);
  expect(translate("create table t (code text primary key)")).toMatchObject([
    { columns: [{ name: "code", type: "text", required: true, unique: true }] },
  ]);
  expect(translate("create table t (a int, b int, primary key (a, b))")).toMatchObject([
    {
      columns: [
        { name: "a", required: true },
        { name: "b", required: true },
      ],
      indexes: [{ columns: ["a", "b"], unique: true }],
    },
  ]);
});

test.each([
  [
    "alter table orders add column paid boolean not null default false",
    [
      {
        op: "add_column",
        table: "orders",
        column: { name: "paid", type: "boolean", required: true, default: false },
      },
    ],
  ],
  [
    "alter table orders add title text, drop column duedate",
    [
      { op: "add_column", table: "orders", column: { name: "title", type: "text" } },
      { op: "drop_column", table: "orders", column: "dueDate" },
    ],
  ],
  ["alter table orders add column if not exists title text", []],
  ["alter table orders add column if not exists created_at timestamptz", []],
  ["alter table orders drop column if exists nothing", []],
  ["alter table if exists nothing drop column x", []],
  [
    "alter table orders rename column duedate to due",
    [{ op: "rename_column", table: "orders", from: "dueDate", to: "due" }],
  ],
  [
    "alter table orders alter amount set default 5, alter amount drop default",
    [change("amount", { default: 5 }), change("amount", { default: null })],
  ],
  [
    "alter table orders alter amount set not null, alter title drop not null",
    [change("amount", { required: true }), change("title", { required: false })],
  ],
  [
    "alter table orders alter column amount type text",
    [change("amount", { type: "text", options: {} })],
  ],
  [
    "alter table orders alter column amount type bigint",
    [change("amount", { type: "integer", options: { min: 0, max: 10 } })],
  ],
  [
    "alter table orders alter column code type varchar(9)",
    [change("code", { type: "text", options: { maxLength: 9, multiline: true } })],
  ],
  [
    "alter table orders alter title type integer using title::integer",
    [change("title", { type: "integer", options: {} })],
  ],
  [
    "alter table orders add constraint u unique (code, amount)",
    [{ op: "add_index", table: "orders", columns: ["code", "amount"], unique: true, name: "u" }],
  ],
  [
    "alter table orders add unique (code)",
    [{ op: "add_index", table: "orders", columns: ["code"], unique: true }],
  ],
  ["alter table orders add primary key (id)", []],
  [
    "alter table orders add check (amount >= 3)",
    [change("amount", { type: "integer", options: { min: 3, max: 10 } })],
  ],
  [
    "alter table orders add check (code in ('a'))",
    [change("code", { type: "enum", options: { values: ["a"] } })],
  ],
  [
    "alter table orders add foreign key (code) references orders",
    [change("code", { type: "reference", options: { table: "orders", onDelete: "restrict" } })],
  ],
  [
    "alter table orders drop constraint orders_title_key",
    [{ op: "drop_index", table: "orders", columns: ["title"], unique: true }],
  ],
  ["alter table orders drop constraint if exists nothing", []],
  [
    "create index on orders (code, created_at desc)",
    [{ op: "add_index", table: "orders", columns: ["code", "createdAt"] }],
  ],
  [
    "create unique index if not exists i on orders using btree (duedate)",
    [{ op: "add_index", table: "orders", columns: ["dueDate"], unique: true, name: "i" }],
  ],
  ["create index if not exists by_both on orders (code)", []],
  ["drop index by_both", [{ op: "drop_index", table: "orders", name: "by_both" }]],
  [
    'drop index "orders_dueDate_idx"',
    [{ op: "drop_index", table: "orders", columns: ["dueDate"], unique: false }],
  ],
  [
    "drop index orders_title_idx",
    [{ op: "drop_index", table: "orders", columns: ["title"], unique: true }],
  ],
  [
    "drop index orders_title_key",
    [{ op: "drop_index", table: "orders", columns: ["title"], unique: true }],
  ],
  ["drop index if exists nothing", []],
  [
    "drop table orders, if_so cascade",
    [
      { op: "drop_table", table: "orders" },
      { op: "drop_table", table: "if_so" },
    ],
  ],
  ["drop table if exists nothing", []],
  [
    "comment on table orders is 'All of them'",
    [{ op: "alter_table", table: "orders", description: "All of them" }],
  ],
  ["comment on column orders.duedate is null", [change("dueDate", { description: "" })]],
  ["create table if not exists orders (x int)", []],
] as const)("%s", (sql, steps) => {
  expect(translate(sql)).toEqual(steps);
  // While the migration is only saved, tables are unknown, and translation still works.
  expect(() => translate(sql, new TableLookup(undefined))).not.toThrow();
});

test.each([
  ["create table other.t (x int)", "must not have a schema"],
  ["create temp table t (x int)", "temporary"],
  ["create unlogged table t (x int)", "unlogged"],
  ["create table t (x int) inherits (orders)", "INHERITS"],
  ["create table t (x int) partition by range (x)", "PARTITION BY"],
  ["create table t (x int) with (fillfactor = 70)", "WITH"],
  ["create table t (x int) tablespace s", "TABLESPACE"],
  ["create table t (like orders)", "LIKE"],
  ["create table t (x int[])", "multi_enum"],
  ["create table t (x interval)", "interval"],
  ["create table t (x other.thing)", "other.thing"],
  ["create table t (x regclass)", "regclass"],
  ['create table t (x text collate "de_DE")', "COLLATE"],
  ["create table t (x int default random())", "constant"],
  ["create table t (x int default nextval('s'))", "constant"],
  ["create table t (x int default (select 1))", "constant"],
  ["create table t (x text default pg_read_file('x'))", "constant"],
  ["create table t (x int generated always as (1) stored)", "constraint"],
  ["create table t (x int, exclude (x with =))", "constraint"],
  ["create table t (x int unique deferrable)", "constraint"],
  ["create table t (x int check (x % 2 = 0))", "check"],
  ["create table t (x int check (x > y), y int)", "check"],
  ["create table t (x numeric check (x > 1))", "not integers"],
  ["create table t (x int check (x in (1, 2)))", "check"],
  ["create table t (x int references orders (title))", "id of a record"],
  ["create table t (x text references other.orders)", "must not have a schema"],
  ["create table t (x text references orders on delete set default)", "SET DEFAULT"],
  ["create table t (id jsonb)", "is a reserved name"],
  ["create table t (id int, code text primary key)", "is a reserved name"],
  ["create table t (created_at text)", "is a reserved name"],
  ["create table t (_x int)", "the column _x"],
  ['create table "T" (x int)', "create_table T"],
  ["create table t (x int check (y > 1))", "another column"],
  ["alter table orders alter amount type text using pg_read_file('x')", "USING"],
  ["alter table orders alter amount type text using code::text", "USING"],
  ["alter table orders owner to postgres", "CHANGE OWNER"],
  ["alter table orders disable row level security", "DISABLE ROW SECURITY"],
  ["alter table orders disable trigger all", "DISABLE TRIG ALL"],
  ["alter table orders set schema other", "ALTER OBJECT SCHEMA is not available"],
  ["alter table orders rename to other", "slug"],
  ["alter table orders rename constraint a to b", "columns can be renamed"],
  ["alter table other.orders drop column title", "must not have a schema"],
  ["alter table orders add constraint c check (amount >= 0) not valid", "NOT VALID"],
  ["alter table orders drop constraint nothing", "no unique constraint"],
  ["alter index by_both rename to x", "columns can be renamed"],
  ["alter view v rename to x", "columns can be renamed"],
  ["create index concurrently on orders (code)", "CONCURRENTLY"],
  ["create index on orders (lower(code))", "can only contain columns"],
  ["create index on orders (code text_pattern_ops)", "can only contain columns"],
  ["create index on orders (code) where code <> ''", "partial index"],
  ["create index on orders using hash (code)", "hash"],
  ["create index on orders (code) include (title)", "INCLUDE"],
  ["drop index nothing", "the index nothing does not exist"],
  ["drop index other.by_both", "must not have a schema"],
  ["drop schema public cascade", "tables and indexes"],
  ["drop function f()", "tables and indexes"],
  ["drop role millrace_app", "DROP ROLE is not available"],
  ["comment on schema public is 'x'", "comments"],
  ["comment on column a.b.c is 'x'", "comments"],
] as const)("%s is refused", (sql, reason) => {
  expect(() => translate(sql)).toThrow(reason);
});
