import { expect, test } from "vitest";
import { formatHeader } from "#domains/records/index.ts";
import { ColumnStatistics, DistinctMemory } from "../guess/column-guess.ts";
import type { SourceColumn } from "../guess/source-column.ts";
import { guessMapping, planTable } from "./line-plan.ts";

const partition = {
  workspace: "00000000-0000-0000-0000-000000000001",
  environment: "production",
} as const;

function sources(headers: readonly string[]): readonly SourceColumn[] {
  return headers.map((header, n) => ({
    ...new ColumnStatistics(header, new DistinctMemory()).guess({
      prefersComma: false,
      field: `f${n}`,
    }),
  }));
}

function tableOf(titles: readonly string[]) {
  const columns = sources(titles);
  return planTable({ columns, mapping: guessMapping(columns), new_table: null }, partition);
}

test.each([
  [["SKU", "Order #"]],
  [["id", "ID", "Order #"]],
  [["Created at", "createdAt", "ID"]],
  [["f1", "f0", "f1"]],
])("an export of a table titled %j fills its original columns", (titles) => {
  const schema = tableOf(titles);
  const fields = ["id", "createdAt", ...schema.columnNames];
  const mapping = guessMapping(sources(formatHeader(schema, fields)), schema);
  expect(mapping.map(({ column, field }) => [column, field])).toEqual(
    schema.columnNames.map((name, n) => [n + 2, name]),
  );
});

test("matches headers of other files by their letters", () => {
  const schema = tableOf(["Order #", "E-mail"]);
  const mapping = guessMapping(sources(["e-mail", "order #", "else"]), schema);
  expect(mapping.map(({ column, field }) => [column, field])).toEqual([
    [0, schema.columnNames[1]],
    [1, schema.columnNames[0]],
  ]);
});
