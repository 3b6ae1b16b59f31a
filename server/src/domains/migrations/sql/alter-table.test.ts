import { type AlterTableStmt, loadModule, parseSync } from "libpg-query";
import { beforeAll, expect, test } from "vitest";
import type { NewColumn } from "#domains/tables/columns/new-column.ts";
import { parseColumns } from "#domains/tables/columns/parse-fields.ts";
import type { Table } from "#domains/tables/table.ts";
import { alterTableFrom } from "./alter-table.ts";
import { TableLookup } from "./table-lookup.ts";

beforeAll(() => loadModule());

const columns: NewColumn[] = [
  { name: "amount", type: "integer", options: { min: 0, max: 10 } },
  { name: "code", type: "text", options: { maxLength: 5, multiline: true } },
];

const orders = {
  slug: "orders",
  columns: parseColumns(columns, { path: "" }).columns,
  indexes: [],
} as unknown as Table;

function translate(sql: string, tables?: readonly Table[]) {
  const { stmt } = parseSync(sql).stmts?.[0] ?? {};
  const { AlterTableStmt: statement } = stmt as { AlterTableStmt: AlterTableStmt };
  return alterTableFrom(statement, new TableLookup(tables));
}

const change = (column: string, to: object) => ({
  op: "alter_column",
  table: "orders",
  column,
  change: to,
});

test.each([
  [
    "alter table orders add check (amount >= 20 and amount <= 30)",
    [change("amount", { type: "integer", options: { min: 20, max: 30 } })],
  ],
  [
    "alter table orders add check (amount > 19), add check (amount < 31)",
    [change("amount", { type: "integer", options: { min: 20, max: 30 } })],
  ],
  [
    "alter table orders add check (length(code) <= 3 and amount >= 1 and code in ('a') and amount <= 2)",
    [
      change("code", { type: "enum", options: { values: ["a"] } }),
      change("amount", { type: "integer", options: { min: 1, max: 2 } }),
    ],
  ],
  [
    "alter table orders add check (amount >= 1), alter code set not null, add check (amount <= 2)",
    [
      change("amount", { type: "integer", options: { min: 1, max: 10 } }),
      change("code", { required: true }),
      change("amount", { type: "integer", options: { min: 1, max: 2 } }),
    ],
  ],
  [
    "alter table orders add column price numeric, add check (price >= 0)",
    [
      { op: "add_column", table: "orders", column: { name: "price", type: "decimal" } },
      change("price", { type: "decimal", options: { min: 0 } }),
    ],
  ],
  [
    "alter table orders add column \"isPaid\" boolean, alter ispaid set default 't'",
    [
      { op: "add_column", table: "orders", column: { name: "isPaid", type: "boolean" } },
      change("isPaid", { default: true }),
    ],
  ],
  [
    "alter table orders alter column amount type numeric, add check (amount >= 0)",
    [change("amount", { type: "decimal", options: { min: 0 } })],
  ],
  [
    "alter table orders alter column amount type text, add check (amount in ('1'))",
    [
      change("amount", { type: "text", options: {} }),
      change("amount", { type: "enum", options: { values: ["1"] } }),
    ],
  ],
  [
    "alter table orders drop column code, add column if not exists code integer, add check (code < 5)",
    [
      { op: "drop_column", table: "orders", column: "code" },
      { op: "add_column", table: "orders", column: { name: "code", type: "integer" } },
      change("code", { type: "integer", options: { max: 4 } }),
    ],
  ],
] as const)("each part uses the results of the previous ones: %s", (sql, steps) => {
  expect(translate(sql, [orders])).toEqual(steps);
  // While the migration is only saved, tables are unknown, and translation still works.
  expect(() => translate(sql)).not.toThrow();
});

test.each([
  ["alter table orders add check (nothing >= 0)", "the column nothing does not exist"],
  ["alter table orders add column price numeric, add check (price > 0)", "not integers"],
] as const)("%s is refused", (sql, reason) => {
  expect(() => translate(sql, [orders])).toThrow(reason);
});
