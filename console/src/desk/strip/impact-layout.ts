/** The layout of an impact graph: the item on the left, affected items in columns by hops. */

export interface ImpactNode {
  readonly id: string;
  readonly name: string;
  readonly hops: number;
  readonly viaId: string | undefined;
  readonly isHurt: boolean;
}

export interface PlacedNode extends ImpactNode {
  readonly x: number;
  readonly y: number;
}

export interface ImpactLayout {
  readonly nodes: readonly PlacedNode[];
  readonly lines: readonly { readonly from: PlacedNode; readonly to: PlacedNode }[];
  readonly height: number;
  /** The number of items that do not fit. */
  readonly left: number;
}

const ROW_PX = 22;
const ROWS_MAX = 6;
const COLUMNS_MAX = 3;

export function layOutImpact(all: readonly ImpactNode[], width: number): ImpactLayout {
  const columns = Array.from({ length: COLUMNS_MAX }, (_, hops) =>
    all.filter((node) => node.hops === hops).slice(0, ROWS_MAX),
  ).filter((column) => column.length > 0);
  const rows = Math.max(1, ...columns.map(({ length }) => length));
  const height = rows * ROW_PX;
  const step = width / Math.max(1, columns.length);
  const nodes = columns.flatMap((column, c) =>
    column.map((node, n): PlacedNode => ({
      ...node,
      x: Math.round(c * step),
      y: Math.round(((n + 0.5) * height) / column.length),
    })),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const lines = nodes.flatMap((to) => {
    const from = to.viaId === undefined ? undefined : byId.get(to.viaId);
    return from ? [{ from, to }] : [];
  });
  return { nodes, lines, height, left: all.length - nodes.length };
}
