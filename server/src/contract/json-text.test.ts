import fc from "fast-check";
import { expect, test } from "vitest";
import { renderJson } from "./json-text.ts";

test("writes a value on a single line only if it fits", () => {
  const name = "a".repeat(100);
  expect(renderJson({ type: "string", list: [1, { a: null }], none: [], empty: {} })).toBe(
    '{ "type": "string", "list": [1, { "a": null }], "none": [], "empty": {} }\n',
  );
  expect(renderJson({ [name]: { first: 1, second: 2 }, third: [3] })).toBe(
    `{\n  "${name}": {\n    "first": 1,\n    "second": 2\n  },\n  "third": [3]\n}\n`,
  );
});

test("the text is equivalent JSON, and a line is only too long for a single value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = renderJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      for (const line of text.split("\n")) {
        if (line.length > 120) expect(line.trimStart()).not.toMatch(/^("[^"]*": )?[[{][^\]}]/);
      }
    }),
  );
});
