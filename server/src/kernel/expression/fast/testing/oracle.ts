import jsonata from "jsonata";
import { expect } from "vitest";
import { ExpressionError } from "../../expression-failure.ts";
import { parse } from "../../parse.ts";
import { compileFast, FELL_BACK } from "../compile.ts";

/** The time of all evaluations in these tests. */
export const NOW_MS = Date.parse("2026-02-03T04:05:06.789Z");

/** The scope of the evaluations. */
export const SCOPE = {
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

/** The result of the jsonata package as JSON, or a failure. */
export async function reference(text: string, scope: unknown): Promise<unknown> {
  try {
    // A copy, because the package marks arrays and may even add to them.
    return normal(await jsonata(text).evaluate(structuredClone(scope)));
  } catch {
    return FAILED;
  }
}

/** The result of the closure. */
export function closure(text: string, scope: unknown): unknown {
  const run = compileFast(parse(text));
  if (!run) return NO_CLOSURE;
  try {
    const value = run(scope, NOW_MS);
    return value === FELL_BACK ? FELL_BACK : normal(value);
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError);
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

/** The error messages differ, so failures are compared by this symbol. */
export const FAILED = Symbol("failed");
/** The expression is not in the subset. */
export const NO_CLOSURE = Symbol("no closure");
