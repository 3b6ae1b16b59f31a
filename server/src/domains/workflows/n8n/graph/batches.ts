/** Batch loops: in n8n a batch node with edges leading back to it. */
import type { Edge } from "../../definition/index.ts";
import { toCode } from "../code-text.ts";
import {
  type ConvertedNode,
  firstItemScript,
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
  /** The links of the surrounding graph. */
  readonly links: readonly N8nLink[];
  readonly toSource: (link: N8nLink) => Source;
  readonly isLoop: (name: string) => boolean;
  /** `copied` nodes are also converted elsewhere. */
  readonly convert: (graph: GraphPlace, copied: ReadonlySet<string>) => ConvertedGraph;
}

const BATCH_DEFAULT = 1;

/** Converts a batch node to a loop. The body contains the nodes leading back to it. */
export function convertBatches(
  ctx: NodeContext,
  { body, links, toSource, convert, isLoop }: BatchPlace,
): ConvertedNode {
  const { node, id } = ctx;
  const { batchSize = node.version >= 3 ? BATCH_DEFAULT : 10, options } = node.parameters;
  const size = `Math.max(1, Math.round(Number(${toCode(batchSize)}) || 1))`;
  const { reset } = (options ?? {}) as { readonly reset?: unknown };
  // A reset expression restarts the batches when the node is entered again, like a nested loop here.
  if (reset === true) throw new NotConvertible("resets its batches");
  if (!body || body.size === 0) return { ...passItems(ctx), approximations: ["has no loop"] };
  assertOneEntry(node.name, body, links);
  const copied = findShared(node.name, body, links);
  if ([...copied].some(isLoop)) throw new NotConvertible("connects a loop with another loop");
  const entries = links
    .filter(({ from, to }) => from === node.name && body.has(to))
    .map(({ to }) => ({ name: to, source: ["$batch", 0] as const }));
  const back = links.filter(({ from, to }) => to === node.name && body.has(from));
  const inner = convert(
    {
      names: new Set([...body, ...copied]),
      entries,
      around: new Map([...withoutBatches(ctx.visible), [node.name, `$batch:${id}`]]),
      loop: node.name,
    },
    copied,
  );
  const backSources = back.map(toSource);
  const isInner = ([step]: Source): boolean => !inner.nodes.some(({ id: known }) => known === step);
  if (backSources.some(isInner)) throw new NotConvertible("connects a loop with an outer loop");
  const collect = listScript({ ...ctx, sources: backSources }, `${id}_back`, "return list;");
  const backEdges = edgesTo(collect.id, backSources);
  const hasBack = back.length > 0;
  const name = node.name.slice(0, 200);
  const chunk = `const size = ${size};
return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => ({ items: list.slice(at * size, (at + 1) * size), from: at * size, of: list.length }))${hasBack ? "" : ".slice(0, 1)"};`;
  return {
    steps: [
      firstItemScript(ctx, { id: `${id}_batches`, code: chunk, text: batchSize }),
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
    approximations: [
      ...(hasBack ? [] : ["does not return: only the first batch is processed"]),
      ...(hasBack && mayEndEarly(node.name, body, links)
        ? ["continues with the next batch if a branch does not return"]
        : []),
      ...(copied.size > 0 ? [`${[...copied].join(", ")}: once more within the loop`] : []),
      ...(reset === undefined || reset === false ? [] : ["starts anew each time"]),
    ],
  };
}

/** True if a body node leads back through only some of its outputs: n8n ends the loop when no item uses them. */
function mayEndEarly(loop: string, body: ReadonlySet<string>, links: readonly N8nLink[]): boolean {
  const back = new Set([loop]);
  for (let size = 0; size < back.size;) {
    size = back.size;
    for (const { from, to } of links) if (back.has(to) && body.has(from)) back.add(from);
  }
  return [...body].some((name) => {
    const own = links.filter(({ from }) => from === name);
    const outputs = [...new Set(own.map(({ output }) => output))];
    const leadsBack = (output: number): boolean =>
      own.some((link) => link.output === output && back.has(link.to));
    return outputs.some(leadsBack) && !outputs.every(leadsBack);
  });
}

/** For a loop around a loop, only the list of all its batches can be referenced. */
const withoutBatches = (visible: ReadonlyMap<string, string>): [string, string][] =>
  [...visible].map(([name, step]) => [name, step.replace(/^\$batch:(.*)$/, "$1_batches")]);

const edgesTo = (to: string, sources: readonly Source[]): Edge[] =>
  [...new Set(sources.map(([step]) => step))].map((from) => ({ from, to }));

function assertOneEntry(loop: string, body: ReadonlySet<string>, links: readonly N8nLink[]): void {
  const isEntered = ({ from, to }: N8nLink): boolean =>
    body.has(to) && !body.has(from) && from !== loop;
  if (links.some(isEntered)) throw new NotConvertible("has a loop that is entered in the middle");
}

/** Finds nodes after both the loop body and the loop end. n8n runs them in every iteration and after the last. */
function findShared(
  loop: string,
  body: ReadonlySet<string>,
  links: readonly N8nLink[],
): ReadonlySet<string> {
  const shared = new Set<string>();
  const open = links.filter(({ from, to }) => body.has(from) && !body.has(to) && to !== loop);
  for (let link = open.pop(); link; link = open.pop()) {
    const { to } = link;
    if (shared.has(to)) continue;
    shared.add(to);
    for (const next of links) {
      if (next.from !== to) continue;
      if (next.to === loop || body.has(next.to))
        throw new NotConvertible("has a loop that is entered in the middle");
      open.push(next);
    }
  }
  return shared;
}

/** Leaves room for a suffix of its steps. */
const ID_CHARACTERS_MAX = 50;

/** New ids for nodes that a loop copies. Unique for any length of names. */
export function copyIds(
  ids: ReadonlyMap<string, string>,
  loop: string,
  copied: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const made = new Map(ids);
  const used = new Set(ids.values());
  for (const name of copied) {
    const base = `${loop}_in_${ids.get(name) ?? ""}`;
    let id = base.slice(0, ID_CHARACTERS_MAX);
    for (let count = 2; used.has(id); count += 1)
      id = `${base.slice(0, ID_CHARACTERS_MAX - 3)}_${count}`;
    used.add(id);
    made.set(name, id);
  }
  return made;
}
