import {
  changeGraph,
  type Definition,
  type Graph,
  idOf,
  placeOf,
  walkSteps,
} from "../../graph/graph.ts";

const ID = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Returns why an id is invalid for a step; undefined if it is valid. */
export function stepIdError(definition: Graph, key: string, id: string): string | undefined {
  if (!ID.test(id))
    return "Use only letters, digits and _, and start with a letter. Example: get_order";
  const isTaken = [...walkSteps(definition)].some(
    ([other, step]) => step.id === id && other !== key,
  );
  return isTaken ? "Another step has this ID." : undefined;
}

/** Changes a step id and updates edges and expressions. */
export function changeStepId(definition: Definition, key: string, id: string): Definition {
  const old = idOf(key);
  const follow = (end: string): string => (end === old ? id : end);
  const renamed = changeGraph(definition, placeOf(key), ({ nodes, edges }) => ({
    nodes: nodes.map((step) => (step.id === old ? { ...step, id } : step)),
    edges: edges.map((edge) => ({ ...edge, from: follow(edge.from), to: follow(edge.to) })),
  }));
  const mention = new RegExp(String.raw`\bsteps\.${old}(?![\w-])`, "g");
  return { ...renamed, nodes: replaceText(renamed.nodes, mention, `steps.${id}`) };
}

function replaceText<T>(value: T, pattern: RegExp, by: string): T {
  if (typeof value === "string") return value.replaceAll(pattern, by) as T;
  if (Array.isArray(value))
    return value.map((item: unknown) => replaceText(item, pattern, by)) as T;
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    replaceText(item, pattern, by),
  ]);
  return Object.fromEntries(entries) as T;
}
