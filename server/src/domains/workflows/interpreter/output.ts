import type { ExecutionPlan } from "../definition/index.ts";
import type { StepRecord } from "./step.ts";

/**
 * Returns the run output: from the completed respond step, otherwise from the sinks. If there are several respond
 * steps, the first in graph order is used.
 */
export function runOutput(
  { graph }: ExecutionPlan,
  steps: ReadonlyMap<string, StepRecord>,
): unknown {
  const isCompleted = ({ id }: { readonly id: string }) => steps.get(id)?.status === "completed";
  const response = graph.nodes.find((node) => node.type.answers === true && isCompleted(node));
  const ended = response === undefined ? graph.sinks.filter(isCompleted) : [response];
  return combineOutputs(ended.map(({ id }) => [id, steps.get(id)?.output]));
}

/** Returns the graph output: from the completed sink, or from several sinks by id. */
export function combineOutputs(
  outputs: readonly (readonly [id: string, output: unknown])[],
): unknown {
  const [first, second] = outputs;
  if (first === undefined) return null;
  return second === undefined ? (first[1] ?? null) : Object.fromEntries(outputs);
}
