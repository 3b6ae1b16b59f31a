import { expect, test } from "vitest";
import { insertAt, toKeyword } from "./placeholder.ts";

test("a keyword is easy to type", () => {
  expect(toKeyword("Ask for the exact Message!")).toBe("ask-for-the-exact-message-");
  expect(toKeyword("-Ü")).toBe("");
  expect(insertAt("Hello ,", 6, "{{caller.name}}")).toBe("Hello {{caller.name}},");
});
