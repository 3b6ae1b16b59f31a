import { describe, expect, test } from "vitest";
import { compileCondition } from "./condition.ts";
import type { ConditionFieldKind } from "./sql.ts";
import { toTypedCondition } from "./typed-condition.ts";

const KINDS = new Map<string, ConditionFieldKind>([
  ["title", "text"],
  ["count", "number"],
  ["open", "boolean"],
  ["at", "time"],
  ["day", "date"],
  ["tags", "texts"],
  ["extra", "json"],
]);
const kindOf = (name: string) => KINDS.get(name);

describe("converts operands to the format of records", () => {
  test.each([
    [{ at: "2026-01-31T10:00:00+01:00" }, { at: "2026-01-31T09:00:00.000Z" }],
    [{ at: { gte: "2026-01-31" } }, { at: { gte: "2026-01-31T00:00:00.000Z" } }],
    [{ at: { in: [null, "2026-01-31"] } }, { at: { in: [null, "2026-01-31T00:00:00.000Z"] } }],
    [
      { not: { or: [{ at: { ne: "2026-01-31T09:00:00.123456Z" } }, { open: true }] } },
      { not: { or: [{ at: { ne: "2026-01-31T09:00:00.123Z" } }, { open: true }] } },
    ],
    [{}, {}],
  ])("%j", (condition, typed) => {
    expect(toTypedCondition(condition, kindOf)).toEqual({ condition: typed });
  });

  test.each([
    { title: { gt: "a", contains: "b" }, count: { lte: 1.5 }, open: null, day: "2024-02-29" },
    { at: { startsWith: "2026-01" }, day: { endsWith: "-31" } },
    { tags: ["a", "b"], "tags.0": "a", and: [{ tags: { contains: "b", in: [["c"], null] } }] },
    { extra: { eq: { a: [1] } }, "extra.a.0": { gt: 1, contains: { b: null } } },
    { count: { exists: false, ne: null, nin: [1, null] } },
  ])("accepts the canonical form %j", (condition) => {
    expect(toTypedCondition(condition, kindOf)).toEqual({ condition });
  });
});

describe("rejects operands of the wrong type and reports the path", () => {
  test.each([
    [{ nothing: 1, or: [{ open: true }, { "no.thing": 1 }] }, ["/nothing", "/or/1/no.thing"]],
    [{ "title.a": 1, "tags.a": "b", "tags.0.0": "b" }, ["/title.a", "/tags.a", "/tags.0.0"]],
    [{ title: 1, count: "1", open: 0, day: "2026-02-30" }, ["/title", "/count", "/open", "/day"]],
    [{ day: "2026-01-31T00:00:00Z", at: "yesterday" }, ["/day", "/at"]],
    [{ at: { gt: "9999-12-31T23:59:59-14:00" } }, ["/at/gt"]],
    [{ title: { in: ["a", 1, null, ["b"]] } }, ["/title/in/1", "/title/in/3"]],
    [{ count: { contains: 1, startsWith: "1" } }, ["/count/contains", "/count/startsWith"]],
    [
      { open: { gt: 1 }, tags: { lt: "a", endsWith: "b" } },
      ["/open/gt", "/tags/lt", "/tags/endsWith"],
    ],
    [{ tags: "a", and: [{ tags: { in: ["a"] } }] }, ["/tags", "/and/0/tags/in/0"]],
    [{ title: { contains: null } }, ["/title/contains"]],
    [{ title: "a\0", "extra.\ud800": 1 }, ["/title", "/extra.\ud800"]],
    [{ extra: { eq: { a: ["\udc00"] }, contains: { "\0": 1 } } }, ["/extra/eq", "/extra/contains"]],
    [{ title: { like: "a" } }, ["/title/like"]],
    [[], [""]],
  ])("%j", (condition, paths) => {
    const typed = toTypedCondition(condition, kindOf);
    expect("errors" in typed && typed.errors.map(({ path }) => path)).toEqual(paths);
  });
});

describe("placeholders for the caller", () => {
  const rule = {
    title: "$user",
    extra: { ne: "$user.id" },
    or: [{ title: { in: "$user.roles" } }],
  };

  test("are accepted in a rule", () => {
    expect(toTypedCondition(rule, kindOf, { users: true })).toEqual({ condition: rule });
    const lists = { tags: "$user.roles", "extra.a": { in: "$user.roles" } };
    expect(toTypedCondition(lists, kindOf, { users: true })).toEqual({ condition: lists });
  });

  test("are accepted only for matching fields and known names", () => {
    const typed = toTypedCondition(
      {
        title: { eq: "$user.roles", ne: "$user.email", in: ["$user.id", "$user.roles"] },
        count: { in: "$user.roles", eq: "$user.id" },
        tags: { contains: "$user.id", eq: "$user" },
      },
      kindOf,
      { users: true },
    );
    expect("errors" in typed && typed.errors.map(({ path }) => path)).toEqual([
      "/title/eq",
      "/title/ne",
      "/title/in/1",
      "/count/in",
      "/count/eq",
      "/tags/eq",
    ]);
  });

  test("are plain texts in other conditions", () => {
    expect(toTypedCondition({ title: "$user.id" }, kindOf)).toEqual({
      condition: { title: "$user.id" },
    });
    expect(toTypedCondition({ title: { in: "$user.roles" } }, kindOf)).toHaveProperty("errors");
  });
});

test("orders texts by code points", () => {
  const above = (operand: string) => compileCondition({ title: { gt: operand } });
  expect(above("\uffee")({ title: "😀" })).toBe(true);
  expect(above("😀")({ title: "\uffee" })).toBe(false);
  expect(above("😀")({ title: "😁" })).toBe(true);
  expect(above("a")({ title: "ab" })).toBe(true);
});
