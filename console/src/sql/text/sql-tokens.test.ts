import { expect, test } from "vitest";
import { completionsAt, type SqlSchema } from "./complete-sql.ts";
import { findAliases, findParameters, isInText, quoteName, quoteValue } from "./sql-tokens.ts";

test("parameters are counted outside of strings and comments, without gaps", () => {
  expect(findParameters("select $1, '$4', $3 -- $9\n/* $7 */")).toEqual([1, 2, 3]);
  expect(findParameters("select 1")).toEqual([]);
});

test("finds tables by alias", () => {
  const sql = `select * from orders o join "big-table" as b on b.id = o.id, items where x = 'from nowhere n'`;
  expect([...findAliases(sql)]).toEqual([
    ["orders", "orders"],
    ["o", "orders"],
    ["big-table", "big-table"],
    ["b", "big-table"],
    ["items", "items"],
  ]);
});

test.each([
  ["select 'a", true],
  ["select 'a'", false],
  ["select 'it''s", true],
  ["select 1 -- note", true],
  ["select 1 -- note\n", false],
  ["select /* a", true],
  ["select $$a", true],
])("a caret after %j is in a string or comment: %j", (before, is) =>
  expect(isInText(before)).toBe(is),
);

test("quoted names and values are read by SQL unchanged", () => {
  expect(["total", "unitPrice", 'a"b'].map(quoteName)).toEqual(["total", '"unitPrice"', '"a""b"']);
  expect(["it's", 4, null, true].map(quoteValue)).toEqual(["'it''s'", "4", "null", "true"]);
});

const schema: SqlSchema = {
  relations: [
    { name: "orders", title: "Orders", columns: [{ name: "unitPrice", type: "decimal" }] },
    { name: "customers", title: "Customers", columns: [{ name: "city", type: "text" }] },
  ],
  functions: ["sum"],
};
const labels = (before: string, after = "") =>
  completionsAt(before + after, before.length, schema)?.options.map(({ label }) => label);

test("the most likely completion is first", () => {
  expect(labels("select o.", " from orders o")).toEqual(["unitPrice"]);
  expect(labels("select * from cu")).toEqual(["orders", "customers"]);
  expect(labels("select unit", " from orders")).toEqual(
    expect.arrayContaining(["unitPrice", "sum", "select"]),
  );
  expect(labels("select unit", " from orders")).not.toContain("city");
  expect(labels("select 'unit", "' from orders")).toBeUndefined();
});
