import fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "#kernel/testing/thorough.ts";
import { FELL_BACK } from "./compile.ts";
import { closure, NO_CLOSURE, reference } from "./testing/oracle.ts";

test("a closure has the result of JSONata, for any expression of the subset and any JSON", async () => {
  let closures = 0;
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(expressions, scopes, async (text, scope) => {
      const made = closure(text, scope);
      runs += 1;
      if (made === NO_CLOSURE || made === FELL_BACK) return;
      closures += 1;
      expect(made).toEqual(await reference(text, scope));
    }),
    { numRuns: tries(400, 10_000) },
  );
  // The test is only useful if most expressions have closures.
  expect(closures / runs).toBeGreaterThan(0.7);
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
      // After `[]` the package parses a slash as the start of a regular expression.
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
