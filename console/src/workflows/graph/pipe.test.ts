import { expect, test } from "vitest";
import { drawPipe, movePath } from "./pipe.ts";

test("a path moved to another start has the same shape, and can be moved back", () => {
  const { path } = drawPipe(
    { x: -60, y: 200 },
    [
      { x: 120, y: 40 },
      { x: -60, y: 150 },
    ],
    20,
  );
  const moved = movePath(path, { x: 100.5, y: -30 });
  expect(moved.startsWith("M100.5 -30V")).toBe(true);
  expect(moved.endsWith("V170")).toBe(true);
  expect(moved.replaceAll(/[^A-Z]/g, "")).toBe(path.replaceAll(/[^A-Z]/g, ""));
  expect(movePath(moved, { x: -100.5, y: 30 })).toBe(path);
});
