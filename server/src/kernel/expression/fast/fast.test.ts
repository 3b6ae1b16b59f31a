import fc from "fast-check";
import jsonata from "jsonata";
import { describe, expect, test } from "vitest";
import { ExpressionFailure } from "../failure.ts";
import { parse } from "../parse.ts";
import { compileFast, HANDED_OVER } from "./compile.ts";

const NOW_MS = Date.parse("2026-02-03T04:05:06.789Z");

const SCOPE = {
  trigger: {
    input: {
      amount: 120,
      name: "Ada",
      empty: "",
      none: null,
      yes: true,
      tags: ["a", "b"],
      one: ["x"],
      no: [],
      nested: [[1, 2], [3]],
      items: [
        { id: 1, price: 2.5, tags: ["p"], in: { deep: [1] } },
        { id: 2, price: 0.1, tags: [], in: { deep: [2, 3] } },
        { id: 3, tags: ["q", "r"] },
      ],
      single: [{ id: 9 }],
      matrix: [[{ id: 1 }, { id: 2 }], [{ id: 3 }]],
      text: " a  b\tc ",
      emoji: "a😀b",
      at: "2026-01-01T00:00:00Z",
    },
  },
  secrets: { KEY: "s3cret" },
};

/** What the package itself makes of it: a value as JSON would have it, or a failure. */
async function reference(text: string, scope: unknown): Promise<unknown> {
  try {
    // A copy, since the package marks arrays and may even add to them.
    return normal(await jsonata(text).evaluate(structuredClone(scope)));
  } catch {
    return FAILED;
  }
}

function closure(text: string, scope: unknown): unknown {
  const run = compileFast(parse(text));
  if (!run) return NO_CLOSURE;
  try {
    const value = run(scope, NOW_MS);
    return value === HANDED_OVER ? HANDED_OVER : normal(value);
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionFailure);
    return FAILED;
  }
}

function normal(value: unknown): unknown {
  const json = JSON.stringify({ value }, (_key, part: unknown) => {
    if (typeof part === "number" && !Number.isFinite(part)) return "not a number of JSON";
    return Object.is(part, -0) ? 0 : part;
  });
  return JSON.parse(json).value;
}

const FAILED = Symbol("failed");
const NO_CLOSURE = Symbol("no closure");

