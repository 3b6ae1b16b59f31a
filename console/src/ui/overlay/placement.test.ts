import { expect, test } from "vitest";
import { placeBeside } from "./placement.ts";

const VIEW = { width: 400, height: 600 };
const at = (left: number, top: number) => ({ left, right: left + 100, top, bottom: top + 28 });

test("it opens below if there is space", () => {
  expect(placeBeside(at(20, 100), { width: 120, height: 200 }, VIEW)).toEqual({
    left: 20,
    top: 132,
    maxHeight: 460,
  });
});

test("near the bottom it opens above, and never outside the window", () => {
  expect(placeBeside(at(350, 540), { width: 120, height: 200 }, VIEW)).toEqual({
    left: 272,
    top: 336,
    maxHeight: 528,
  });
  expect(placeBeside(at(300, 10), { width: 120, height: 900 }, VIEW, "end").maxHeight).toBe(550);
});
