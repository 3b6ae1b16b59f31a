import { expect, test } from "vitest";
import { firstInput, parseObject, sampleInput } from "./artifact-type.ts";

test("a sample input is generated from the fields that a script declares", () => {
  expect(
    sampleInput({
      name: { type: "string" },
      size: { type: "enum", values: ["s", "m"] },
      any: { type: "any" },
    }),
  ).toEqual({ name: "", size: "s", any: null });
  expect(sampleInput(undefined)).toEqual({});
});

test("a module is tested with its first exported function", () => {
  const module = (scriptSource: string) =>
    firstInput({
      artifactType: "script_module",
      detail: { scriptSource },
      definition: { id: null, kind: "artifact", inputs: {}, outputs: {} },
    });
  expect(module("const a = 1;\nexport async function greet() {}")).toEqual({
    export: "greet",
    arguments: [],
  });
  expect(module("export default 1;")).toMatchObject({ export: "default" });
});

test("only objects are valid inputs", () => {
  expect([parseObject(""), parseObject("[]"), parseObject("{"), parseObject('{"a":1}')]).toEqual([
    {},
    undefined,
    undefined,
    { a: 1 },
  ]);
});
