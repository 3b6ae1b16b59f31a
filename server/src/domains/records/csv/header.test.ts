import fc from "fast-check";
import { expect, test } from "vitest";
import { nameTitles, SYSTEM_COLUMNS } from "#domains/tables/index.ts";
import { fieldsOfHeader, formatHeader } from "./header.ts";

function tableOf(titles: readonly string[], names = nameTitles(titles)) {
  const columns = titles.map((title, n) => ({ title, name: names[n] ?? "" }));
  return { columns, computed: new Map(), columnNames: names };
}

const SYSTEM = SYSTEM_COLUMNS.map(([name]) => name);

test("adds the field name to a title only if the title also matches another field", () => {
  const header = (...titles: string[]) => {
    const table = tableOf(titles);
    return formatHeader(table, ["id", ...table.columnNames]);
  };
  expect(header("SKU", "Order #")).toEqual(["ID", "SKU", "Order #"]);
  expect(header("Name", "Name")).toEqual(["ID", "Name", "Name"]);
  expect(header("ID")).toEqual(["id", "id2"]);
  expect(header("id", "ID", "Order #")).toEqual(["ID [id]", "id", "id3", "Order #"]);
});

test("a handwritten header of titles prefers custom columns to system columns", () => {
  const table = tableOf(["id", "Created at", "Order #"]);
  const header = ["id", "Created at", "Order #", "updatedAt"];
  expect(fieldsOfHeader(table, header)).toEqual(["id2", "createdAt2", "order", "updatedAt"]);
  expect(fieldsOfHeader(table, header, "names")).toEqual(["id", undefined, undefined, "updatedAt"]);
});

test("a path through a reference is not confused with a column of that title", () => {
  const table = tableOf(["customer.name"]);
  const fields = ["id", "customer.name", ...table.columnNames];
  const read = fieldsOfHeader(table, formatHeader(table, fields));
  expect(read).toEqual(["id", undefined, ...table.columnNames]);
});

test("the import maps an exported header to the same fields, for all titles, names and orders", () => {
  const word = fc.constantFrom("a", "b", "c", "id2", ...SYSTEM, "revision");
  const title = fc.oneof(
    word,
    word.map((name) => name.toUpperCase()),
    word.map((name) => ` ${name} `),
    fc.constantFrom("ID", "Created at", "Updated at", "Created by", "a (2)", "ID (2)"),
    fc.tuple(word, word).map(([first, second]) => `${first} [${second}]`),
    fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
  );
  const any = fc.array(title, { maxLength: 10 }).chain((titles) => {
    const derived = nameTitles(titles);
    const names = fc.shuffledSubarray([...derived], { minLength: derived.length });
    const fields = fc.shuffledSubarray([...SYSTEM, ...derived], { minLength: 1 });
    return fc.record({ titles: fc.constant(titles), names, fields });
  });
  fc.assert(
    fc.property(any, ({ titles, names, fields }) => {
      const table = tableOf(titles, names);
      expect(fieldsOfHeader(table, formatHeader(table, fields))).toEqual(fields);
      expect(fieldsOfHeader(table, fields, "names")).toEqual(fields);
    }),
    { numRuns: 2_000 },
  );
});
