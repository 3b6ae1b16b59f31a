import { describe, expect, test } from "vitest";
import { ExpressionError } from "./expression-failure.ts";
import { parse } from "./parse.ts";

function refusal(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ExpressionError && error.code === "syntax") return error.message;
    throw error;
  }
  return "none";
}

describe("rejects a hostile text quickly", () => {
  test.each([
    ["very long", "1".repeat(10_001), "is longer than 10000 characters"],
    ["100 KB", `"${"a".repeat(100_000)}"`, "is longer than 10000 characters"],
    ["deep parentheses", "(".repeat(4_900) + ")".repeat(4_900), "levels of nesting"],
    ["deep arrays", `${"[".repeat(300)}1${"]".repeat(300)}`, "has more than 250 levels of nesting"],
    ["deep sums", `1${"+1".repeat(4_900)}`, "levels of nesting"],
    ["deep negation", `${"-".repeat(4_900)}a`, "levels of nesting"],
    ["a long path", `a${".a".repeat(1_001)}`, "has more than 1000 dots"],
    [
      "a doubling default",
      `${"(".repeat(40)}a${"?:b)".repeat(40)}`,
      "has too many nested ?: or ?? operators",
    ],
    [
      "a doubling default",
      `${"(".repeat(40)}a${"??b)".repeat(40)}`,
      "has too many nested ?: or ?? operators",
    ],
    ["a bad regular expression", "/(/", "No terminating"],
    [
      "a bad regular expression",
      "/a{2,1}/",
      "A regular expression or a function signature is not valid",
    ],
    ["a bad signature", "function($a)<(z-a)>{1}", "A regular expression or a function signature"],
    ["nothing", "", "Unexpected end of expression"],
  ])("%s", (_, text, message) => {
    expect(refusal(text)).toContain(message);
  });

  test("accepts many default values side by side", () => {
    const fields = Array.from({ length: 200 }, (_, index) => `"f${index}": a.b ?? c ?: d`);
    expect(refusal(`{${fields.join(", ")}}`)).toBe("none");
    expect(refusal(Array.from({ length: 100 }, () => "a").join(" ?? "))).toBe("none");
    expect(refusal(`a${".a".repeat(999)}`)).toBe("none");
    expect(refusal(`1${"+1".repeat(240)}`)).toBe("none");
  });

  test("parses the next text normally", () => {
    expect(refusal(`${"(".repeat(40)}a${"??b)".repeat(40)}`)).not.toBe("none");
    expect(refusal("a ?? b")).toBe("none");
  });
});
