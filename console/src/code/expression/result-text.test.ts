import { expect, test } from "vitest";
import { fillIn, markError } from "./result-text.ts";

test("a result replaces its expression", () => {
  const values = [{ value: 4701 }, { value: "Ada" }];
  expect(fillIn("a * 2", "expression", [{ value: 44 }])).toBe("44");
  expect(fillIn("{{ a }}", "template", [{ value: [1] }])).toBe("[1]");
  expect(fillIn("No. {{ a }} for {{ b }}", "template", values)).toBe("No. 4701 for Ada");
  expect(fillIn('{ "n": "{{ a }}", "s": "{{ b }}!" }', "json-template", values)).toBe(
    '{ "n": 4701, "s": "Ada!" }',
  );
  expect(fillIn("x", "expression", [{}])).toBe("nothing");
  expect(fillIn("x", "expression", [{ value: [1], truncated: true, length: 900 }])).toBe(
    "[1] … (900 items)",
  );
});

test("marks the rejected token at its position in the expression", () => {
  const text = "Hello {{ $nope(1) }}";
  const mark = markError(
    text,
    { message: "No such function.", position: 7 },
    { at: 8, length: 10 },
  );
  expect(text.slice(mark.from, mark.to)).toBe("$nope(");
  expect(markError(text, { message: "Too large." }, { at: 8, length: 10 })).toMatchObject({
    from: 8,
    to: 18,
  });
});