describe("a closure gives what JSONata gives", () => {
  test.each([
    // Paths: through objects, over arrays, into arrays of arrays, to nothing.
    "trigger.input.amount",
    "trigger.input.nothing.at.all",
    "trigger.input.none.x",
    "trigger.input.tags",
    "trigger.input.one",
    "trigger.input.no",
    "trigger.input.items.id",
    "trigger.input.items.tags",
    "trigger.input.items.in.deep",
    "trigger.input.single.id",
    "trigger.input.matrix.id",
    "trigger.input.nested",
    "trigger.input.name.length",
    "trigger.input.items.price.x",
    "trigger.input.`amount`",
    'trigger."input".amount',
    "$.trigger.input.amount",
    "$$.trigger.input.tags",
    "$",
    // What objects inherit is not there.
    "trigger.constructor",
    "trigger.__proto__",
    "trigger.input.toString.name",
    "trigger.input.tags.length",
    // Filters.
    "trigger.input.tags[0]",
    "trigger.input.tags[-1]",
    "trigger.input.tags[5]",
    "trigger.input.tags[1.7]",
    "trigger.input.nothing[0]",
    "trigger.input.amount[0]",
    "trigger.input.items[0].tags",
    "trigger.input.items[price > 1]",
    "trigger.input.items[price > 1].id",
    "trigger.input.items[id = 2 or id = 3].tags",
    "trigger.input.items[tags].id",
    "trigger.input.items[id - 1].id",
    "trigger.input.items.tags[0]",
    "trigger.input.items.(tags[0])",
    "trigger.input.nested[0]",
    "trigger.input.nested[0][1]",
    "trigger.input.nested[1]",
    "trigger.input.nothing[id = 1]",
    "trigger.input.tags[[0, 1]]",
    "(trigger.input.items)[0].id",
    "trigger.input.items[id = 1][0].price",
    "trigger.input[amount > 100].name",
    // What `[]` keeps.
    "trigger.input.single.id[]",
    "trigger.input.items[id = 1][]",
    "trigger.input.amount[]",
    "trigger.input.nothing[]",
    "trigger.input.tags[]",
    "trigger[].input.name",
    '{"a": trigger.input.amount[]}.a',
    "($x := trigger.input.amount[]; $x)",
    "[trigger.input.amount[], 1]",
    // Operators.
    "trigger.input.amount > 100",
    "trigger.input.amount >= 120 and trigger.input.yes",
    "trigger.input.amount < 'x'",
    "trigger.input.nothing < 1",
    "trigger.input.yes < 1",
    "trigger.input.name < 'B'",
    "trigger.input.tags = ['a', 'b']",
    "trigger.input.items[0] = trigger.input.items[0]",
    "trigger.input.items[0] != trigger.input.items[1]",
    "{'a': 1, 'b': 2} = {'b': 2, 'a': 1}",
    "trigger.input.nothing = trigger.input.nothing",
    "trigger.input.nothing != 1",
    "null = trigger.input.none",
    "'a' in trigger.input.tags",
    "'c' in trigger.input.tags",
    "'a' in 'a'",
    "trigger.input.items[0] in trigger.input.items",
    "trigger.input.amount + 1 - 2 * 3 / 4 % 5",
    "trigger.input.amount + trigger.input.nothing",
    "trigger.input.amount + 'x'",
    "'x' * 2",
    "-trigger.input.amount",
    "-trigger.input.name",
    "-trigger.input.nothing",
    "0.1 + 0.2",
    "trigger.input.name & ' ' & trigger.input.amount & trigger.input.nothing & null & true",
    "trigger.input.items & (0.1 + 0.2)",
    "trigger.input.empty or trigger.input.no",
    "trigger.input.tags and {}",
    "trigger.input.amount > 100 ? 'big' : 'small'",
    "trigger.input.nothing ? 'x'",
    "trigger.input.empty ?: 'default'",
    "trigger.input.nothing ?? 'default'",
    "trigger.input.none ?? 'default'",
    // What is built.
    "[1, 2, trigger.input.nothing, [3], trigger.input.tags]",
    "[]",
    '{"a": trigger.input.amount, "b": {"c": trigger.input.nothing, "d": [1]}}',
    '{"b": 1, "1": 2, "a": 3, "0": 4}',
    '{"a": 1, "a": 2}',
    "{1: 2}",
    "{trigger.input.nothing: 1}",
    'trigger.input.items.{"x": id, "y": price * 2}',
    'trigger.input.tags.{"x": $}',
    "trigger.input.items.(price * 2)",
    "trigger.input.items.$string(id)",
    "trigger.input.tags.$uppercase()",
    "trigger.input.items.(id & '-' & $$.trigger.input.name)",
    // Variables.
    "($x := 1; $y := $x + 1; $x := $y * 10; $x + $y)",
    "($x := 1; ($x := 2; $x) + $x)",
    "($x := trigger.input.items; $x[0].id)",
    "($x := trigger.input.items; $x.id)",
    "trigger.input.items.($p := price; $p + 1)",
    "$undefined",
    "$undefined.a",
    "()",
    // Functions.
    "$string(trigger.input.amount)",
    "$string(trigger.input.items[0])",
    "$string(0.1 + 0.2)",
    "$string(trigger.input.nothing)",
    "$string(null)",
    "$number('12.50')",
    "$number('-1e3')",
    "$number(true)",
    "$number(null)",
    "$number(trigger.input.tags)",
    "$exists(trigger.input.nothing)",
    "$exists(trigger.input.none)",
    "$not(trigger.input.nothing)",
    "$not(trigger.input.no)",
    "$boolean(trigger.input.nested)",
    "$boolean([[], [0]])",
    "$uppercase(trigger.input.name)",
    "$uppercase(1)",
    "$uppercase(trigger.input.nothing)",
    "$lowercase('ÄÖ')",
    "$length(trigger.input.emoji)",
    "$length(trigger.input.tags)",
    "$trim(trigger.input.text)",
    "$count(trigger.input.items)",
    "$count(trigger.input.nothing)",
    "$count('x')",
    "$sum(trigger.input.items.price)",
    "$sum(trigger.input.no)",
    "$sum(trigger.input.tags)",
    "$sum(3)",
    "$max(trigger.input.items.id)",
    "$min(trigger.input.no)",
    "$average([1, 2, 4])",
    "$average([])",
    "$abs(-1.5)",
    "$floor(-1.5)",
    "$ceil(-1.5)",
    "$round(2.5)",
    "$round(3.5)",
    "$round(-0.4)",
    "$round(123.456, 2)",
    "$round(1e22, -1)",
    "$substring('hello', 1)",
    "$substring('hello', -3, 2)",
    "$substring('hello', -9, 2)",
    "$substring(trigger.input.emoji, 1, 1)",
    "$substring('hello', 1, 0)",
    "$substring(trigger.input.nothing, 1)",
    "$substringBefore('a-b', '-')",
    "$substringAfter('a-b', 'x')",
    "$contains('abc', 'b')",
    "$contains(trigger.input.nothing, 'b')",
    "$join(trigger.input.tags, ', ')",
    "$join('a')",
    "$split('a,b', ',')",
    "$split('ab', '')",
    "$keys(trigger.input.single[0])",
    "$keys({})",
    "$lookup(trigger.input, 'amount')",
    "$lookup(trigger.input, 'constructor')",
    "$append([1], 2)",
    "$append(trigger.input.nothing, 'x')",
    "$append(1, 2)",
    "$merge([{'a': 1}, {'b': 2, 'a': 3}])",
    "$merge([])",
    "$merge([1])",
    "$type(trigger.input.items)",
    "$type(null)",
    "$encodeUrlComponent('a b/ä')",
    "$toMillis('2026-01-01T00:00:00.000Z')",
    "$fromMillis(1767225600000)",
    "trigger.input.name ~> $uppercase()",
    "trigger.input.name ~> $substring(1)",
    "trigger.input.tags ~> $join('-')",
  ])("%s", async (text) => {
    expect(closure(text, SCOPE)).toEqual(await reference(text, SCOPE));
  });

  test("of any expression of the subset, over any JSON", async () => {
    let closures = 0;
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(expressions, scopes, async (text, scope) => {
        const made = closure(text, scope);
        runs += 1;
        if (made === NO_CLOSURE || made === HANDED_OVER) return;
        closures += 1;
        expect(made).toEqual(await reference(text, scope));
      }),
      { numRuns: 2_000 },
    );
    // It would prove little if most of them were left to the pool.
    expect(closures / runs).toBeGreaterThan(0.7);
  });
});

