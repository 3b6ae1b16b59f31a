import { describe, expect, test } from "vitest";
import Schema from "typebox/schema";
import { checkCondition, compileCondition, ConditionSchema, type Condition } from "./condition.ts";

const EVENT = {
  type: "incident.created",
  data: {
    severity: "high",
    impact: 3,
    open: true,
    closedAt: null,
    createdAt: "2026-07-01T10:00:00.000Z",
    title: "Mail is down",
    tags: ["mail", "urgent", null, { team: "ops" }],
    place: { city: "Bern", floors: [1, 2] },
    "0": "zero",
  },
};

describe("condition evaluation", () => {
  test.each<[Condition, boolean]>([
    [{}, true],
    [{ type: "incident.created" }, true],
    [{ type: "incident.closed" }, false],
    [{ "data.severity": "high", "data.impact": 3 }, true],
    [{ "data.severity": "high", "data.impact": 4 }, false],
    [{ "data.impact": { gt: 2, lt: 4 } }, true],
    [{ "data.impact": { gt: 2, lt: 3 } }, false],
    [{ and: [{ "data.impact": 3 }, { "data.open": true }] }, true],
    [{ and: [{ "data.impact": 3 }, { "data.open": false }] }, false],
    [{ or: [{ "data.impact": 1 }, { "data.open": true }] }, true],
    [{ or: [{ "data.impact": 1 }, { "data.open": false }] }, false],
    [{ not: { "data.impact": 1 } }, true],
    [{ not: {} }, false],
    [{ not: { not: { "data.impact": 3 } } }, true],
    [{ type: "incident.created", or: [{ "data.impact": 1 }, { not: { "data.open": 1 } }] }, true],
    [{ type: "incident.closed", or: [{ "data.impact": 3 }] }, false],
  ])("%j: %s", (condition, expected) => {
    expect(checkCondition(condition)).toEqual([]);
    expect(compileCondition(condition)(EVENT)).toBe(expected);
  });
});

