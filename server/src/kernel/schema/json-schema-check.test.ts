import { expect, test } from "vitest";
import { checkAgainst, findUncheckedKeywords } from "./json-schema-check.ts";

/** Catastrophic backtracking on a text that almost matches. */
const ENDLESS = { pattern: "^(a+)+$" };
const ALMOST = `${"a".repeat(60)}!`;

/** All keywords with subschemas, including those of older drafts. */
const HOLDERS = (
  "additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems " +
  "unevaluatedProperties"
).split(" ");
const LISTS = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const MAPS = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"];

test("keywords can't introduce a pattern or reference, including library-specific keywords", () => {
  const parts: [string, unknown][] = [
    ...HOLDERS.map((name): [string, unknown] => [name, ENDLESS]),
    ...LISTS.map((name): [string, unknown] => [name, [ENDLESS, ENDLESS]]),
    ...[...MAPS, "properties"].map((name): [string, unknown] => [name, { a: ENDLESS, b: ENDLESS }]),
    ["$ref", "#"],
    ["$recursiveRef", "#"],
    ["$dynamicRef", "#"],
    ["~refine", [{}]],
  ];
  const schemas = parts.map(([name, part]) => ({ $defs: { a: ENDLESS }, [name]: part }));
  for (const schema of schemas) {
    for (const value of [ALMOST, [ALMOST, ALMOST], { a: ALMOST, b: ALMOST }]) {
      expect(checkAgainst(schema, value).length).toBeLessThanOrEqual(5);
    }
    const refused = findUncheckedKeywords(schema, "/s");
    expect(refused.length, JSON.stringify(schema)).toBeGreaterThan(0);
  }
});

test("counts lists, names and long texts that are compared with every value", () => {
  const members = Array.from({ length: 18_000 }, (_, index) => index);
  const many = Array.from({ length: 100_000 }, () => -1);
  const tooLarge = [{ path: "", message: "The value is too large to be validated." }];
  expect(checkAgainst({ items: { enum: members } }, many)).toEqual(tooLarge);
  expect(checkAgainst({ items: { required: members.map(String) } }, many)).toEqual(tooLarge);
  const lengths = { allOf: Array.from({ length: 1_900 }, () => ({ minLength: 9_999_999 })) };
  expect(checkAgainst(lengths, "é".repeat(1_000_000))).toEqual(tooLarge);
  const [refusal] = checkAgainst({ enum: members }, -1);
  expect(refusal?.message.length).toBeLessThan(600);
});

test("rejects schemas that cannot be checked: unknown forms or types, too many parts", () => {
  const wrong = {
    type: "strng",
    required: "name",
    properties: { name: { minLength: "3", anyOf: [] } },
    enum: {},
    title: "An annotation",
  };
  expect(findUncheckedKeywords(wrong).map(({ path }) => path)).toEqual([
    "/type",
    "/required",
    "/properties/name/minLength",
    "/properties/name/anyOf",
    "/enum",
  ]);
  const parts = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`p${at}`, {}]));
  expect(findUncheckedKeywords({ properties: parts })).toEqual([
    { path: "", message: "has more than 2000 parts" },
  ]);
  const fits = { type: ["object", "null"], properties: { a: { enum: [1, "b"] } }, required: ["a"] };
  expect(findUncheckedKeywords(fits)).toEqual([]);
  expect(checkAgainst(fits, { a: "b" })).toEqual([]);
  expect(checkAgainst(fits, {})).toEqual([{ path: "/a", message: "is required" }]);
});
