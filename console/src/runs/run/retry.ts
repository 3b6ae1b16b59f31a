/** The steps from which a run can be retried, and why others can't be used. */
import type { Schemas } from "../../data/api.ts";
import { isOver } from "./run-status.ts";

type Run = Pick<Schemas["Run"], "status" | "test" | "version">;

/** `failed`, `start`, or the id of a step. */
export type RetryFrom = string;

/** Returns why the run can't be retried from there; undefined if it can. */
export function findRetryRefusal(
  run: Run,
  from: RetryFrom,
  mayTrigger: boolean,
): string | undefined {
  if (!mayTrigger) return "You don't have permission to start workflows.";
  if (run.test) return "Dry runs can't be retried. Start a new dry run.";
  if (!isOver(run.status)) return "The run has not ended yet.";
  if (run.status === "completed" && from === "failed") return "The run has completed.";
  return undefined;
}

export function findCancelRefusal(run: Run, mayTrigger: boolean): string | undefined {
  if (!mayTrigger) return "You don't have permission to cancel runs.";
  return isOver(run.status) ? "The run has ended." : undefined;
}

/** For other triggers, such as events and schedules, a retry keeps the original input. */
const REPLACEABLE: ReadonlySet<string> = new Set(["manual", "webhook", "subworkflow"]);

export const mayReplaceInput = ({ triggerType }: Pick<Schemas["Run"], "triggerType">): boolean =>
  REPLACEABLE.has(triggerType);

type ReadInput = { readonly input: unknown } | { readonly problem: string };

/** Parses the edited input. */
export function readInput(text: string): ReadInput {
  try {
    return { input: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "The input is not valid JSON." };
  }
}
