import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonFault } from "./json-fault.ts";

test.each([
  ["nothing", "nothing", /value/],
  ['{"a": 1 "b": 2}', '"b": 2}', /comma or }/],
  ['{"a": 1,}', "}", /name in double quotes/],
  ["{a: 1}", "a", /name in double quotes/],
  ['{"a" 1}', "1", /colon/],
  ["[1, 2", "2", /comma or ]/],
  ["[nulls]", "nulls", /value/],
  ["{} x", "x", /ends before/],
  ["", "", /value/],
])("%j is marked at %j", (text, marked, message) => {
  const fault = findJsonFault(text);
  expect(text.slice(fault?.from, fault?.to)).toBe(marked);
  expect(fault?.message).toMatch(message);
});

test("valid JSON has no error, and the error of an invalid text is within the text", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string(), (json, at, more) => {
      expect(findJsonFault(json)).toBeUndefined();
      const text = json.slice(0, at % (json.length + 1)) + more;
      const fault = findJsonFault(text);
      if (!fault) return;
      expect(fault.from).toBeLessThanOrEqual(fault.to);
      expect(fault.to).toBeLessThanOrEqual(text.length);
    }),
  );
});
