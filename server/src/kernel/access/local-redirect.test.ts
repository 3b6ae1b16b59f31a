import { expect, test } from "vitest";
import { toLocalRedirect } from "./local-redirect.ts";

const ORIGIN = "https://millrace.example.com/below";

test.each([
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/a/..//evil.example",
  "/.//evil.example",
  "/%2e//evil.example",
  "/a/..\\/evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  "docs",
  "",
])("rejects the redirect %j", (path) => {
  expect(toLocalRedirect(path, ORIGIN)).toBeNull();
});

test("accepts a path of this installation", () => {
  expect(toLocalRedirect("/a/../docs?x=1#top", ORIGIN)?.href).toBe(
    "https://millrace.example.com/docs?x=1#top",
  );
});
