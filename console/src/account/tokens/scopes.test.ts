import { expect, test } from "vitest";
import { groupScopes, summariseScopes } from "./scopes.ts";

test("scopes are grouped by area, completely and without duplicates", () => {
  const scopes = ["runs:read", "incidents:write", "profile", "incidents:read"];
  expect(groupScopes(scopes)).toEqual([
    { area: "incidents", scopes: ["incidents:read", "incidents:write"] },
    { area: "profile", scopes: ["profile"] },
    { area: "runs", scopes: ["runs:read"] },
  ]);
  expect(summariseScopes(scopes, 2)).toBe("runs:read, incidents:write and 2 more");
  expect(summariseScopes(["profile"])).toBe("profile");
});
