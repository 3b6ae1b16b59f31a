/** Tiles on a grid of twelve columns, without overlaps and vertical gaps. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

interface Tile {
  readonly id: string;
  readonly layout: Box;
}

export const COLUMNS = 12;
const WIDTH_MIN = 2;
const HEIGHT_MIN = 1;
const HEIGHT_MAX = 24;

/** Limits a box to the grid. */
export function clampBox({ x, y, w, h }: Box): Box {
  const width = Math.min(COLUMNS, Math.max(WIDTH_MIN, w));
  return {
    w: width,
    h: Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, h)),
    x: Math.min(COLUMNS - width, Math.max(0, x)),
    y: Math.max(0, y),
  };
}

const isOver = (one: Box, other: Box): boolean =>
  one.x < other.x + other.w &&
  other.x < one.x + one.w &&
  one.y < other.y + other.h &&
  other.y < one.y + one.h;

/** Moves or resizes a tile. The tile keeps the new position, the others make room and move up. */
export function placeTile<T extends Tile>(tiles: readonly T[], id: string, box: Box): readonly T[] {
  const placed = clampBox(box);
  const moved = tiles.find((tile) => tile.id === id);
  if (!moved) return tiles;
  const rest = tiles.filter((tile) => tile.id !== id).toSorted(byPlace);
  const settled: T[] = [{ ...moved, layout: placed }];
  for (const tile of rest) settled.push({ ...tile, layout: drop(tile.layout, settled) });
  return tiles.map((tile) => settled.find((one) => one.id === tile.id) ?? tile);
}

/** Moves every tile up as far as possible. */
export function packTiles<T extends Tile>(tiles: readonly T[]): readonly T[] {
  const settled: T[] = [];
  for (const tile of tiles.toSorted(byPlace)) {
    settled.push({ ...tile, layout: drop(clampBox(tile.layout), settled) });
  }
  return tiles.map((tile) => settled.find((one) => one.id === tile.id) ?? tile);
}

const byPlace = (one: Tile, other: Tile): number =>
  one.layout.y - other.layout.y || one.layout.x - other.layout.x;

/** Returns the highest free position in its columns, below the tiles placed there. */
function drop(box: Box, settled: readonly Tile[]): Box {
  let y = 0;
  const isFree = (at: number): boolean =>
    !settled.some(({ layout }) => isOver({ ...box, y: at }, layout));
  while (!isFree(y)) y += 1;
  return { ...box, y };
}

/** Returns the position of a new tile: next to the last one if there is space, otherwise below all. */
export function findRoom(tiles: readonly Tile[], size: Pick<Box, "w" | "h">): Box {
  const bottom = Math.max(0, ...tiles.map(({ layout }) => layout.y + layout.h));
  for (let y = 0; y <= bottom; y += 1) {
    for (let x = 0; x <= COLUMNS - size.w; x += 1) {
      const box = { ...size, x, y };
      if (!tiles.some(({ layout }) => isOver(box, layout))) return box;
    }
  }
  return { ...size, x: 0, y: bottom };
}
