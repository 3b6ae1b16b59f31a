/** Assigns problems to steps and fields; the server reports paths in the definition. */
import { bodyOf, type Definition, type Graph, toKey } from "./graph.ts";
import { TRIGGER } from "./layout.ts";

export interface Problem {
  readonly path: string;
  readonly message: string;
  /** Default: error. */
  readonly severity?: "error" | "warning";
  /** The key of the step or trigger; undefined for the whole workflow. */
  readonly key: string | undefined;
  /** The path to the field within the step, such as `config/url`; empty for the step itself. */
  readonly field: string;
}

interface Finding {
  readonly path: string;
  readonly message: string;
}

export function locateProblem(definition: Definition, { path, message }: Finding): Problem {
  const parts = path.split("/").slice(1);
  if (parts[0] === "trigger")
    return { path, message, key: TRIGGER, field: parts.slice(1).join("/") };
  let graph: Graph | undefined = definition;
  let key: string | undefined;
  let at = 0;
  while (graph && parts[at] === "nodes") {
    const step: Graph["nodes"][number] | undefined = graph.nodes[Number(parts[at + 1])];
    if (!step) break;
    key = toKey(key ?? "", step.id);
    graph = parts[at + 2] === "config" && parts[at + 3] === "body" ? bodyOf(step) : undefined;
    at += graph ? 4 : 2;
  }
  if (graph && parts[at] === "edges") {
    // An edge has no card, so problems are shown on the source step.
    const edge = graph.edges[Number(parts[at + 1])];
    const from = graph.nodes.find(({ id }) => id === edge?.from);
    return {
      path,
      message: `A connection ${message}`,
      key: from ? toKey(key ?? "", from.id) : key,
      field: "",
    };
  }
  return { path, message, key, field: parts.slice(at).join("/") };
}

/** Returns the first error per step. A collapsed loop shows the errors of its steps. */
export function problemsByStep(problems: readonly Problem[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { key, message, field, severity } of problems) {
    if (key === undefined || severity === "warning" || found.has(key)) continue;
    const name = field.split("/").at(-1);
    found.set(key, name === undefined || name === "" ? message : `${name} ${message}`);
  }
  return found;
}
