import { expect, test } from "vitest";
import { classesOf, readDisplay, togglePart } from "./display.ts";

const memory = (text: string | null) => ({ getItem: () => text });

test("what was kept and can't be read any more is as if nothing was", () => {
  const plain = readDisplay(memory(null));
  expect(readDisplay(memory("{"))).toEqual(plain);
  expect(readDisplay(memory('{"density":"tiny","parts":["caller","gone"]}'))).toEqual({
    density: "roomy",
    parts: ["caller"],
    fields: [],
  });
});

test("what is left out is hidden", () => {
  const display = { density: "close", parts: ["number", "tags"], fields: [] } as const;
  expect(classesOf(display)).toBe("close hides-state hides-caller hides-word hides-people");
  expect(togglePart(["a", "b"], "a")).toEqual(["b"]);
  expect(togglePart(["b"], "a")).toEqual(["b", "a"]);
});
