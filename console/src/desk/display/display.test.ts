import { expect, test } from "vitest";
import { applyColumns, classesOf, readDisplay, toColumns, togglePart } from "./display.ts";

const memory = (text: string | null) => ({ getItem: () => text });

test("invalid stored settings are ignored", () => {
  const plain = readDisplay(memory(null));
  expect(readDisplay(memory("{"))).toEqual(plain);
  expect(readDisplay(memory('{"density":"tiny","parts":["caller","gone"]}'))).toEqual({
    density: "roomy",
    parts: ["caller"],
    fields: [],
  });
});

test("omitted details are hidden", () => {
  const display = { density: "close", parts: ["number", "tags"], fields: [] } as const;
  expect(classesOf(display)).toBe("close hides-state hides-caller hides-word hides-people");
  expect(togglePart(["a", "b"], "a")).toEqual(["b"]);
  expect(togglePart(["b"], "a")).toEqual(["b", "a"]);
});

test("a view shows its saved columns, and unknown columns are ignored", () => {
  const display = { density: "close", parts: ["tags"], fields: ["floor"] } as const;
  const other = { density: "roomy", parts: ["number"], fields: [] } as const;
  expect(applyColumns(other, [...toColumns(display), "gone"])).toEqual({
    ...display,
    density: "roomy",
  });
  expect(applyColumns(other, [])).toBe(other);
});
