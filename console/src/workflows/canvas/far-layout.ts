/** Computes layouts in a worker. If the worker can't start, the page computes them. */
import type { Graph } from "../graph/graph.ts";
import { type Folding, type Layout, layOut } from "../graph/layout.ts";
import type { LayoutAnswer, LayoutWish } from "./layout-worker.ts";

const waiting = new Map<number, (layout: Layout | undefined) => void>();
let worker: Worker | undefined;
let lastId = 0;

function openWorker(): Worker {
  const opened = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" });
  opened.addEventListener("message", ({ data }: MessageEvent<LayoutAnswer>) =>
    settle(data.id, data.layout),
  );
  opened.addEventListener("error", () => {
    worker = undefined;
    for (const id of waiting.keys()) settle(id, undefined);
  });
  return opened;
}

function settle(id: number, layout: Layout | undefined): void {
  waiting.get(id)?.(layout);
  waiting.delete(id);
}

export async function layOutFar(graph: Graph, folding: Folding): Promise<Layout> {
  const id = (lastId += 1);
  const { nodes, edges } = graph;
  const answer = await new Promise<Layout | undefined>((resolve) => {
    waiting.set(id, resolve);
    worker ??= openWorker();
    worker.postMessage({ id, graph: { nodes, edges }, folding } satisfies LayoutWish);
  });
  return answer ?? layOut(graph, folding);
}
