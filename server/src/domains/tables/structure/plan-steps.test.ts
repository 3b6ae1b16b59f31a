import { expect, test } from "vitest";
import type { Table } from "../table.ts";
import { planSteps } from "./plan-steps.ts";
import {
  alter,
  CUSTOMERS,
  planTables,
  ORDERS,
  planContextOf,
  planErrors,
  parseSteps,
  planStatements,
  WORKSPACE,
} from "../testing/tables.ts";

test("creates a table with its columns, constraints, triggers, indexes and view", () => {
  expect(planStatements(planContextOf(planTables(CUSTOMERS)), ORDERS)).toEqual({
    statements: [
      `create table "orders" (
  id text collate "C" default public.new_record_id(),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  created_by text collate "C" not null default 'system',
  revision integer not null default 1,
  "number" bigint generated always as identity (minvalue 0 start with 100) not null,
  "sku" text collate "C",
  "state" text collate "C" default 'it''s new'::text,
  "customer" text collate "C",
  "tags" text[] collate "C",
  constraint <key:orders.id> primary key (id),
  constraint <check:orders.sku> check (char_length("sku") <= 40),
  constraint <check:orders.state> check ("state" = any ('{"it''s new","paid"}'::text[])),
  constraint <reference:orders.customer> foreign key ("customer") references "customers" (id) on delete cascade,
  constraint <check:orders.tags> check ("tags" <@ '{"a"}'::text[] and coalesce(array_ndims("tags"), 1) = 1 and cardinality("tags") <= 1)
) with (fillfactor = 90)`,
      `alter table "orders" enable row level security`,
      `create policy tenant on "orders" to millrace_app using ((select case when current_setting('millrace.workspace') = '${WORKSPACE}' and current_setting('millrace.environment') = 'staging' then true end) is not null)`,
      `create policy reading on "orders" for select to "millrace_rs_${WORKSPACE.replaceAll("-", "")}" using (true)`,
      `create index <Index> on "orders" (created_at, id)`.replace("created_at", `"created_at"`),
      `create unique index <unique:orders.sku> on "orders" ("sku")`,
      `create index <index:orders.customer> on "orders" ("customer", id)`,
      `create index <index:orders.tags> on "orders" using gin ("tags")`,
      `create index <several:orders.state+createdAt> on "orders" ("state", "created_at", id)`,
      `create unique index <several:orders.sku+state> on "orders" ("sku", "state")`,
      `create view <View> as select id, created_at, updated_at, created_by, revision, "number", "sku", "state", "customer", "tags", true as "shape 1" from "orders" where current_setting('millrace.workspace') = '${WORKSPACE}' and current_setting('millrace.environment') = 'staging' with local check option`,
    ],
    inverse: [{ op: "drop_table", table: "orders" }],
  });
});

const VIEW = [/^drop view <View>$/, /^create view <View> as/] as const;

