import { useMemo, useRef } from "react";
import { bodyOf, type Graph, walkSteps } from "../graph/graph.ts";
import { anchorLayout, type Folding, type Layout, layOut, type Point } from "../graph/layout.ts";

export interface PlacedLayout {
  readonly layout: Layout;
  readonly offset: Point;
  /** Steps and wires that were not there before: they appear. */
  readonly fresh: ReadonlySet<string>;
}

const namesOf = ({ boxes, wires }: Layout): ReadonlySet<string> =>
  new Set([...boxes.keys(), ...wires.map(({ id, path }) => id + path)]);

/** What decides where steps stand, as text: writing in a field lays nothing out. */
function shapeOf(graph: Graph): string {
  const edges = [...walkSteps(graph)].map(([key, step]) => [key, bodyOf(step)?.edges]);
  return JSON.stringify([graph.edges, edges]);
}

/** The layout of the moment, moved so that what one looks at stays where it was. */
export function useAnchoredLayout(
  graph: Graph,
  folding: Folding,
  looked: (placed: PlacedLayout | undefined) => readonly (string | undefined)[],
): PlacedLayout {
  const last = useRef<PlacedLayout>(undefined);
  const shape = useMemo(() => shapeOf(graph), [graph]);
  return useMemo(() => {
    const before = last.current;
    const layout = layOut(graph, folding);
    const fresh = before ? namesOf(layout).difference(namesOf(before.layout)) : new Set<string>();
    const offset = before
      ? anchorLayout(before.layout, layout, before.offset, looked(before))
      : { x: 0, y: 0 };
    last.current = { layout, offset, fresh };
    return last.current;
    // The graph and the looked-at step count only when the shape changes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [shape, folding]);
}
