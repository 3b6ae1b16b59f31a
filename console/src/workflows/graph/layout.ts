/**
 * Computes the positions of steps from top to bottom, from the definition alone; positions are not stored. Columns
 * are in the order of edges. A loop is laid out first and then treated as one box.
 */
import { Graph as Dagre, layout } from "@dagrejs/dagre";
import { bodyOf, type Edge, type Graph, toKey } from "./graph.ts";
import { drawPipe, type Point } from "./pipe.ts";
import { headsOf } from "./starts.ts";

export type { Point } from "./pipe.ts";

export const STEP_SIZE = { width: 204, height: 48 } as const;
export const GAP = { across: 28, down: 54 } as const;
const FRAME = { head: 46, side: 18, foot: 20 } as const;
/** The key of the trigger's box: step ids can't have this value, and dagre fails on an empty key. */
export const TRIGGER = "*";

export interface Box extends Point {
  readonly key: string;
  readonly width: number;
  readonly height: number;
  readonly kind: "step" | "trigger" | "frame";
  readonly depth: number;
}

/** An edge between two steps. Its path starts at 0 0, so that a moved wire keeps its path and can be animated. */
export interface Wire extends Point {
  readonly id: string;
  readonly place: string;
  readonly from: string;
  readonly to: string;
  readonly edges: readonly Edge[];
  readonly path: string;
  readonly label: Point;
}

export interface Layout {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly wires: readonly Wire[];
  readonly width: number;
  readonly height: number;
}

/** The collapsed loops, and the sub-workflows that are expanded in place. */
export interface Folding {
  readonly folded: ReadonlySet<string>;
  readonly opened: ReadonlyMap<string, Graph>;
}

export const UNFOLDED: Folding = { folded: new Set(), opened: new Map() };

export function layOut(definition: Graph, folding: Folding = UNFOLDED): Layout {
  return layOutCached(definition, { place: "", depth: 0, folding });
}

interface Context {
  readonly place: string;
  readonly depth: number;
  readonly folding: Folding;
}

/** Layouts by graph: an unchanged loop body is the same object and keeps its layout. */
const known = new WeakMap<Graph, { readonly context: Context; readonly layout: Layout }>();

function layOutCached(graph: Graph, context: Context): Layout {
  const old = known.get(graph);
  if (old?.context.folding === context.folding && old.context.place === context.place) {
    return old.layout;
  }
  const fresh = arrange(graph, context);
  known.set(graph, { context, layout: fresh });
  return fresh;
}

/** Edges between the same two steps are drawn as one line with several labels. */
interface Line {
  readonly from: string;
  readonly to: string;
  readonly edges: readonly Edge[];
}

interface Placed extends Point {
  readonly width: number;
  readonly height: number;
  readonly rank: number;
}

function arrange(graph: Graph, context: Context): Layout {
  const isRoot = context.place === "";
  const bodies = new Map<string, Layout>();
  for (const step of graph.nodes) {
    const key = toKey(context.place, step.id);
    const { folded, opened } = context.folding;
    const body = folded.has(key) ? undefined : (bodyOf(step) ?? opened.get(key));
    if (body)
      bodies.set(step.id, layOutCached(body, { ...context, place: key, depth: context.depth + 1 }));
  }
  const lines = groupLines(graph, isRoot);
  const ids = [...(isRoot ? [TRIGGER] : []), ...graph.nodes.map(({ id }) => id)];
  const dagre = runDagre(ids, lines, bodies);
  const at = (id: string): Placed => dagre.node(id) as unknown as Placed;
  const left = Math.min(...ids.map((id) => at(id).x - at(id).width / 2));
  const top = Math.min(...ids.map((id) => at(id).y - at(id).height / 2));
  const boxes = new Map<string, Box>();
  const wires: Wire[] = [];
  const keyOf = (id: string): string => (id === TRIGGER ? TRIGGER : toKey(context.place, id));
  for (const id of ids) {
    const { x, y, width, height } = at(id);
    const body = bodies.get(id);
    const kind = id === TRIGGER ? "trigger" : body ? "frame" : "step";
    const corner = { x: x - width / 2 - left, y: y - height / 2 - top };
    boxes.set(keyOf(id), { key: keyOf(id), ...corner, width, height, kind, depth: context.depth });
    const inset = { x: corner.x + (width - (body?.width ?? 0)) / 2, y: corner.y + FRAME.head };
    for (const box of body?.boxes.values() ?? []) boxes.set(box.key, shift(box, inset));
    for (const wire of body?.wires ?? []) wires.push(shift(wire, inset));
  }
  const bands = findBands(
    ids.map((id) => at(id)),
    top,
  );
  for (const line of lines) {
    const [from, to] = [boxes.get(keyOf(line.from)), boxes.get(keyOf(line.to))];
    if (!from || !to) continue;
    const { points } = dagre.edge(line.from, line.to) as unknown as {
      readonly points: readonly Point[];
    };
    const way = points.map((point) => ({ x: point.x - left, y: point.y - top }));
    wires.push({ ...drawWire(from, to, { way, bands }), place: context.place, edges: line.edges });
  }
  const all = [...boxes.values()];
  return {
    boxes,
    wires,
    width: Math.max(0, ...all.map((box) => box.x + box.width)),
    height: Math.max(0, ...all.map((box) => box.y + box.height)),
  };
}

