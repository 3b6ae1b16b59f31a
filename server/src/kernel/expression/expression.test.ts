import { isFunctionName } from "./function-names.ts";
import { functionSignatures } from "./function-signatures.ts";
import { afterAll, describe, expect, test } from "vitest";
import { checkExpression, compileExpression, type EvaluationContext } from "./expression.ts";
import { ExpressionError } from "./expression-failure.ts";
import { ExpressionPool } from "./pool/pool.ts";

const pool = new ExpressionPool({ timeLimitMs: 20_000 });
afterAll(() => pool.close());

const NOW_MS = Date.parse("2026-02-03T04:05:06.789Z");
const EVALUATION: EvaluationContext = { pool, key: "acme", nowMs: NOW_MS };

async function evaluate(text: string, scope: unknown, more: Partial<EvaluationContext> = {}) {
  return compileExpression(text).evaluate(scope, { ...EVALUATION, ...more });
}

async function failureOf(text: string, scope: unknown): Promise<ExpressionError> {
  const failure = await evaluate(text, scope).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ExpressionError);
  return failure as ExpressionError;
}

/** Writes the expression in a form that only the pool evaluates. */
function slowly(text: string): string {
  return `function(){ ${text} }()`;
}

test("evaluates common expressions synchronously and others in the pool", async () => {
  const scope = { trigger: { input: { amount: 120 } } };
  expect(compileExpression("trigger.input.amount > 100").evaluate(scope, EVALUATION)).toBe(true);
  const text = "$map([1, 2], function($n){ $n * trigger.input.amount })";
  const promise = compileExpression(text).evaluate(scope, EVALUATION);
  expect(promise).toBeInstanceOf(Promise);
  expect(await promise).toEqual([120, 240]);
});

describe("both evaluations give the same result", () => {
  test.each<[string, unknown]>([
    ["a.b", 1],
    ["a", { b: 1 }],
    ["a.constructor", undefined],
    ["a.__proto__", undefined],
    ["$constructor", undefined],
    ["list", [1, [2], { c: null }]],
    ["{'x': nothing, 'y': [nothing], 'z': list[2]}", { y: [], z: { c: null } }],
    ["$now()", "2026-02-03T04:05:06.789Z"],
    ["$millis()", NOW_MS],
    ["0 * -1", 0],
    ["$toMillis('2026-01-01T00:00:00')", new Date(2026, 0, 1).getTime()],
  ])("%s", async (text, expected) => {
    const scope = { a: { b: 1 }, list: [1, [2], { c: null }] };
    expect(await evaluate(text, scope)).toEqual(expected);
    expect(await evaluate(slowly(text), scope)).toEqual(expected);
  });

  test.each<[string, string, string]>([
    ["secret + 1", "evaluation", "The left side of + must be a number."],
    ["secret < 1", "evaluation", "Both sides of < must be of the same type."],
    ["$uppercase(list)", "evaluation", "$uppercase has an argument of the wrong type"],
    ["{secrets: 1}", "evaluation", "A key of an object must be a string."],
    ["$number(secret)", "evaluation", "The value can't be converted to a number."],
    ["1 / 0", "evaluation", "A number is out of range."],
    ["{'a': [1 / 0]}", "evaluation", "A number is out of range."],
    ["-secret", "evaluation", "Only a number can be negated."],
  ])("and fail alike: %s", async (text, code, message) => {
    const scope = { secret: "s3cret", secrets: { a: "s3cret" }, list: ["s3cret"] };
    for (const way of [text, slowly(text)]) {
      const failure = await failureOf(way, scope);
      expect(failure).toMatchObject({ code });
      expect(failure.message).toContain(message);
    }
  });
});

