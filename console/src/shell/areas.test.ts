import { expect, test } from "vitest";
import { AREAS, SCREENS, screenAt } from "./areas.ts";
import { FIRST_MAX } from "./menu/arrangement.ts";

test("screens have unique shortcuts, addresses and names", () => {
  for (const property of ["keys", "to", "label"] as const) {
    const values = SCREENS.flatMap((screen) => screen[property] ?? []);
    expect(values.filter((value, at) => values.indexOf(value) !== at)).toEqual([]);
  }
});

test("the first level has room for every area, and no second level is longer than the first", () => {
  expect(AREAS.length).toBeLessThanOrEqual(FIRST_MAX);
  expect(AREAS.filter(({ screens }) => screens.length > FIRST_MAX)).toEqual([]);
});

test("an address belongs to the screen with the nearest address", () => {
  const labels = [
    "/",
    "/desk/incidents/INC0000001",
    "/desk/reports",
    "/major/INC0000001",
    "/x",
  ].map((path) => screenAt(path)?.label);
  expect(labels).toEqual(["Home", "Desk", "Desk reports", "Desk", undefined]);
  expect(screenAt("/settings/people/usr_1")?.label).toBe("People");
  expect(screenAt("/settings/audit")?.label).toBe("Settings");
});