describe("operators", () => {
  test.each<[string, unknown, boolean]>([
    // Equality compares type and value, recursively.
    ["data.impact", "3", false],
    ["data.impact", { eq: 3 }, true],
    ["data.open", 1, false],
    ["data.open", "true", false],
    ["data.place", { eq: { floors: [1, 2], city: "Bern" } }, true],
    ["data.place", { eq: { city: "Bern" } }, false],
    ["data.place", { eq: { city: "Bern", floors: [2, 1] } }, false],
    ["data.place", { eq: { city: "Bern", floors: { 0: 1, 1: 2 } } }, false],
    ["data.place", { eq: { city: "Bern", other: [1, 2] } }, false],
    ["data.place.floors", [1, 2], true],
    ["data.place.floors", [1, 2, 3], false],
    ["data.place.floors", [], false],
    ["data.severity", { ne: "low" }, true],
    ["data.severity", { ne: "high" }, false],
    // Null and missing are equal.
    ["data.closedAt", null, true],
    ["data.missing", null, true],
    ["data.severity", null, false],
    ["data.closedAt", { ne: null }, false],
    ["data.missing", { ne: null }, false],
    ["data.severity", { ne: null }, true],
    ["data.missing", { ne: "high" }, true],
    ["data.missing", { nin: ["high"] }, true],
    ["data.missing", { in: ["high", null] }, true],
    ["data.missing", { nin: ["high", null] }, false],
    ["data.severity", { exists: true }, true],
    ["data.severity", { exists: false }, false],
    ["data.closedAt", { exists: true }, false],
    ["data.missing", { exists: false }, true],
    ["data.missing.deeper", { exists: false }, true],
    // Lists.
    ["data.severity", { in: ["critical", "high"] }, true],
    ["data.severity", { in: ["critical"] }, false],
    ["data.impact", { in: ["3", true, [3], { a: 3 }] }, false],
    ["data.place", { in: [1, { city: "Bern", floors: [1, 2] }] }, true],
    ["data.severity", { nin: ["critical", "high"] }, false],
    // Order is defined only between two numbers or two texts.
    ["data.impact", { gt: 3 }, false],
    ["data.impact", { gte: 3 }, true],
    ["data.impact", { lt: 3.5 }, true],
    ["data.impact", { lte: 2 }, false],
    ["data.impact", { gt: "1" }, false],
    ["data.impact", { lte: "1" }, false],
    ["data.severity", { gt: 1 }, false],
    ["data.open", { gte: 0 }, false],
    ["data.closedAt", { lte: 0 }, false],
    ["data.missing", { lt: "z" }, false],
    ["data.tags", { gt: "" }, false],
    ["data.createdAt", { gte: "2026-07-01T10:00:00.000Z" }, true],
    ["data.createdAt", { gt: "2026-06-30T23:59:59.999Z" }, true],
    ["data.createdAt", { lt: "2026-06-30T23:59:59.999Z" }, false],
    // Texts and arrays.
    ["data.title", { contains: "is" }, true],
    ["data.title", { contains: "Is" }, false],
    ["data.title", { contains: "" }, true],
    ["data.title", { contains: 1 }, false],
    ["data.tags", { contains: "urgent" }, true],
    ["data.tags", { contains: "urg" }, false],
    ["data.tags", { contains: null }, true],
    ["data.tags", { contains: { team: "ops" } }, true],
    ["data.place", { contains: "Bern" }, false],
    ["data.missing", { contains: null }, false],
    ["data.title", { startsWith: "Mail", endsWith: "down" }, true],
    ["data.title", { startsWith: "mail" }, false],
    ["data.title", { endsWith: "Mail" }, false],
    ["data.tags", { startsWith: "mail" }, false],
    ["data.missing", { endsWith: "" }, false],
  ])("%s %j: %s", (path, value, expected) => {
    const condition = { [path]: value };
    expect(checkCondition(condition)).toEqual([]);
    expect(compileCondition(condition)(EVENT)).toBe(expected);
  });
});

describe("paths", () => {
  test.each([
    ["data.tags.1", "urgent"],
    ["data.tags.3.team", "ops"],
    ["data.place.floors.0", 1],
    ["data.0", "zero"],
  ])("reads %s", (path, value) => {
    expect(compileCondition({ [path]: value })(EVENT)).toBe(true);
  });

  test.each([
    "data.tags.4",
    "data.tags.-1",
    "data.tags.1.0",
    "data.tags.length",
    "data.title.length",
    "data.title.0",
    "data.toString",
    "data.hasOwnProperty",
    "data.tags.map",
    "data.impact.toFixed",
    "toString.name",
    "data.severity.high",
  ])("finds nothing at %s", (path) => {
    expect(compileCondition({ [path]: { exists: true } })(EVENT)).toBe(false);
  });

  test("finds nothing in a value that is not an object", () => {
    const missing = compileCondition({ "data.severity": { exists: false } });
    for (const subject of [undefined, null, 1, "data", true, [], ["data"], () => 1]) {
      expect(missing(subject)).toBe(true);
    }
  });
});

