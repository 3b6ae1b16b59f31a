import fc from "fast-check";
import { expect, test } from "vitest";
import { renderJson } from "./json-text.ts";

test("what fits on a line is on one, and nothing else", () => {
  const name = "a".repeat(100);
  expect(renderJson({ type: "string", list: [1, { a: null }], none: [], empty: {} })).toBe(
    '{ "type": "string", "list": [1, { "a": null }], "none": [], "empty": {} }\n',
  );
  expect(renderJson({ [name]: { first: 1, second: 2 }, third: [3] })).toBe(
    `{\n  "${name}": {\n    "first": 1,\n    "second": 2\n  },\n  "third": [3]\n}\n`,
  );
});

test("the text is the JSON that it was made of, and wide only where a single value is", () => {
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
