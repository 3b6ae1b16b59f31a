import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const evaluate = (expression: string, input?: unknown, bindings?: object) =>
  owner("POST /api/v1/transformer/evaluate", {
    expression,
    ...(input !== undefined && { input }),
    ...(bindings && { bindings }),
  });

const ORDER = {
  lines: [
    { price: 3, quantity: 2 },
    { price: 5, quantity: 1 },
  ],
  customer: "Ada",
};

test.each<[string, unknown, object | undefined, unknown]>([
  ["$sum(lines.(price * quantity))", ORDER, undefined, 11],
  ["$sum(lines.(price * quantity)) * $rate", ORDER, { rate: 2 }, 22],
  ["lines[price > 4].quantity", ORDER, undefined, 1],
  ["customer", ORDER, undefined, "Ada"],
  ["nothing.here", ORDER, undefined, null],
  ["$", undefined, undefined, null],
  ["$[1]", [1, 2, 3], undefined, 2],
  ["$count($)", [1, 2, 3], undefined, 3],
  ['{ "who": customer, "all": $names }', ORDER, { names: ["x"] }, { who: "Ada", all: ["x"] }],
  ["($f := function($n) { $n <= 1 ? 1 : $n * $f($n - 1) }; $f(5))", null, undefined, 120],
  ["$uppercase($who)", {}, { who: "x" }, "X"],
])("%s", async (expression, input, bindings, result) => {
  const answer = await evaluate(expression, input, bindings);
  expect(answer).toMatchObject({ status: 200, events: [] });
  expect(answer.body).toEqual({ data: { result } });
});

test("$now is the time of the platform", async () => {
  world.clock.advance(86_400_000);
  const { body } = await evaluate("$millis()");
  expect(Math.abs(body.data.result - world.clock.nowMs())).toBeLessThan(60_000);
});

test.each([
  ["lines[", 6],
  ["a + ", 4],
  ["$nosuch(1)", 0],
  ["$eval('1')", 0],
])("rejects %s with its position", async (expression, position) => {
  const { status, body } = await evaluate(expression, ORDER);
  expect({ status, code: body.code }).toEqual({ status: 422, code: "invalid" });
  expect(body.errors).toEqual([
    { path: "/expression", message: expect.any(String), position: expect.any(Number) },
  ]);
  expect(body.errors[0].position).toBeGreaterThanOrEqual(position);
  expect(body.errors[0].position).toBeLessThanOrEqual(expression.length);
});

test("reports the position of an evaluation error without the values", async () => {
  const { status, body } = await evaluate("1 + $uppercase(secret) + 2", { secret: "planted-71" });
  expect({ status, code: body.code }).toEqual({ status: 422, code: "expression_failed" });
  expect(body.errors[0]).toMatchObject({ path: "/expression", position: expect.any(Number) });
  expect(JSON.stringify(body)).not.toContain("planted");
});

test.each([
  "($f := function($n) { $f($n) }; $f(1))",
  "$sum([1..9999999].($ * $))",
  '$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)',
])("%s ends itself, and other requests are served in the meantime", async (expression) => {
  const runaway = evaluate(expression);
  expect((await evaluate("1 + 1")).body.data.result).toBe(2);
  expect((await owner("GET /api/v1/workspaces/me")).status).toBe(200);
  const { status, body } = await runaway;
  expect(status).toBe(422);
  expect(["expression_timed_out", "expression_too_large"]).toContain(body.code);
});

test("an endless expression times out", async () => {
  const { body } = await evaluate("($f := function() { $f() }; $f())");
  expect(body).toMatchObject({
    status: 422,
    code: "expression_timed_out",
    errors: [{ path: "/expression" }],
  });
});

test("rejects an input or result that is too large", async () => {
  const bomb = await evaluate('$pad("x", 1200000)');
  expect(bomb.body.code).toBe("expression_too_large");
  expect((await evaluate("x".repeat(10_001))).body.errors[0].path).toBe("/expression");
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`n${n}`, n]));
  expect((await evaluate("1", {}, many)).status).toBe(422);
  expect((await evaluate("1", {}, { "not a name": 1 })).status).toBe(422);
});

test("a join at the root reads the whole input, and base64 uses UTF-8", async () => {
  const input = {
    Employee: [{ SSN: "1", FirstName: "F" }],
    Contact: [{ ssn: "1", Phone: 7 }],
    secrets: 1,
  };
  const join = `Employee@$e.Contact@$c[$c.ssn = $e.SSN].{"n": $e.FirstName, "p": $c.Phone}`;
  expect((await evaluate(join, input)).body.data.result).toEqual({ n: "F", p: 7 });
  // The input belongs to the caller, so none of it is hidden.
  const keys = await evaluate("$sort($keys($$))", input);
  expect(keys.body.data.result).toEqual(["Contact", "Employee", "secrets"]);
  const encoded = await evaluate("[$base64encode('€'), $base64encode('ü'), $base64decode('w7w=')]");
  expect(encoded.body.data.result).toEqual(["4oKs", "w7w=", "ü"]);
});

test("bindings do not affect later evaluations", async () => {
  const bent = await evaluate("$sum([1,2])", {}, { sum: 7, string: null, lookup: 1 });
  expect(bent.status).toBe(422);
  expect((await evaluate("$sum([1,2]) & ''", {})).body.data.result).toBe("3");
});
