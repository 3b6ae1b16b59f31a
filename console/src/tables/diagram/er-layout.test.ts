import { expect, test } from "vitest";
import type { TableShape } from "../column/column.ts";
import { CARD, neighboursOf, toDiagram } from "./er-layout.ts";

const table = (slug: string, columns: readonly (readonly [string, string, string?])[]) =>
  ({
    slug,
    name: slug,
    columns: columns.map(([name, type, target]) => ({ name, type, options: { table: target } })),
  }) as unknown as TableShape;

test("sixty tables are laid out without overlaps", () => {
  const tables = Array.from({ length: 60 }, (_, n) =>
    table(`t${n}`, [
      ["name", "text"],
      ...(n % 3 === 0 ? [] : [["parent", "reference", `t${Math.floor(n / 3)}`] as const]),
      ...Array.from({ length: n % 14 }, (__, m) => [`c${m}`, "text"] as const),
    ]),
  );
  const { cards, relations } = toDiagram(tables);
  expect(cards).toHaveLength(60);
  expect(relations).toHaveLength(40);
  for (const [n, a] of cards.entries()) {
    for (const b of cards.slice(n + 1)) {
      const isApart =
        a.x + CARD.width <= b.x ||
        b.x + CARD.width <= a.x ||
        a.y + a.height <= b.y ||
        b.y + b.height <= a.y;
      expect([a.slug, b.slug, isApart]).toEqual([a.slug, b.slug, true]);
    }
  }
});

test("references are listed first, and people and unknown tables are not relations", () => {
  const { cards, relations } = toDiagram([
    table("a", [
      ["title", "text"],
      ["owner", "reference", "users"],
      ["others", "links", "b"],
      ["self", "reference", "a"],
    ]),
    table("b", [["title", "text"]]),
  ]);
  expect(cards[0]?.columns.map(({ name }) => name)).toEqual(["owner", "others", "self", "title"]);
  expect(relations.map(({ id, isMany }) => [id, isMany])).toEqual([
    ["a.others", true],
    ["a.self", false],
  ]);
  expect([...neighboursOf("b", relations)]).toEqual(["b", "a"]);
});