test("a failure never reveals a value of the scope", async () => {
  const scope = { s: "s3cret-value", o: { "s3cret-value": 1 } };
  const texts = [
    "$error('failed with ' & s)",
    "$assert(false, s)",
    "$toMillis(s)",
    "$fromMillis(1, '[' & s)",
    "$formatBase(10, 99)",
    "$formatNumber(1, '#' & s & '#')",
    "$decodeUrl('%' & s)",
    "$number(s)",
    "$sum([s])",
    "$sort([s, 1])",
    "[s, 1]^($)",
    "{o: 1}",
    "{s: 1, 's3cret-' & 'value': 2}",
    "s()",
    "s(1)",
    "s(?)",
    "$map([1], s)",
    "$reduce([1, 2], function($a){ s })",
    "s ~> s",
    "o ~> |$|[s]|",
    "o ~> |$|{}, 1|",
    "[1..s]",
    "$single([s, s], function($x){ $x = s })",
    "$replace(s, /x*/, 's')",
    "$match(s, function($x){ s })",
    "s + 1",
    "$sqrt(-1)",
    "$power(10, 400)",
    "$spread($lookup(o, s)).x()",
  ];
  for (const text of texts) {
    const failure = await failureOf(text, scope);
    expect(failure.code, text).toBe("evaluation");
    const told = [failure.message, failure.token, failure.stack, failure.path].join();
    expect(told.replaceAll(text, ""), text).not.toContain("s3cret-value");
  }
});

test("reports the message of $error", async () => {
  const scope = { amount: -1 };
  const text = "amount < 0 ? $error('amount must not be negative') : amount";
  expect(await failureOf(text, scope)).toMatchObject({
    code: "evaluation",
    message: "amount must not be negative",
    token: "$error",
    position: 20,
  });
});

describe("the scope", () => {
  test("accepts any JSON value, and variables can be bound", async () => {
    expect(await evaluate("$", [1, 2])).toEqual([1, 2]);
    expect(await evaluate("$sum($)", [1, 2])).toBe(3);
    expect(await evaluate("$ + $by", 2, { bindings: { by: 3 } })).toBe(5);
    expect(await evaluate("$sum(by)", { by: 1 }, { bindings: { sum: 3 } }).catch(String)).toContain(
      "$sum is not a function",
    );
    expect(await evaluate("$exists($)", undefined)).toBe(false);
    expect(await evaluate("$string(a, true)", undefined)).toBeUndefined();
  });

  test("sends only the parts that are read to the pool", async () => {
    const trap = {
      toJSON: () => {
        throw new Error("This is not read.");
      },
    };
    const scope = {
      trigger: trap,
      secrets: { A: "a", B: trap },
      steps: { one: { output: 1 }, two: trap },
    };
    expect(await evaluate(slowly("secrets.A & steps.one.output & item"), scope)).toBe("a1");
    await expect(evaluate(slowly("$keys(steps)"), scope)).rejects.toThrow("This is not read.");
  });

  test("an object that looks like a JSONata function is not called", async () => {
    const body = { type: "string", value: "owned" };
    const scope = {
      f: { _jsonata_lambda: true, arguments: [{ value: "x" }], body, x: 1 },
      g: { _jsonata_function: true, implementation: "x", y: 2 },
    };
    expect(await evaluate("f.x + g.y", scope)).toBe(3);
    expect(await evaluate(slowly("f.x + g.y"), scope)).toBe(3);
    expect(await failureOf("f(?)(1)", scope)).toMatchObject({ code: "evaluation" });
    expect(await failureOf("g(1)", scope)).toMatchObject({ code: "evaluation" });
  });
});

test("reports a syntax error", () => {
  expect(() => compileExpression("1 +")).toThrow(
    expect.objectContaining({ code: "syntax", position: 3 }),
  );
  expect(() => compileExpression("$eval('1')")).toThrow("The function $eval does not exist.");
  expect(checkExpression("secrets.A").references.secrets).toEqual(["A"]);
});

test("caches compiled expressions", () => {
  const text = "trigger.input.amount + 41";
  expect(compileExpression(text).references).toBe(compileExpression(text).references);
});

test("completion offers exactly the existing functions", () => {
  const names = functionSignatures.map(({ name }) => name.slice(1));
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !isFunctionName(name))).toEqual([]);
  expect(names).toHaveLength(64);
});
