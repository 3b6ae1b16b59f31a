import { expect, test } from "vitest";
import { portalPathOf } from "./portal-path.ts";

test("console addresses lead requesters to the same resource in the portal", () => {
  expect(portalPathOf("/")).toBe("");
  expect(portalPathOf("/tickets/INC0000012")).toBe("/tickets/INC0000012");
  expect(portalPathOf("/desk/requests/REQ0000004")).toBe("/tickets/REQ0000004");
  expect(portalPathOf("/catalog")).toBe("/ask");
  expect(portalPathOf("/catalog/cat_01jzt3n5k8q2x4v6w8y0z2b4d6")).toBe(
    "/ask/cat_01jzt3n5k8q2x4v6w8y0z2b4d6",
  );
  for (const path of ["/desk/changes/CHG0000001", "/workflows", "/settings/people", "/approvals"]) {
    expect([path, portalPathOf(path)]).toEqual([path, undefined]);
  }
});