/** A step on a table of orders, the statements between the views, and the inverse steps. */
const GOLDEN: readonly [
  name: string,
  step: object,
  statements: readonly string[],
  inverse: object[],
][] = [
  [
    "a column is added with its constraints and indexes",
    {
      op: "add_column",
      table: "orders",
      column: {
        name: "total",
        type: "decimal",
        required: true,
        default: 1.5,
        indexed: true,
        options: { min: 1 },
      },
    },
    [
      expect.stringMatching(
        /^alter table "orders" add column "total" numeric.* not null default '1.5'::numeric, add constraint <check:orders.total> check/,
      ),
      `create index <index:orders.total> on "orders" ("total", id)`,
    ],
    [{ op: "drop_column", table: "orders", column: "total" }],
  ],
  [
    "a renamed column takes its names along",
    { op: "rename_column", table: "orders", from: "sku", to: "select" },
    [
      `alter table "orders" rename column "sku" to "select"`,
      `alter index <unique:orders.sku> rename to <unique:orders.select>`,
      `alter table "orders" rename constraint <check:orders.sku> to <check:orders.select>`,
    ],
    [{ op: "rename_column", table: "orders", from: "select", to: "sku" }],
  ],
  [
    "what depends on a type goes before the type does, and comes back",
    alter("state", { type: "text", indexed: true, default: "new" }),
    [
      `alter table "orders" drop constraint <check:orders.state>`,
      `alter table "orders" alter column "state" drop default`,
      `alter table "orders" alter column "state" type text collate "C" using "state"`,
      `alter table "orders" alter column "state" set default 'new'::text`,
      `alter table "orders" add constraint <check:orders.state> check (char_length("state") <= 600)`,
      `create index <index:orders.state> on "orders" ("state", id)`,
    ],
    [
      alter("state", {
        type: "enum",
        required: false,
        unique: false,
        indexed: false,
        default: "it's new",
        options: { values: ["it's new", "paid"] },
        description: "",
      }),
    ],
  ],
  [
    "only what changes is touched",
    alter("sku", { required: true, unique: false }),
    [`drop index <unique:orders.sku>`, `alter table "orders" alter column "sku" set not null`],
    [alter("sku", { required: false, unique: true })],
  ],
  [
    "a description is nothing in the database",
    alter("sku", { description: "As printed" }),
    [],
    [alter("sku", { description: "" })],
  ],
  [
    "what counted becomes a number like any other",
    alter("number", { type: "integer", required: false }),
    [
      `alter table "orders" drop constraint if exists <check:orders.number>`,
      `alter table "orders" alter column "number" drop identity`,
      `alter table "orders" alter column "number" type bigint using "number"`,
      `alter table "orders" alter column "number" drop not null`,
      `alter table "orders" add constraint <check:orders.number> check ("number" between -9007199254740991 and 9007199254740991)`,
      `alter table "orders" drop constraint <check:orders.number>`,
    ],
    [
      alter("number", {
        type: "autonumber",
        required: true,
        unique: false,
        indexed: false,
        default: null,
        options: { start: 100 },
        description: "",
      }),
    ],
  ],
  [
    "a counter that is told another start never gives a number twice",
    alter("number", { options: { start: 7 } }),
    [
      `select setval(pg_get_serial_sequence('"orders"', 'number'), greatest(max("number") + 1, 7), false) from "orders"`,
    ],
    [alter("number", { options: { start: 100 } })],
  ],
  [
    "a reference may be followed otherwise",
    alter("customer", { onDelete: "set_null" }),
    [
      `alter table "orders" drop constraint <reference:orders.customer>`,
      `alter table "orders" add constraint <reference:orders.customer> foreign key ("customer") references "customers" (id) on delete set null`,
    ],
    [alter("customer", { options: { table: "customers", onDelete: "cascade" } })],
  ],
  [
    "a dropped column takes the indexes along that name it, and they come back with it",
    { op: "drop_column", table: "orders", column: "sku" },
    [`alter table "orders" drop column "sku"`],
    [
      {
        op: "add_column",
        table: "orders",
        column: expect.objectContaining({ name: "sku", unique: true }),
        position: 1,
        optionalIfFilled: true,
      },
      {
        op: "add_index",
        table: "orders",
        name: "sku_state_key",
        columns: ["sku", "state"],
        unique: true,
      },
    ],
  ],
  [
    "an index of one column without a name is the column's own",
    { op: "add_index", table: "orders", columns: ["state"] },
    [`create index <index:orders.state> on "orders" ("state", id)`],
    [alter("state", { indexed: false })],
  ],
  [
    "an index may have a name",
    { op: "add_index", table: "orders", columns: ["tags"], name: "by-tag" },
    [`create index <several:orders.tags> on "orders" using gin ("tags")`],
    [{ op: "drop_index", table: "orders", name: "by-tag" }],
  ],
  [
    "an index is dropped by its columns",
    { op: "drop_index", table: "orders", columns: ["state", "createdAt"] },
    [`drop index <several:orders.state+createdAt>`],
    [
      {
        op: "add_index",
        table: "orders",
        name: "state_createdAt_idx",
        columns: ["state", "createdAt"],
        unique: false,
      },
    ],
  ],
  [
    "a column's own index is dropped by its name",
    { op: "drop_index", table: "orders", columns: ["sku"], unique: true },
    [`drop index <unique:orders.sku>`],
    [alter("sku", { unique: true })],
  ],
  [
    "a table's name and rules are nothing in the database",
    { op: "alter_table", table: "orders", name: "Sales", rules: [] },
    [],
    [{ op: "alter_table", table: "orders", name: "Orders", rules: [] }],
  ],
];

test.each(GOLDEN)("%s", (_, step, statements, inverse) => {
  const found = planStatements(planContextOf(planTables(CUSTOMERS, ORDERS)), step);
  const inner = found.statements.filter((text) => !VIEW.some((pattern) => pattern.test(text)));
  expect(inner).toEqual(statements);
  expect(found.inverse).toEqual(inverse);
});

test.each(GOLDEN)("the inverse steps restore the table: %s", (_, step) => {
  const before = planTables(CUSTOMERS, ORDERS);
  const planning = planContextOf(before);
  const { inverse } = planSteps(planning, parseSteps(step), String);
  planSteps(planning, inverse, String);
  const contents = (tables: Iterable<Table>) =>
    [...tables].map((table) => ({
      ...table,
      // The inverse does not reset the revisions of renames and shapes.
      renamedRevision: 0,
      shape: 0,
      indexes: table.indexes.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    }));
  expect(contents(planning.tables.values())).toEqual(contents(before));
});

test("tables that refer to each other are dropped together, in any order, and come back", () => {
  const circle = [
    CUSTOMERS,
    ORDERS,
    {
      op: "add_column",
      table: "customers",
      column: { name: "last", type: "reference", options: { table: "orders" } },
    },
  ];
  const drop = (table: string) => ({ op: "drop_table", table });
  for (const order of [
    ["customers", "orders"],
    ["orders", "customers"],
  ]) {
    const planning = planContextOf(planTables(...circle));
    const { inverse } = planSteps(planning, parseSteps(...order.map(drop)), String);
    expect([...planning.tables]).toEqual([]);
    planSteps(planning, inverse, String);
    for (const table of planTables(...circle)) {
      const back = planning.tables.get(table.slug);
      const names = (one: Table | undefined) => one?.columns.map(({ name }) => name).toSorted();
      expect(names(back)).toEqual(names(table));
    }
  }
  expect(planErrors(planContextOf(planTables(...circle)), drop("orders"))).toBe("table_referenced");
  expect(planErrors(planContextOf(planTables(...circle)), drop("orders"), drop("orders"))).toBe(
    "table_referenced",
  );
});

test("restores a required column as optional only if records without a value exist", () => {
  const step = { op: "drop_column", table: "customers", column: "name" };
  for (const filled of [[], ["customers"]]) {
    const planning = planContextOf(planTables(CUSTOMERS), filled);
    const { inverse } = planSteps(planning, parseSteps(step), String);
    planSteps(planning, inverse, String);
    const [name] = planning.tables.get("customers")?.columns ?? [];
    expect(name).toMatchObject({ name: "name", required: filled.length === 0 });
  }
});
