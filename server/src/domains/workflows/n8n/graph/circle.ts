/**
 * Cycles of nodes are imported as a `repeat` with one iteration per pass. It ends when no item returns; the items
 * that left the cycle continue afterwards.
 */
import type { Edge, Node } from "../../definition/index.ts";
import {
  type ConvertedNode,
  listScript,
  type NodeContext,
  scriptStep,
  type Source,
} from "../conversion.ts";
import type { N8nLink } from "../n8n-workflow.ts";

/** Nodes that lead back to one of them, which is the entry. */
export interface Circle {
  readonly entry: string;
  readonly members: ReadonlySet<string>;
}

/** The cycles of a graph with a single entry node. */
export function findCircles(
  names: readonly string[],
  links: readonly N8nLink[],
  entries: ReadonlySet<string>,
): Circle[] {
  return findComponents(names, links).flatMap((members) => {
    const first = [...members][0] ?? "";
    const isCircle =
      members.size > 1 || links.some(({ from, to }) => from === first && to === first);
    const entered = [...members].filter(
      (name) =>
        entries.has(name) || links.some(({ from, to }) => to === name && !members.has(from)),
    );
    const [entry] = entered;
    return isCircle && entry !== undefined && entered.length === 1 ? [{ entry, members }] : [];
  });
}

/** Strongly connected components by Tarjan's algorithm. */
function findComponents(names: readonly string[], links: readonly N8nLink[]): Set<string>[] {
  const targets = Map.groupBy(links, ({ from }) => from);
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const found: Set<string>[] = [];
  const visit = (name: string): void => {
    numbers.set(name, numbers.size);
    lowest.set(name, numbers.get(name) ?? 0);
    stack.push(name);
    open.add(name);
    for (const { to } of targets.get(name) ?? []) {
      if (!numbers.has(to)) visit(to);
      else if (!open.has(to)) continue;
      lowest.set(name, Math.min(lowest.get(name) ?? 0, lowest.get(to) ?? 0));
    }
    if (lowest.get(name) !== numbers.get(name)) return;
    const component = new Set<string>();
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      open.delete(at);
      component.add(at);
      if (at === name) break;
    }
    found.push(component);
  };
  for (const name of names) if (!numbers.has(name)) visit(name);
  return found;
}

const TURNS_MAX = 1_000;

/** The steps around the nodes of a cycle. */
export function circleSteps(
  ctx: NodeContext,
  inner: { readonly nodes: readonly Node[]; readonly edges: readonly Edge[] },
  {
    back,
    exits,
    seen,
  }: {
    readonly back: readonly Source[];
    readonly exits: readonly Source[];
    /** Ids of steps that later nodes reference, with their values of the last iteration. */
    readonly seen: readonly string[];
  },
): ConvertedNode {
  const { id, node } = ctx;
  const from = (sources: readonly Source[]): string =>
    `n8n.items(input, ${JSON.stringify(sources.map(([step, output]) => (output === 0 ? [step] : [step, output])))})`;
  const turn = scriptStep(
    ctx,
    `${id}_turn`,
    `return {
  back: ${from(back)},
  left: [${exits.map((one) => from([one])).join(", ")}],${seen.length === 0 ? "" : `\n  seen: { ${seen.map((step) => `${step}: input.steps.${step}?.output`).join(", ")} },`}
};`,
  );
  const lists = exits.map((_, at) => `o${at}: turns.flatMap(({ left }) => left[${at}])`);
  return {
    steps: [
      listScript(ctx, `${id}_begin`, "return { back: list };"),
      {
        id: `${id}_turns`,
        type: "repeat",
        name: node.name.slice(0, 200),
        config: {
          state: `{{ steps.${id}_begin.output }}`,
          as: "turn",
          until: `$count(steps.${id}_turn.output.back) = 0`,
          max: TURNS_MAX,
          collect: true,
          body: {
            nodes: [...inner.nodes, turn],
            edges: [
              ...inner.edges,
              ...inner.nodes.map(({ id: step }) => ({ from: step, to: turn.id })),
            ],
          },
        },
      },
      // Placed before the last step, so that all later steps wait for it.
      ...seen.map((step) =>
        scriptStep(
          ctx,
          `${step}_last`,
          `return input.steps.${id}_turns.output.last.seen.${step} ?? [];`,
        ),
      ),
      scriptStep(
        ctx,
        `${id}_left`,
        `const turns = input.steps.${id}_turns.output.outputs;
return { ${[...lists, ...(lists.length === 0 ? ["o0: []"] : [])].join(", ")} };`,
      ),
    ],
  };
}