describe("what is odd or long is left to the pool", () => {
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
  ])("when it runs: %s", (text) => {
    expect(closure(text, SCOPE)).toBe(HANDED_OVER);
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
  ])("by its text: %s", (text) => {
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
  ])("when it takes too many steps: %#", (text) => {
    expect(closure(text, many)).toBe(HANDED_OVER);
  });

  test("but a long input alone is not too much", () => {
    const long = { a: Array.from({ length: 5_000 }, (_, id) => ({ id })) };
    expect(closure("$sum(a.id)", long)).toBe(12_497_500);
    expect(closure("a[id = 4999].id", long)).toBe(4_999);
  });
});

test("a closure tells the time that it was given", () => {
  expect(closure("$now()", {})).toBe("2026-02-03T04:05:06.789Z");
  expect(closure("$millis()", {})).toBe(NOW_MS);
});

test("a closure changes nothing of what it reads", () => {
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

test.each<[string, string, string | undefined, number]>([
  ["trigger.input.name + 1", "T2001", "+", 20],
  ["$uppercase(1)", "T0410", "$uppercase", 11],
  ["1 < 'a'", "T2009", "<", 3],
])("a failure of %s says where", (text, _code, token, position) => {
  const run = compileFast(parse(text));
  expect(() => run?.(SCOPE, NOW_MS)).toThrow(expect.objectContaining({ token, position }));
});

const NAMES = ["a", "b", "c", "constructor"];

const scopes = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 2.5, "", "a", "b", "12"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 3 }),
    ),
  })).value,
);

const expressions = fc.letrec<Record<"any" | "path" | "step" | "key", string>>((tie) => ({
  key: fc.oneof(fc.constantFrom('"a"', '"b"', '"c"'), tie("any")),
  step: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...NAMES),
    fc.constantFrom(...NAMES),
    fc
      .tuple(fc.constantFrom(...NAMES), fc.constantFrom("0", "-1", "1"))
      .map(([n, i]) => `${n}[${i}]`),
    fc.tuple(fc.constantFrom(...NAMES), tie("any")).map(([name, filter]) => `${name}[${filter}]`),
    fc.constantFrom(...NAMES).map((name) => `${name}[]`),
    tie("any").map((inner) => `(${inner})`),
    tie("any").map((inner) => `{"x": ${inner}}`),
    fc.constantFrom("$string()", "$boolean()", "$count($)", "$exists(a)"),
  ),
  path: fc
    .tuple(
      fc.oneof(fc.constantFrom(...NAMES, "$", "$$", "$v"), tie("step")),
      fc.array(tie("step"), { maxLength: 3 }),
    )
    .map(([first, rest]) => [first, ...rest].join(".")),
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie("path"),
    fc.constantFrom("0", "1", "2.5", '"a"', '"12"', "true", "false", "null", "$v", "$"),
    tie("path"),
    fc
      .tuple(
        tie("any"),
        fc.constantFrom(..."+ - * / % = != < <= > >= & and or in".split(" ")),
        tie("any"),
      )
      // After `[]` the package takes a slash for the beginning of a regular expression.
      .map(([left, sign, right]) => `((${left}) ${sign} ${right})`),
    tie("any").map((part) => `-(${part})`),
    fc.array(tie("any"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    fc
      .array(fc.tuple(tie("key"), tie("any")), { maxLength: 3 })
      .map((pairs) => `{${pairs.map(([key, value]) => `${key}: ${value}`).join(", ")}}`),
    fc.tuple(tie("any"), tie("any"), tie("any")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(tie("any"), fc.constantFrom("??", "?:"), tie("any"))
      .map((parts) => `(${parts.join(" ")})`),
    fc.tuple(tie("any"), tie("any")).map(([bound, used]) => `($v := ${bound}; ${used})`),
    fc.tuple(tie("any"), fc.constantFrom("0", "1", "-1")).map(([of, index]) => `(${of})[${index}]`),
    fc
      .tuple(
        fc.constantFrom(
          ..."string number exists not boolean uppercase length count sum max average round trim type keys merge join floor".split(
            " ",
          ),
        ),
        tie("any"),
      )
      .map(([name, of]) => `$${name}(${of})`),
    fc
      .tuple(
        fc.constantFrom(
          "append",
          "lookup",
          "contains",
          "split",
          "substring",
          "substringBefore",
          "round",
        ),
        tie("any"),
        tie("any"),
      )
      .map(([name, first, second]) => `$${name}(${first}, ${second})`),
  ),
})).any;
