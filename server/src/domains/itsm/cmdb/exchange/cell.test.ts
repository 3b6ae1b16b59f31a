import fc from "fast-check";
import { expect, test } from "vitest";
import type { AttributeSchema } from "../classes/schema.ts";
import { formatCell, parseCell } from "./cell.ts";
import { tries } from "#kernel/testing/thorough.ts";

const SCHEMAS: readonly (AttributeSchema | undefined)[] = [undefined, {}, { type: "integer" }];
const TEXT: AttributeSchema = { type: "string" };

test("a formatted cell is parsed back", () => {
  // Generated as JSON, which has no negative zero.
  const value = fc
    .jsonValue()
    .map((one): unknown => JSON.parse(JSON.stringify(one)))
    .filter((one) => one !== null);
  fc.assert(
    fc.property(value, fc.constantFrom(...SCHEMAS), (written, schema) => {
      const cell = formatCell(written, schema);
      expect(parseCell(cell ?? "", schema)).toEqual(written);
    }),
    { numRuns: tries(500) },
  );
  fc.assert(
    fc.property(fc.string(), (written) => {
      expect(formatCell(written, TEXT)).toBe(written);
      expect(parseCell(written, TEXT)).toBe(written);
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
])("the cell %s is parsed as %j", (cell, value) => {
  expect(parseCell(cell, undefined)).toEqual(value);
});
