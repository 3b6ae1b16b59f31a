/** The test of one step: it and whatever leads to it, the latter taken from pins or from the run that is shown. */
import type { Schemas } from "../../data/api.ts";
import { type Definition, findGraph, type Graph, idOf, placeOf } from "../graph/graph.ts";
import type { RunView } from "../graph/run-view.ts";

type Pins = Readonly<Record<string, unknown>>;

export interface StepTest {
  readonly definition: Schemas["WorkflowDefinition"];
  readonly mocks: Pins;
  /** Steps before it that have no value yet: they run, too. */
  readonly unknown: readonly string[];
}

/** Undefined for a step of a loop, which has no item to be tested with. */
export function planStepTest(
  definition: Definition,
  key: string,
  run: RunView,
  pins: Pins,
): StepTest | undefined {
  const graph = findGraph(definition, "");
  if (placeOf(key) !== "" || !graph) return undefined;
  const id = idOf(key);
  const before = idsBefore(graph, id);
  const mocks: Record<string, unknown> = {};
  for (const one of before) {
    const step = run.steps.get(one);
    if (Object.hasOwn(pins, one)) mocks[one] = pins[one];
    else if (step?.output !== undefined) mocks[one] = step.output;
  }
  const kept = new Set([...before, id]);
  return {
    mocks,
    unknown: before.filter((one) => !Object.hasOwn(mocks, one)),
    definition: {
      ...definition,
      nodes: graph.nodes.filter((step) => kept.has(step.id)),
      edges: graph.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
    } as Schemas["WorkflowDefinition"],
  };
}

function idsBefore(graph: Graph, id: string): readonly string[] {
  const found = new Set<string>();
  const pending = [id];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const { from, to } of graph.edges) {
      if (to !== at || found.has(from) || from === id) continue;
      found.add(from);
      pending.push(from);
    }
  }
  return [...found];
}
