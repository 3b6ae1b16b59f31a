/**
 * A map instead of a graph: every item is a cell in the block of its class, and only lines of the selected item are
 * drawn. This stays readable with five hundred items.
 */

export const CELL = 16;
const STEP = CELL + 4;
const HEAD = 34;
const BETWEEN = 128;
const STACK = 44;
const ROWS_MAX = 40;
const COLUMNS_MIN = 5;
const HEIGHT_MIN = 300;

/** Classes from what users see to the infrastructure; unknown classes are placed with the machines. */
const LAYERS: readonly (readonly string[])[] = [
  ["business_service", "service"],
  ["application", "api", "software", "cloud_service"],
  ["database", "cluster", "container", "endpoint", "load_balancer"],
  ["server", "virtual_machine", "computer", "printer", "other"],
  ["storage", "network", "network_device", "switch", "router", "firewall", "certificate"],
];
const OTHERS = 3;

export interface MapNode {
  readonly id: string;
  readonly name: string;
  readonly class: string;
  readonly incidents: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Block extends Point {
  readonly name: string;
  readonly count: number;
}

export interface ItemMap {
  readonly cells: ReadonlyMap<string, Point>;
  readonly blocks: readonly Block[];
  readonly width: number;
  readonly height: number;
}

interface Pile {
  readonly name: string;
  readonly nodes: readonly MapNode[];
  readonly columns: number;
  readonly height: number;
}

/** Lays out items; items with problems are first in their block. */
export function layOut(nodes: readonly MapNode[]): ItemMap {
  const layers = toLayers(nodes);
  const heightOf = (piles: readonly Pile[]): number =>
    piles.reduce((sum, { height }) => sum + height + STACK, -STACK);
  const height = Math.max(HEIGHT_MIN, ...layers.map(heightOf));
  const cells = new Map<string, Point>();
  const blocks: Block[] = [];
  let x = 0;
  for (const piles of layers) {
    let y = (height - heightOf(piles)) / 2;
    for (const { name, nodes: own, columns, height: tall } of piles) {
      blocks.push({ name, count: own.length, x, y });
      for (const [n, { id }] of own.entries()) {
        cells.set(id, {
          x: x + (n % columns) * STEP,
          y: y + HEAD + Math.floor(n / columns) * STEP,
        });
      }
      y += tall + STACK;
    }
    x += Math.max(...piles.map(({ columns }) => columns * STEP)) + BETWEEN;
  }
  return { cells, blocks, width: Math.max(0, x - BETWEEN), height };
}

function toLayers(nodes: readonly MapNode[]): readonly (readonly Pile[])[] {
  const byClass = Map.groupBy(nodes, (node) => node.class);
  const named = new Set(LAYERS.flat());
  const unnamed = [...byClass.keys()].filter((name) => !named.has(name)).toSorted();
  return LAYERS.map((layer, n) => (n === OTHERS ? [...layer, ...unnamed] : layer))
    .map((layer) => layer.flatMap((name) => toPile(name, byClass.get(name))))
    .filter((piles) => piles.length > 0);
}

function toPile(name: string, nodes: readonly MapNode[] | undefined): readonly Pile[] {
  if (!nodes) return [];
  const columns = Math.max(COLUMNS_MIN, Math.ceil(nodes.length / ROWS_MAX));
  const height = Math.ceil(nodes.length / columns) * STEP + HEAD;
  const sorted = nodes.toSorted(
    (a, b) => b.incidents - a.incidents || a.name.localeCompare(b.name),
  );
  return [{ name, nodes: sorted, columns, height }];
}

const BEND_MIN = 40;

/** Returns the line between two cells. */
export function drawCurve(map: ItemMap, from: string, to: string): string | undefined {
  const [a, b] = [map.cells.get(from), map.cells.get(to)];
  if (!a || !b) return undefined;
  const half = CELL / 2;
  const [x1, y1, x2, y2] = [a.x + half, a.y + half, b.x + half, b.y + half];
  const bend = Math.max(BEND_MIN, Math.abs(x2 - x1) / 2) * Math.sign(x2 - x1 || 1);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

export interface Label extends Point {
  readonly id: string;
}

const LABEL_HEIGHT = 17;
const LABEL_WIDTH = 150;
const TRIES_MAX = 30;

/** Places labels next to their cells without overlaps: later ones are moved down. */
export function placeLabels(map: ItemMap, ids: readonly string[]): readonly Label[] {
  const placed: Label[] = [];
  for (const id of new Set(ids)) {
    const cell = map.cells.get(id);
    if (!cell) continue;
    const x = cell.x + CELL + 6;
    let y = cell.y + 13;
    const isTaken = (): boolean =>
      placed.some((one) => Math.abs(one.y - y) < LABEL_HEIGHT && Math.abs(one.x - x) < LABEL_WIDTH);
    for (let tries = 0; tries < TRIES_MAX && isTaken(); tries += 1) y += LABEL_HEIGHT;
    placed.push({ id, x, y });
  }
  return placed;
}
