/** Lays out the tables of a diagram: connected tables in layers, the others in rows below. */
import { Graph as Dagre, layout } from "@dagrejs/dagre";
import { type Column, linkTargetOf, type TableShape, targetOf } from "../column/column.ts";

export const CARD = { width: 216, head: 34, row: 22, foot: 6 } as const;
export const ROWS_MAX = 9;
const GAP = { across: 84, down: 26 } as const;
/** The aspect ratio of a screen without the menu. */
const ASPECT = 1.5;

export interface TableCard {
  readonly slug: string;
  readonly name: string;
  /** Relation columns first, then as many others as fit. */
  readonly columns: readonly Column[];
  readonly more: number;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface Relation {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly column: string;
  /** True if a record can refer to several. */
  readonly isMany: boolean;
}

export interface Diagram {
  readonly cards: readonly TableCard[];
  readonly relations: readonly Relation[];
}

export function toDiagram(tables: readonly TableShape[]): Diagram {
  const known = new Set(tables.map(({ slug }) => slug));
  const relations = tables.flatMap((table) => relationsOf(table, known));
  const joined = new Set(
    relations.filter(({ from, to }) => from !== to).flatMap(({ from, to }) => [from, to]),
  );
  const cards = tables.map(toCard);
  const ranks = [
    ...rankCards(
      cards.filter(({ slug }) => joined.has(slug)),
      relations,
    ),
    cards.filter(({ slug }) => !joined.has(slug)).toSorted((a, b) => a.height - b.height),
  ];
  return { cards: placeRanks(ranks), relations };
}

function relationsOf({ slug, columns }: TableShape, known: ReadonlySet<string>): Relation[] {
  return columns.flatMap((column) => {
    const isMany = column.type === "links";
    const to = isMany ? linkTargetOf(column) : targetOf(column);
    if (to === undefined || !known.has(to)) return [];
    return [{ id: `${slug}.${column.name}`, from: slug, to, column: column.name, isMany }];
  });
}

const leads = (column: Column): boolean =>
  targetOf(column) !== undefined || linkTargetOf(column) !== undefined;

function toCard({ slug, name, columns }: TableShape): TableCard {
  const ordered = [...columns.filter(leads), ...columns.filter((column) => !leads(column))];
  const shown = ordered.slice(0, ROWS_MAX);
  const more = columns.length - shown.length;
  const rows = shown.length + (more > 0 ? 1 : 0);
  const height = CARD.head + rows * CARD.row + CARD.foot;
  return { slug, name, columns: shown, more, x: 0, y: 0, height };
}

/** Ranks tables by their distance from tables without references, and orders each rank to reduce crossings. */
function rankCards(
  cards: readonly TableCard[],
  relations: readonly Relation[],
): readonly (readonly TableCard[])[] {
  const graph = new Dagre();
  graph.setGraph({ rankdir: "LR", nodesep: GAP.down, ranksep: GAP.across });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { slug, height } of cards) graph.setNode(slug, { width: CARD.width, height });
  for (const { from, to } of relations) if (from !== to) graph.setEdge(from, to);
  layout(graph);
  const placeOf = ({ slug }: TableCard) =>
    graph.node(slug) as { readonly x: number; readonly y: number };
  const ranks = Map.groupBy(cards, (card) => placeOf(card).x);
  return [...ranks]
    .toSorted(([a], [b]) => a - b)
    .map(([, rank]) => rank.toSorted((a, b) => placeOf(a).y - placeOf(b).y));
}

/** Lays out ranks from left to right; a rank that is too tall is split into several columns. */
function placeRanks(ranks: readonly (readonly TableCard[])[]): readonly TableCard[] {
  const all = ranks.flat();
  const area = all.reduce(
    (sum, { height }) => sum + (height + GAP.down) * (CARD.width + GAP.across),
    0,
  );
  const heightMax = Math.max(...all.map(({ height }) => height), Math.sqrt(area / ASPECT));
  const columns = ranks.flatMap((rank) => splitRank(rank, heightMax));
  return columns.flatMap((column, n) => {
    const total = column.reduce((sum, { height }) => sum + height + GAP.down, -GAP.down);
    let y = (heightMax - total) / 2;
    return column.map((card) => {
      const placed = { ...card, x: n * (CARD.width + GAP.across), y };
      y += card.height + GAP.down;
      return placed;
    });
  });
}

function splitRank(rank: readonly TableCard[], heightMax: number): TableCard[][] {
  const columns: TableCard[][] = [];
  let left = 0;
  for (const card of rank) {
    if (left < card.height) {
      columns.push([]);
      left = heightMax;
    }
    columns.at(-1)?.push(card);
    left -= card.height + GAP.down;
  }
  return columns;
}

/** Returns the table and all tables that are related to it. */
export function neighboursOf(slug: string, relations: readonly Relation[]): ReadonlySet<string> {
  const beside = relations.flatMap(({ from, to }) =>
    from === slug ? [to] : to === slug ? [from] : [],
  );
  return new Set([slug, ...beside]);
}
