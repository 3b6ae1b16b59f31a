import { expect, test } from "vitest";
import { layOut, type MapNode, placeLabels } from "./map.ts";

const nodes: MapNode[] = ["service", "application", "server", "gadget"].flatMap((kind, k) =>
  Array.from({ length: 10 + k * 80 }, (_, n) => ({
    id: `${kind}${n}`,
    name: `n${n}`,
    class: kind,
    incidents: n === 7 ? 2 : 0,
  })),
);

test("every item has its own cell, and unknown classes have a block too", () => {
  const { cells, blocks, width, height } = layOut(nodes);
  expect(cells.size).toBe(nodes.length);
  expect(new Set([...cells.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
  expect(blocks.map(({ name }) => name)).toEqual(["service", "application", "server", "gadget"]);
  for (const { x, y } of cells.values()) {
    expect(x >= 0 && x < width && y >= 0 && y < height).toBe(true);
  }
});

test("items with problems are first in their block, and labels do not overlap", () => {
  const map = layOut(nodes);
  const first = [...map.cells].find(([id]) => id.startsWith("service"));
  expect(first?.[0]).toBe("service7");
  const labels = placeLabels(
    map,
    nodes.slice(0, 10).map(({ id }) => id),
  );
  const clash = labels.some((a) =>
    labels.some((b) => a !== b && Math.abs(a.y - b.y) < 17 && Math.abs(a.x - b.x) < 150),
  );
  expect(clash).toBe(false);
  expect(layOut([]).cells.size).toBe(0);
});
