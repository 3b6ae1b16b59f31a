import { useEffect, useMemo, useState } from "react";
import { bodyOf, type Graph, walkSteps } from "../graph/graph.ts";
import { anchorLayout, type Folding, type Layout, layOut, type Point } from "../graph/layout.ts";
import { layOutFar } from "./far-layout.ts";

export interface PlacedLayout {
  readonly layout: Layout;
  readonly offset: Point;
  /** Steps and wires that were added since the last layout; they fade in. */
  readonly fresh: ReadonlySet<string>;
}

/** Larger graphs are laid out in a worker: 200 steps would block the page for longer than one frame. */
const NEAR_STEPS_MAX = 100;

/** Returns a text of everything that affects the layout, so that typing in a field does not trigger a new layout. */
function shapeOf(graph: Graph): string {
  const edges = [...walkSteps(graph)].map(([key, step]) => [key, bodyOf(step)?.edges]);
  return JSON.stringify([graph.edges, edges]);
}

/** Returns the current layout. Large graphs are laid out asynchronously; undefined until the first layout exists. */
export function useLayout(graph: Graph, folding: Folding): Layout | undefined {
  const shape = useMemo(() => shapeOf(graph), [graph]);
  const [shaped, setShaped] = useState({ graph, shape });
  if (shaped.shape !== shape) setShaped({ graph, shape });
  const isNear = useMemo(() => isSmall(shaped.graph, folding), [shaped.graph, folding]);
  const near = useMemo(
    () => (isNear ? layOut(shaped.graph, folding) : undefined),
    [isNear, shaped.graph, folding],
  );
  const [far, setFar] = useState<Layout>();
  useEffect(() => {
    if (isNear) return undefined;
    let isLeft = false;
    void layOutFar(shaped.graph, folding).then((layout) => {
      if (!isLeft) setFar(layout);
    });
    return () => {
      isLeft = true;
    };
  }, [isNear, shaped.graph, folding]);
  return near ?? far;
}

function isSmall(graph: Graph, { opened }: Folding): boolean {
  let steps = 0;
  for (const one of [graph, ...opened.values()]) steps += [...walkSteps(one)].length;
  return steps <= NEAR_STEPS_MAX;
}

const namesOf = ({ boxes, wires }: Layout): ReadonlySet<string> =>
  new Set([...boxes.keys(), ...wires.map(({ id, path }) => id + path)]);

/** Returns a layout that is shifted so that the step in focus keeps its screen position. */
export function useAnchoredLayout(
  layout: Layout,
  looked: (placed: PlacedLayout) => readonly (string | undefined)[],
): PlacedLayout {
  const [placed, setPlaced] = useState<PlacedLayout>(() => ({
    layout,
    offset: { x: 0, y: 0 },
    fresh: new Set(),
  }));
  if (placed.layout === layout) return placed;
  const next = {
    layout,
    offset: anchorLayout(placed.layout, layout, placed.offset, looked(placed)),
    fresh: namesOf(layout).difference(namesOf(placed.layout)),
  };
  setPlaced(next);
  return next;
}