describe("checkCondition reports each error with its path", () => {
  const nested = (levels: number): unknown =>
    levels === 0 ? { type: "a" } : { not: nested(levels - 1) };

  test.each<[unknown, readonly string[]]>([
    [null, [""]],
    [undefined, [""]],
    ["type", [""]],
    [[], [""]],
    [{ and: {} }, ["/and"]],
    [{ and: [] }, ["/and"]],
    [{ or: [] }, ["/or"]],
    [{ or: [{ type: "a" }, 1, null] }, ["/or/1", "/or/2"]],
    [{ not: [] }, ["/not"]],
    [{ not: null }, ["/not"]],
    [{ "data.x": {} }, ["/data.x"]],
    [{ "data.x": { y: 1 } }, ["/data.x/y"]],
    [{ "data.x": { eq: 1, like: "a", $gt: 1 } }, ["/data.x/like", "/data.x/$gt"]],
    [{ "data.x": { toString: 1, constructor: 1 } }, ["/data.x/toString", "/data.x/constructor"]],
    [{ "data.x": { and: [{ y: 1 }] } }, ["/data.x/and"]],
    [{ "data.x": { in: [] } }, ["/data.x/in"]],
    [{ "data.x": { in: "abc", nin: { a: 1 } } }, ["/data.x/in", "/data.x/nin"]],
    [{ "data.x": { gt: true, gte: null, lt: [], lte: {} } }, ["gt", "gte", "lt", "lte"].map(at)],
    [{ "data.x": { startsWith: 1, endsWith: null } }, ["startsWith", "endsWith"].map(at)],
    [{ "data.x": { exists: "yes" } }, ["/data.x/exists"]],
    [{ "data.x": Number.NaN }, ["/data.x"]],
    [{ "data.x": { eq: Number.POSITIVE_INFINITY } }, ["/data.x/eq"]],
    [{ "data.x": undefined }, ["/data.x"]],
    [{ "data.x": { in: [1, undefined, 1n] } }, ["/data.x/in/1", "/data.x/in/2"]],
    [{ "": 1, ".": 1, "a.": 1, ".a": 1, "a..b": 1 }, ["/", "/.", "/a.", "/.a", "/a..b"]],
    [JSON.parse('{ "__proto__": 1, "a.__proto__.b": 1 }'), ["/__proto__", "/a.__proto__.b"]],
    [{ "a.constructor": 1, "prototype.a": 1 }, ["/a.constructor", "/prototype.a"]],
    [{ ["a".repeat(201)]: 1 }, [`/${"a".repeat(201)}`]],
    [{ "a/b~c.": 1 }, ["/a~1b~0c."]],
    [nested(7), []],
    [nested(8), ["/not/not/not/not/not/not/not/not"]],
    [nested(5000), ["/not/not/not/not/not/not/not/not"]],
    [{ a: [[[[[[[[]]]]]]]] }, []],
    [{ a: [[[[[[[[[]]]]]]]]] }, ["/a/0/0/0/0/0/0/0/0"]],
  ])("%#", (value, paths) => {
    const errors = checkCondition(value);
    expect(errors.map((error) => error.path)).toEqual(paths);
    for (const error of errors) expect(error.message).toMatch(/^(must|is) /);
  });

  function at(operator: string): string {
    return `/data.x/${operator}`;
  }

  test("limits the number of conditions and of errors", () => {
    const parts = (count: number, value: unknown): Condition =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, value]));
    expect(checkCondition(parts(200, 1))).toEqual([]);
    expect(checkCondition(parts(201, 1)).map((error) => error.path)).toEqual(["/a200"]);
    expect(checkCondition({ or: Array.from({ length: 101 }, () => ({ a: 1 })) })).toHaveLength(1);
    expect(checkCondition(parts(10_000, { nonsense: 1 }))).toHaveLength(201);
    expect(checkCondition({ and: Array.from({ length: 10_000 }, () => 1) })).toHaveLength(201);
  });

  test("limits the number of values", () => {
    const list = (length: number): Condition => ({ id: { in: Array.from({ length }, () => "a") } });
    expect(checkCondition(list(1999))).toEqual([]);
    expect(checkCondition(list(100_000)).map((error) => error.path)).toEqual(["/id/in/1999"]);
  });

  test("compileCondition rejects each of them", () => {
    expect(() => compileCondition({ a: { like: "b" } })).toThrow("Not a condition: /a/like");
  });
});

test("the API schema accepts any object and nothing else", () => {
  expect(Schema.Compile(ConditionSchema).Check({ a: { in: [1] }, not: { b: null } })).toBe(true);
  expect(Schema.Compile(ConditionSchema).Check([])).toBe(false);
  expect(Schema.Compile(ConditionSchema).Check("a")).toBe(false);
});
