/** From where a run can be done again, and why not. */
import type { Schemas } from "../../data/api.ts";
import { isOver } from "./run-status.ts";

type Run = Pick<Schemas["Run"], "status" | "test" | "version">;

/** `failed`, `start`, or the id of a step. */
export type RetryFrom = string;

/** The reason why it can't be retried from there; undefined when it can. */
export function findRetryRefusal(
  run: Run,
  from: RetryFrom,
  mayTrigger: boolean,
): string | undefined {
  if (!mayTrigger) return "You may not start workflows.";
  if (run.test) return "A test is not retried; test again.";
  if (!isOver(run.status)) return "The run is still under way.";
  if (run.status === "completed" && from === "failed") return "The run has completed.";
  return undefined;
}

export function findCancelRefusal(run: Run, mayTrigger: boolean): string | undefined {
  if (!mayTrigger) return "You may not end runs.";
  return isOver(run.status) ? "The run is over." : undefined;
}

/** Runs that began by a message or a time have the input that this had. */
const REPLACEABLE: ReadonlySet<string> = new Set(["manual", "webhook", "subworkflow"]);

export const mayReplaceInput = ({ triggerType }: Pick<Schemas["Run"], "triggerType">): boolean =>
  REPLACEABLE.has(triggerType);

type ReadInput = { readonly input: unknown } | { readonly problem: string };

/** The input as somebody wrote it. */
export function readInput(text: string): ReadInput {
  try {
    return { input: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "It is no JSON." };
  }
}
