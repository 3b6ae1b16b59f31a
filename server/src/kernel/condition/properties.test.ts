import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tries } from "#kernel/testing/thorough.ts";
import { checkCondition, compileCondition, type Condition } from "./condition.ts";

// Few names and values, so that paths often match properties and operands often match values.
const name = fc.constantFrom("a", "b", "0", "1");
const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1.5, "", "a", "ab", "b", "1"),
  fc.integer({ min: -2, max: 2 }),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const subject = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true });
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((words) => words.join("."));
const text = fc.constantFrom("", "a", "ab", "b");
const ordered = fc.oneof(text, fc.integer({ min: -2, max: 2 }));
const list = fc.array(value, { minLength: 1, maxLength: 4 });
const operands: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  eq: value,
  ne: value,
  in: list,
  nin: list,
  gt: ordered,
  gte: ordered,
  lt: ordered,
  lte: ordered,
  contains: value,
  startsWith: text,
  endsWith: text,
  exists: fc.boolean(),
};
const operator = fc.oneof(
  ...Object.entries(operands).map(([key, operand]) => fc.tuple(fc.constant(key), operand)),
);
const operators = fc
  .uniqueArray(operator, { selector: ([key]) => key, minLength: 1, maxLength: 2 })
  .map((entries) => Object.fromEntries(entries));
const literal = value.filter((made) => !isRecord(made));
const paths = fc.dictionary(path, fc.oneof(literal, operators), {
  maxKeys: 2,
  noNullPrototype: true,
});
const { condition } = fc.letrec<{ condition: Condition }>((tie) => {
  const parts = fc.array(tie("condition"), { minLength: 1, maxLength: 3 });
  const combined = fc.oneof(
    fc.record({ and: parts }),
    fc.record({ or: parts }),
    fc.record({ not: tie("condition") }),
  );
  const both = fc.tuple(paths, combined).map(([one, other]) => ({ ...one, ...other }));
  return { condition: fc.oneof({ maxDepth: 2 }, paths, both) };
});

function isRecord(made: unknown): made is Record<string, unknown> {
  return typeof made === "object" && made !== null && !Array.isArray(made);
}

/** A second, naive implementation of the semantics: equality by text, no compilation. */
function holds(made: Condition, of: unknown): boolean {
  return Object.entries(made).every(([key, what]: [string, any]) => {
    if (key === "and") return what.every((part: Condition) => holds(part, of));
    if (key === "or") return what.some((part: Condition) => holds(part, of));
    if (key === "not") return !holds(what, of);
    const found = find(of, key.split("."));
    if (!isRecord(what)) return applies("eq", found, what);
    return Object.entries(what).every(([operator, operand]) => applies(operator, found, operand));
  });
}

function find(of: any, [first, ...rest]: string[]): unknown {
  if (first === undefined) return of ?? null;
  if (typeof of !== "object" || of === null) return null;
  return Object.keys(of).includes(first) ? find(of[first], rest) : null;
}

function applies(operator: string, found: any, operand: any): boolean {
  const comparable =
    typeof found === typeof operand && (typeof found === "number" || typeof found === "string");
  switch (operator) {
    case "eq":
      return canonical(found) === canonical(operand);
    case "ne":
      return canonical(found) !== canonical(operand);
    case "in":
      return operand.map(canonical).includes(canonical(found));
    case "nin":
      return !operand.map(canonical).includes(canonical(found));
    case "gt":
      return comparable && found > operand;
    case "gte":
      return comparable && found >= operand;
    case "lt":
      return comparable && found < operand;
    case "lte":
      return comparable && found <= operand;
    case "contains":
      if (typeof found === "string") return typeof operand === "string" && found.includes(operand);
      return Array.isArray(found) && found.map(canonical).includes(canonical(operand));
    case "startsWith":
      return typeof found === "string" && found.slice(0, operand.length) === operand;
    case "endsWith":
      return typeof found === "string" && found.slice(found.length - operand.length) === operand;
    default:
      return operand === (found !== null);
  }
}

function canonical(made: unknown): string {
  return JSON.stringify(made, (_key, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

describe("for all conditions and subjects", () => {
  test("a compiled condition agrees with a naive evaluation", () => {
    let held = 0;
    const check = fc.property(condition, subject, (made, of) => {
      expect(checkCondition(made)).toEqual([]);
      const expected = holds(made, of);
      held += expected ? 1 : 0;
      expect(compileCondition(made)(of)).toBe(expected);
    });
    const numRuns = tries(1_000, 20_000);
    fc.assert(check, { numRuns });
    // The samples are only useful if both results are frequent.
    expect(held).toBeGreaterThan(numRuns / 10);
    expect(held).toBeLessThan(numRuns * 0.9);
  });

  test("not inverts the result", () => {
    fc.assert(
      fc.property(condition, subject, (made, of) => {
        expect(compileCondition({ not: made })(of)).toBe(!compileCondition(made)(of));
      }),
    );
  });

  test("ne negates eq, nin negates in, and exists: false negates exists: true", () => {
    fc.assert(
      fc.property(path, value, list, subject, (at, operand, members, of) => {
        const truth = (what: object): boolean => compileCondition({ [at]: what })(of);
        expect(truth({ ne: operand })).toBe(!truth({ eq: operand }));
        expect(truth({ nin: members })).toBe(!truth({ in: members }));
        expect(truth({ exists: false })).toBe(!truth({ exists: true }));
        expect(truth({ in: members })).toBe(members.some((member) => truth({ eq: member })));
      }),
    );
  });

  test("checking never throws for JSON, and a valid condition compiles and runs", () => {
    const keys = fc.oneof(fc.string(), fc.constantFrom("and", "or", "not", "a.b", "in", "eq"));
    const json = fc.oneof(
      fc.jsonValue(),
      fc.object({ key: keys, maxDepth: 6, values: [fc.jsonValue({ maxDepth: 1 })] }),
    );
    fc.assert(
      fc.property(json, fc.jsonValue(), (made, of) => {
        const errors = checkCondition(made);
        for (const error of errors) expect(error.path).toMatch(/^(\/|$)/);
        if (errors.length > 0 || !isRecord(made)) return;
        expect(compileCondition(made)(of)).toBeTypeOf("boolean");
      }),
      { numRuns: tries(1000) },
    );
  });
});
