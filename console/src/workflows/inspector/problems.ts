/** Groups the problems of a definition by step: the server reports JSON pointers, the editor uses step keys. */
import { bodyOf, type Definition, type Graph } from "../graph/graph.ts";

export interface DefinitionProblem {
  /** A JSON pointer such as `/nodes/2/config/url`. */
  readonly path: string;
  readonly message: string;
  readonly isWarning?: boolean;
}

/** Returns the JSON pointer of a step: `each/charge` is at `/nodes/2/config/body/nodes/0`. */
export function pointerOfStep(definition: Definition, key: string): string | undefined {
  let graph: Graph | undefined = definition;
  let pointer = "";
  for (const id of key.split("/")) {
    const n: number = graph?.nodes.findIndex((step) => step.id === id) ?? -1;
    const step = graph?.nodes[n];
    if (!step) return undefined;
    pointer += `${pointer === "" ? "" : "/config/body"}/nodes/${n}`;
    graph = bodyOf(step);
  }
  return pointer;
}

/** Returns the problems of one step, with pointers relative to the step. Problems in a loop's body are excluded. */
export function problemsOfStep(
  definition: Definition,
  key: string | undefined,
  problems: readonly DefinitionProblem[],
): readonly DefinitionProblem[] {
  const base = key === undefined ? "/trigger" : pointerOfStep(definition, key);
  if (base === undefined) return [];
  return problems
    .filter(({ path }) => path === base || path.startsWith(`${base}/`))
    .filter(({ path }) => !path.startsWith(`${base}/config/body/`))
    .map((problem) => ({ ...problem, path: problem.path.slice(base.length) }));
}
