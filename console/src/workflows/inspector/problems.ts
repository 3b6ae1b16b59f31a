/** Problems of a definition by step: the server says where by JSON pointer, an editor knows steps by their keys. */
import { bodyOf, type Definition, type Graph } from "../graph/graph.ts";

export interface DefinitionProblem {
  /** As `/nodes/2/config/url`. */
  readonly path: string;
  readonly message: string;
  readonly isWarning?: boolean;
}

/** The pointer of a step: `each/charge` stands at `/nodes/2/config/body/nodes/0`. */
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

/** The problems of a step itself, by pointers from the step on; of a loop without those of its body. */
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
