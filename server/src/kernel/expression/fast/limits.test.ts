import { describe, expect, test } from "vitest";
import { parse } from "../parse.ts";
import { compileFast, FELL_BACK } from "./compile.ts";
import { closure, NO_CLOSURE, NOW_MS, SCOPE } from "./testing/oracle.ts";

describe("unusual or long evaluations fall back to the pool", () => {
  test.each([
    "[] = {'length': 0}",
    "1 / 0",
    "1 / 0 > 5",
    "$number('0x1F')",
    "$number('x')",
    "$join([1])",
    "$toMillis('yesterday')",
    "$substring(1, 2)",
    '{"__proto__": 1}',
    '{"_jsonata_lambda": true}',
    'trigger.input.matrix.{"x": id}',
    "$keys(trigger.input.items)",
  ])("at run time: %s", (text) => {
    expect(closure(text, SCOPE)).toBe(FELL_BACK);
  });

  test.each([
    "$map(trigger.input.tags, $uppercase)",
    "trigger.input.items.*",
    "**.id",
    "trigger.input.items^(price)",
    "trigger.input.items{$string(id): price}",
    "[1..3]",
    "/a/('a')",
    "function($x){ $x }(1)",
    "$ ~> |trigger|{'a': 1}|",
    "trigger.input.items.[id]",
    "trigger.input.items@$i.id",
    "trigger.input.%.input",
    "$pad('a', 5)",
    "$string($, true)",
    "$now('[Y]')",
    "$uppercase",
    "($uppercase := 1; $uppercase('a'))",
    "($$ := 1; $$)",
    "$x := 1",
    "$substring('a')",
  ])("because of the text: %s", (text) => {
    expect(closure(text, SCOPE)).toBe(NO_CLOSURE);
  });

  const many = { a: Array.from({ length: 300 }, (_, id) => ({ id, text: "x".repeat(50) })) };

  test.each([
    "$$.a.($$.a.($$.a.id))",
    "a[$$.a[$$.a.id = 1].id = 1].id",
    "$string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($) & $string($)",
    `(${Array.from({ length: 40 }, (_, n) => `$x${n} := ${n === 0 ? '"ab"' : `$x${n - 1} & $x${n - 1}`};`).join(" ")} $x39)`,
    `(${Array.from({ length: 40 }, (_, n) => `$x${n} := ${n === 0 ? "[1]" : `$append($x${n - 1}, $x${n - 1})`};`).join(" ")} $x39)`,
    `(${Array.from({ length: 40 }, (_, n) => `$x${n} := ${n === 0 ? "[1]" : `[$x${n - 1}, $x${n - 1}]`};`).join(" ")} $x39)`,
  ])("after too many steps: %#", (text) => {
    expect(closure(text, many)).toBe(FELL_BACK);
  });

  test("evaluates a long input on the main thread if the work is small", () => {
    const long = { a: Array.from({ length: 5_000 }, (_, id) => ({ id })) };
    expect(closure("$sum(a.id)", long)).toBe(12_497_500);
    expect(closure("a[id = 4999].id", long)).toBe(4_999);
  });
});

test("a closure uses the time of the evaluation context", () => {
  expect(closure("$now()", {})).toBe("2026-02-03T04:05:06.789Z");
  expect(closure("$millis()", {})).toBe(NOW_MS);
});

test("a closure does not change its scope", () => {
  const scope = structuredClone(SCOPE);
  for (const text of [
    "trigger.input.no[]",
    "trigger.input.tags[]",
    "$append(trigger.input.no, 1)",
  ]) {
    closure(text, scope);
  }
  expect(scope).toEqual(SCOPE);
});

test.each<[string, string, number]>([
  ["trigger.input.name + 1", "+", 20],
  ["$uppercase(1)", "$uppercase", 11],
  ["1 < 'a'", "<", 3],
])("a failure of %s says where", (text, token, position) => {
  const run = compileFast(parse(text));
  expect(() => run?.(SCOPE, NOW_MS)).toThrow(expect.objectContaining({ token, position }));
});
