import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePattern, isPattern } from "./event-pattern.ts";
import { tries } from "#kernel/testing/thorough.ts";

describe("isPattern", () => {
  test.each([
    "*",
    "incident.created",
    "incident.*",
    "*.created",
    "*.*",
    "audit.*.created",
    "audit.token.*",
    "order-Placed.v2",
    "a",
    "a".repeat(200),
  ])("accepts %j", (text) => {
    expect(isPattern(text)).toBe(true);
  });

  test.each([
    "",
    ".",
    "incident.",
    ".created",
    "incident..created",
    "inc*",
    "incident.cre*",
    "**",
    "incident.**",
    "incident created",
    "incident.created\n",
    "incident/created",
    "inçident",
    "a".repeat(201),
  ])("rejects %j", (text) => {
    expect(isPattern(text)).toBe(false);
  });
});

describe("compilePattern", () => {
  test.each([
    ["*", "incident.created", true],
    ["*", "audit.token.created", true],
    ["*", "", true],
    ["incident.created", "incident.created", true],
    ["incident.created", "incident.createdx", false],
    ["incident.created", "incidentxcreated", false],
    ["incident.created", "Incident.created", false],
    ["incident.*", "incident.created", true],
    ["incident.*", "incident.comment.added", true],
    ["incident.*", "incident", false],
    ["incident.*", "incident.", false],
    ["incident.*", "incidents.created", false],
    ["incident.*", "change.incident.created", false],
    ["audit.*", "audit.token.created", true],
    ["audit.*.created", "audit.token.created", true],
    ["audit.*.created", "audit.created", false],
    ["audit.*.created", "audit.a.b.created", false],
    ["*.created", "incident.created", true],
    ["*.created", "audit.token.created", false],
    ["*.created", "created", false],
    ["*.*", "created", false],
    ["*.*", "audit.token.created", true],
  ])("%s matches %s: %s", (pattern, type, expected) => {
    expect(compilePattern([pattern])(type)).toBe(expected);
  });

  test("matches if any pattern matches, and never without patterns", () => {
    const matches = compilePattern(["change.*", "incident.created", "*.deleted"]);
    const types = ["change.closed", "incident.created", "record.deleted", "incident.closed"];
    expect(types.filter(matches)).toEqual(["change.closed", "incident.created", "record.deleted"]);
    expect(compilePattern([])("incident.created")).toBe(false);
  });

  test("rejects an invalid pattern", () => {
    expect(() => compilePattern(["ok", "no t"])).toThrow(TypeError);
  });

  const word = fc.stringMatching(/^[a-zA-Z0-9_-]{1,4}$/);
  const typeOf = (...words: readonly string[]): string => words.join(".");

  test("matches every name exactly and by its namespace", () => {
    const few = fc.constantFrom("a", "b", "*");
    const patterns = fc.array(few, { minLength: 1, maxLength: 4 });
    const types = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(patterns, types, (pattern, type) => {
        const tail = pattern.at(-1) === "*";
        const fits = tail ? type.length >= pattern.length : type.length === pattern.length;
        const same = pattern.every((one, index) => one === "*" || one === type[index]);
        expect(compilePattern([typeOf(...pattern)])(typeOf(...type))).toBe(fits && same);
      }),
      { numRuns: tries(1000) },
    );
  });

  test("agrees with a word-by-word comparison", () => {
    fc.assert(
      fc.property(word, fc.array(word, { minLength: 1, maxLength: 4 }), (first, rest) => {
        const type = typeOf(first, ...rest);
        expect(compilePattern([type])(type)).toBe(true);
        expect(compilePattern([`${first}.*`])(type)).toBe(true);
        expect(compilePattern([`${first}.*`])(first)).toBe(false);
      }),
    );
  });

  test("is fast for hostile texts", () => {
    const matches = compilePattern([Array.from({ length: 100 }, () => "*").join(".")]);
    expect(matches("a.".repeat(100_000))).toBe(false);
    expect(matches(`${"a.".repeat(100_000)}a`)).toBe(true);
  });
});
