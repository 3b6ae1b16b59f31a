/** Computes layouts of large graphs in a worker, so that the page stays responsive. */
import type { Graph } from "../graph/graph.ts";
import { type Folding, type Layout, layOut } from "../graph/layout.ts";

export interface LayoutWish {
  readonly id: number;
  readonly graph: Graph;
  readonly folding: Folding;
}

export interface LayoutAnswer {
  readonly id: number;
  readonly layout: Layout;
}

addEventListener("message", ({ data: { id, graph, folding } }: MessageEvent<LayoutWish>) => {
  postMessage({ id, layout: layOut(graph, folding) } satisfies LayoutAnswer);
});
