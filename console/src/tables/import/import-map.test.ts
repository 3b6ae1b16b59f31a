import { expect, test } from "vitest";
import { firstMapping, mappingFault, putMapping, toNewTable, withType } from "./import-map.ts";

const guess = {
  header: "Metal",
  field: "metal",
  type: "enum",
  options: { values: ["steel"] },
  dateOrder: null,
  decimalMark: null,
  isAmbiguous: false,
  filled: 1,
  empty: 0,
  invalid: 0,
  unique: false,
  examples: ["steel"],
  invalidExamples: [],
} as const;

test("a mapping starts with the guessed types, in the order of the file", () => {
  const mapping = firstMapping({ mapping: [], columns: [guess, guess] });
  expect(mapping.map(({ column, type }) => [column, type])).toEqual([
    [0, "enum"],
    [1, "enum"],
  ]);
  expect(putMapping(mapping, 0, undefined)).toHaveLength(1);
  expect(putMapping(putMapping(mapping, 0, undefined), 0, mapping[0])).toEqual(mapping);
  expect(withType(mapping[0]!, "text", guess)).toMatchObject({ type: "text", options: {} });
});

test("missing choices are reported before a request is sent", () => {
  const mapping = firstMapping({ mapping: [], columns: [guess, guess] });
  const columns = [guess, guess, { ...guess, header: "Due", isAmbiguous: true }];
  const into = { columns, table: "parts", newTable: null, typeOf: () => "date", fields: [] };
  expect(mappingFault(mapping, into)).toBe("Two columns of the file are mapped to metal.");
  expect(mappingFault(mapping.slice(1), { ...into, table: null })).toBe(
    "Enter a name for the table.",
  );
  expect(mappingFault([{ column: 0, field: "a", type: "reference" }], into)).toMatch("Select");
  expect(mappingFault(mapping.slice(1), into)).toBeUndefined();
  const due = { column: 2, field: "due" };
  expect(mappingFault([due], into)).toBe(
    "Select the date order of “Due”: day first or month first.",
  );
  expect(mappingFault([{ ...due, dateOrder: "mdy" }], into)).toBeUndefined();
  const made = { ...into, table: null, newTable: { name: "Bills" } };
  expect(mappingFault([{ ...due, type: "date" }], made)).toMatch("Due");
  expect(mappingFault([{ ...due, type: "text" }], made)).toBeUndefined();
});

test("the name of a new table is derived from the file name", () => {
  expect(toNewTable("orders_2026 (Köln).xlsx")).toEqual({
    name: "Orders 2026 (Köln)",
    slug: "orders_2026_koln",
  });
  expect(toNewTable("2026.csv").slug).toBe("imported");
});
