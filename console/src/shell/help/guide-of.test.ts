import { expect, test } from "vitest";
import { SCREENS } from "../areas.ts";
import { guideOf } from "./guide-of.ts";

test("every screen of the menu has a guide", () => {
  const missing = SCREENS.filter(({ to }) => to !== "/" && guideOf(to) === "console");
  expect(missing.map(({ to }) => to)).toEqual([]);
});

test("the longest matching prefix applies, and only complete path segments match", () => {
  expect(guideOf("/desk/INC0000012")).toBe("tickets");
  expect(guideOf("/desk/reports")).toBe("analytics");
  expect(guideOf("/settings/sso")).toBe("sso");
  expect(guideOf("/slack")).toBe("console");
});
