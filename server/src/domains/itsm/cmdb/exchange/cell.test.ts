import fc from "fast-check";
import { expect, test } from "vitest";
import type { AttributeSchema } from "../classes/schema.ts";
import { cellOfValue, valueOfCell } from "./cell.ts";

const SCHEMAS: readonly (AttributeSchema | undefined)[] = [undefined, {}, { type: "integer" }];
const TEXT: AttributeSchema = { type: "string" };

test("what is written into a cell is read back", () => {
  // As requests and rows have them: in JSON there is one zero only.
  const value = fc
    .jsonValue()
    .map((one): unknown => JSON.parse(JSON.stringify(one)))
    .filter((one) => one !== null);
  fc.assert(
    fc.property(value, fc.constantFrom(...SCHEMAS), (written, schema) => {
      const cell = cellOfValue(written, schema);
      expect(valueOfCell(cell ?? "", schema)).toEqual(written);
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.string(), (written) => {
      expect(cellOfValue(written, TEXT)).toBe(written);
      expect(valueOfCell(written, TEXT)).toBe(written);
    }),
  );
});

test.each([
  ["8", 8],
  ["007", "007"],
  ["1.50", "1.50"],
  ["12345678901234567890", "12345678901234567890"],
  ["true", true],
  ["truest", "truest"],
  ['["a"]', ["a"]],
  ["{broken", "{broken"],
  ['"8"', "8"],
  ["10.0.0.1", "10.0.0.1"],
])("the cell %s says %j", (cell, value) => {
  expect(valueOfCell(cell, undefined)).toEqual(value);
});
