import { expect, test } from "vitest";
import { SCREENS } from "./areas.ts";

test("no two screens have the same keys, address or name", () => {
  for (const property of ["keys", "to", "label"] as const) {
    const values = SCREENS.flatMap((screen) => screen[property] ?? []);
    expect(values.filter((value, at) => values.indexOf(value) !== at)).toEqual([]);
  }
});
