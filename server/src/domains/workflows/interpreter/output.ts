import type { Plan } from "../definition/index.ts";
import { combined } from "./progress.ts";
import type { StepRecord } from "./step.ts";

/**
 * The result of a run: the output of the respond step that ran, the first in the order of the
 * graph if several did; otherwise that of the sink that completed, or of several by their ids.
 */
export function outputOf({ graph }: Plan, steps: ReadonlyMap<string, StepRecord>): unknown {
  const isDone = ({ id }: { readonly id: string }) => steps.get(id)?.status === "completed";
  const answer = graph.nodes.find((node) => node.type.answers === true && isDone(node));
  const ended = answer === undefined ? graph.sinks.filter(isDone) : [answer];
  return combined(ended.map(({ id }) => [id, steps.get(id)?.output]));
}
