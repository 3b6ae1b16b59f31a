/** The values that a step's expressions can use, nearest first: the loop item, earlier steps, the trigger. */
import type { ScopeSource } from "../../../code/index.ts";
import { joinPath } from "../../../ui/json/value.ts";
import {
  bodyOf,
  type Definition,
  findGraph,
  findStep,
  type Graph,
  idOf,
  placeOf,
  type Step,
  toKey,
} from "../../graph/graph.ts";
import type { RunView } from "../../graph/run-view.ts";

export interface ScopeInput {
  readonly definition: Definition;
  readonly key: string;
  readonly run: RunView;
  /** Pinned outputs by step, such as `each.charge`. */
  readonly pins: Readonly<Record<string, unknown>>;
  readonly trigger: unknown;
  /** The selected item of each loop. */
  readonly items: ReadonlyMap<string, number>;
}

export function listSources(input: ScopeInput): readonly ScopeSource[] {
  const { definition, run, pins } = input;
  const sources: ScopeSource[] = [];
  for (let key = input.key; key !== ""; key = placeOf(key)) {
    const place = placeOf(key);
    const graph = findGraph(definition, place);
    if (!graph) break;
    for (const step of stepsBefore(graph, idOf(key))) {
      const { id, name = id } = step;
      const own = toKey(place, id);
      const pinned = toPinKey(own);
      const value = Object.hasOwn(pins, pinned) ? pins[pinned] : run.steps.get(own)?.output;
      sources.push({ path: `${joinPath("steps", id)}.output`, title: name, value });
    }
    const loop = place === "" ? undefined : findStep(definition, place);
    if (loop && bodyOf(loop)) sources.push(toItemSource(loop, place, input));
  }
  return [...sources, { path: "trigger", title: "Trigger", value: input.trigger }];
}

/** Converts `each/charge` to the server's form, `each.charge`. */
export const toPinKey = (key: string): string => key.replaceAll("/", ".");

/** Adds the selected loop items to a key: `each/charge` becomes `each[3].charge`. */
export function toItemKey(key: string, items: ReadonlyMap<string, number>): string {
  const ids = key.split("/");
  return ids
    .map((id, n) => {
      const item = items.get(ids.slice(0, n + 1).join("/"));
      return item === undefined || n === ids.length - 1 ? id : `${id}[${item}]`;
    })
    .join(".");
}

/** Returns the predecessors of a step, nearest first. */
function stepsBefore(graph: Graph, id: string): readonly Step[] {
  const found: string[] = [];
  const pending = [id];
  for (let at = pending.shift(); at !== undefined; at = pending.shift()) {
    for (const { from, to } of graph.edges) {
      if (to !== at || found.includes(from) || from === id) continue;
      found.push(from);
      pending.push(from);
    }
  }
  return found.flatMap((one) => graph.nodes.find((step) => step.id === one) ?? []);
}

function toItemSource(loop: Step, place: string, { run, items }: ScopeInput): ScopeSource {
  const name = typeof loop.config?.["as"] === "string" ? loop.config["as"] : "item";
  const input = run.steps.get(place)?.input as { readonly items?: unknown } | undefined;
  const list = input?.items;
  const value: unknown = Array.isArray(list) ? list[items.get(place) ?? 0] : undefined;
  return { path: name, title: `${loop.name ?? loop.id}: this ${name}`, value };
}