const shift = <T extends Point>(thing: T, by: Point): T => ({
  ...thing,
  x: thing.x + by.x,
  y: thing.y + by.y,
});

function groupLines({ nodes, edges }: Graph, isRoot: boolean): readonly Line[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const heads = isRoot ? headsOf({ nodes, edges }) : [];
  const groups = Map.groupBy(
    edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    ({ from, to }) => JSON.stringify([from, to]),
  );
  return [
    ...heads.map((id) => ({ from: TRIGGER, to: id, edges: [] })),
    ...[...groups.values()].flatMap((group) =>
      group[0] ? [{ from: group[0].from, to: group[0].to, edges: group }] : [],
    ),
  ];
}

/** Dagre's crossing minimization is disabled: one more step could mirror the whole layout. */
function runDagre(
  ids: readonly string[],
  lines: readonly Line[],
  bodies: ReadonlyMap<string, Layout>,
): Dagre {
  const dagre = new Dagre({ multigraph: true });
  dagre.setGraph({
    rankdir: "TB",
    nodesep: GAP.across,
    ranksep: GAP.down,
    rankalign: "top",
  } as never);
  dagre.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) {
    const body = bodies.get(id);
    if (id === TRIGGER) dagre.setNode(id, { width: 48, height: 48 });
    else if (!body) dagre.setNode(id, { ...STEP_SIZE });
    else {
      dagre.setNode(id, {
        width: Math.max(STEP_SIZE.width, body.width) + 2 * FRAME.side,
        height: FRAME.head + body.height + FRAME.foot,
      });
    }
  }
  for (const { from, to } of lines) dagre.setEdge(from, to, {});
  layout(dagre, { disableOptimalOrderHeuristic: true } as never);
  return dagre;
}

interface Band {
  readonly top: number;
  readonly bottom: number;
}

/** Ranks are bands. Wires turn only in the gaps between them, so they do not cross steps. */
function findBands(placed: readonly Placed[], top: number): readonly Band[] {
  const bands = [...Map.groupBy(placed, ({ rank }) => rank).values()].map((row) => ({
    top: Math.min(...row.map(({ y, height }) => y - height / 2 - top)),
    bottom: Math.max(...row.map(({ y, height }) => y + height / 2 - top)),
  }));
  return bands.toSorted((a, b) => a.top - b.top);
}

function drawWire(
  from: Box,
  to: Box,
  { way, bands }: { readonly way: readonly Point[]; readonly bands: readonly Band[] },
): Omit<Wire, "place" | "edges"> {
  const [x, y] = [from.x + from.width / 2, from.y + from.height];
  const end = { x: to.x + to.width / 2 - x, y: to.y - y };
  const passed = bands.filter(({ top }) => top > from.y + 1 && top < to.y - 1);
  const stops = passed.map(({ top, bottom }) => {
    const middle = (top + bottom) / 2;
    const nearest = way.reduce((best, point) =>
      Math.abs(point.y - middle) < Math.abs(best.y - middle) ? point : best,
    );
    return { x: nearest.x - x, y: top - y - GAP.down / 2 };
  });
  const next = bands.find(({ top }) => top > from.y + 1);
  const turnY = (next ? next.top - y : end.y) - GAP.down / 2;
  const pipe = drawPipe(end, [...stops, { x: end.x, y: end.y - GAP.down / 2 }], turnY);
  return { id: `${from.key}>${to.key}`, from: from.key, to: to.key, x, y, ...pipe };
}

/** Returns the offset for a new layout, so that the step in focus keeps its position. */
export function anchorLayout(
  before: Layout,
  after: Layout,
  offset: Point,
  looked: readonly (string | undefined)[],
): Point {
  for (const key of looked) {
    const was = before.boxes.get(key ?? "");
    const is = after.boxes.get(key ?? "");
    if (!was || !is) continue;
    return {
      x: offset.x + was.x + was.width / 2 - is.x - is.width / 2,
      y: offset.y + was.y - is.y,
    };
  }
  return offset;
}
