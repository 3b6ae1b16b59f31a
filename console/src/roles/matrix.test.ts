import { expect, test } from "vitest";
import { diffRole, expandEntries, groupPermissions } from "./matrix.ts";

const CATALOG = ["incidents:read", "incidents:write", "profile", "runs:read"];

test("role entries are expanded like on the server: all, an area, or a single permission", () => {
  expect([...expandEntries(["*"], CATALOG)]).toEqual(CATALOG);
  expect([...expandEntries(["incidents:*"], CATALOG)]).toEqual([
    "incidents:read",
    "incidents:write",
  ]);
  expect([...expandEntries(["runs:read", "gone:read"], CATALOG)]).toEqual(["runs:read"]);
});

test("a change is described by added and removed permissions, not by its entries", () => {
  expect(diffRole(["incidents:*"], ["incidents:read", "incidents:write"], CATALOG)).toEqual({
    added: [],
    taken: [],
  });
  expect(diffRole(["incidents:*"], ["incidents:read", "profile"], CATALOG)).toEqual({
    added: ["profile"],
    taken: ["incidents:write"],
  });
});

test("permissions are found by words and grouped by area", () => {
  const permissions = CATALOG.map((name) => ({ name, summary: `About ${name}` }));
  expect(groupPermissions(permissions, "READ").map(({ area }) => area)).toEqual([
    "incidents",
    "runs",
  ]);
  expect(groupPermissions(permissions, "nothing")).toEqual([]);
});
