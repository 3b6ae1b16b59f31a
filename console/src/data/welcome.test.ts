import { expect, test } from "vitest";
import { isFirstRun } from "./welcome.ts";

const person = (name: string, ...roles: string[]) => ({ user: { name }, roles });
const seen = { intent: "looking", steps: [], done: [] };

test("only the first owner is welcomed, and once", () => {
  expect(isFirstRun(person("Administrator", "owner"), undefined)).toBe(true);
  expect(isFirstRun(person("Administrator", "owner"), seen)).toBe(false);
  expect(isFirstRun(person("Ada", "owner"), undefined)).toBe(false);
  expect(isFirstRun(person("Administrator", "viewer"), undefined)).toBe(false);
  expect(isFirstRun(undefined, undefined)).toBe(false);
});
