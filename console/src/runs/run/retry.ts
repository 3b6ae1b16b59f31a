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
