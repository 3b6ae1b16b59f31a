import { expect, test } from "vitest";
import { toLocalPath, toSharedPath } from "./place.ts";

const ORIGIN = "https://millrace.example.com";

test.each([
  ["/runs?status=failed#top", "/runs?status=failed#top"],
  ["//evil.example/x", undefined],
  ["/\\evil.example", undefined],
  ["https://evil.example/", undefined],
  ["javascript:alert(1)", undefined],
  ["/a/..//evil.example", undefined],
  ["runs", undefined],
  [undefined, undefined],
])("%s is redirected to %s", (from, path) => expect(toLocalPath(from, ORIGIN)).toBe(path));

test.each([
  ["/workflows/wf_1", "/workflows/wf_1"],
  ["/runs/run_1", "/runs"],
  ["/causes/evt_1", "/runs"],
  ["/tickets/INC0000001", "/"],
  ["/", "/"],
])("%s has the path %s in another environment", (path, shared) =>
  expect(toSharedPath(path)).toBe(shared),
);
