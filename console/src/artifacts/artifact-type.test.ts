import { expect, test } from "vitest";
import { parseObject, sampleInput } from "./artifact-type.ts";

test("an input is suggested from the fields that a script declares", () => {
  expect(
    sampleInput({
      name: { type: "string" },
      size: { type: "enum", values: ["s", "m"] },
      any: { type: "any" },
    }),
  ).toEqual({ name: "", size: "s", any: null });
  expect(sampleInput(undefined)).toEqual({});
});

test("only objects are inputs", () => {
  expect([parseObject(""), parseObject("[]"), parseObject("{"), parseObject('{"a":1}')]).toEqual([
    {},
    undefined,
    undefined,
    { a: 1 },
  ]);
});
