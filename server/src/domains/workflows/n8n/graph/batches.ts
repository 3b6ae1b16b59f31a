/** Loops over batches: n8n makes them by a node to which others lead back. */
import type { Edge } from "../../definition/index.ts";
import {
  type ConvertedNode,
  listScript,
  type NodeContext,
  NotConvertible,
  type Source,
} from "../conversion.ts";
import type { ConvertedGraph, GraphPlace } from "./graph-place.ts";
import type { N8nLink } from "../n8n-workflow.ts";
import { passItems } from "../nodes/item-nodes.ts";

interface BatchPlace {
  readonly body: ReadonlySet<string> | undefined;
  /** The links of the graph in which it stands. */
  readonly links: readonly N8nLink[];
  readonly toSource: (link: N8nLink) => Source;
  readonly convert: (graph: GraphPlace) => ConvertedGraph;
}

const BATCH_DEFAULT = 1;

/** A node that makes batches is a loop over them: its body are the nodes that lead back to it. */
export function convertBatches(
  ctx: NodeContext,
  { body, links, toSource, convert }: BatchPlace,
): ConvertedNode {
  const { node, id } = ctx;
  const { batchSize = node.version >= 3 ? BATCH_DEFAULT : 10, options } = node.parameters;
  const size = Number(batchSize);
  if (!Number.isInteger(size) || size < 1)
    throw new NotConvertible("has a size of batches by expression");
  const { reset } = (options ?? {}) as { readonly reset?: unknown };
  if (reset !== undefined && reset !== false) throw new NotConvertible("starts its batches anew");
  if (!body || body.size === 0) return { ...passItems(ctx), approximations: ["has no loop"] };
  const isSideways = links.some(
    ({ from, to }) =>
      (body.has(to) && !body.has(from) && from !== node.name) ||
      (body.has(from) && !body.has(to) && to !== node.name),
  );
  if (isSideways) throw new NotConvertible("has a loop that is entered or left sideways");
  const entries = links
    .filter(({ from, to }) => from === node.name && body.has(to))
    .map(({ to }) => ({ name: to, source: ["$batch", 0] as const }));
  const back = links.filter(({ from, to }) => to === node.name && body.has(from));
  const inner = convert({
    names: body,
    entries,
    around: new Map([...ctx.visible, [node.name, `${id}_batches`]]),
    loop: node.name,
  });
  const backSources = back.map(toSource);
  const isInner = ([step]: Source): boolean => !inner.nodes.some(({ id: known }) => known === step);
  if (backSources.some(isInner)) throw new NotConvertible("leads back out of a loop inside of it");
  const collect = listScript({ ...ctx, sources: backSources }, `${id}_back`, "return list;");
  const backEdges = [...new Set(backSources.map(([step]) => step))].map((from): Edge => ({
    from,
    to: collect.id,
  }));
  const hasBack = back.length > 0;
  const name = node.name.slice(0, 200);
  const chunk = `return Array.from({ length: Math.ceil(list.length / ${size}) }, (_, at) => ({ items: list.slice(at * ${size}, (at + 1) * ${size}) }))${hasBack ? "" : ".slice(0, 1)"};`;
  return {
    steps: [
      listScript(ctx, `${id}_batches`, chunk),
      {
        id: `${id}_loop`,
        type: "loop",
        name,
        config: {
          items: `{{ steps.${id}_batches.output }}`,
          as: "batch",
          body: {
            nodes: [...inner.nodes, ...(hasBack ? [collect] : [])],
            edges: [...inner.edges, ...(hasBack ? backEdges : [])],
          },
        },
      },
      {
        id,
        type: "script",
        name,
        config: {
          source: `return input.steps.${id}_loop.output.flatMap((one) => Array.isArray(one) ? one : one?.["${id}_back"] ?? []);`,
        },
      },
    ],
    approximations: hasBack ? [] : ["never comes back: only the first batch is done"],
  };
}
