import { expect, test } from "vitest";
import { layOutImpact } from "./impact-layout.ts";

const node = (id: string, hops: number, viaId?: string) => ({
  id,
  name: id,
  hops,
  viaId,
  isHurt: false,
});

test("shows hops as columns, connects items to causes, and counts overflow items", () => {
  const many = Array.from({ length: 9 }, (_, n) => node(`b${n}`, 1, "a"));
  const { nodes, lines, left, height } = layOutImpact(
    [node("a", 0), ...many, node("c", 2, "b0")],
    210,
  );
  expect(nodes.map(({ x }) => x)).toEqual([0, 70, 70, 70, 70, 70, 70, 140]);
  expect(lines.map(({ from, to }) => `${from.id}-${to.id}`)).toContain("b0-c");
  expect({ left, height, lines: lines.length }).toEqual({ left: 3, height: 132, lines: 7 });
});
