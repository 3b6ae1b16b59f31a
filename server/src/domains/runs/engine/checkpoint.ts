import type { RunResult, StepError } from "#domains/workflows/index.ts";
import type { Execution } from "./execution.ts";
import type { Checkpoint } from "./store.ts";

/** The status, the due time and the result that follow from how far it has come. */
export function checkpointOf(execution: Execution, over: RunResult | undefined): Checkpoint {
  // As it is now: a step may end while this is being written.
  const records = [...execution.unwritten];
  if (!over) {
    const dueMs = execution.underWay > 0 ? 0 : execution.dueMs;
    const dueAt = Number.isFinite(dueMs) ? new Date(dueMs) : null;
    return { status: execution.status, dueAt, records };
  }
  const common = { status: over.status, dueAt: null, records } as const;
  if (over.status === "completed") return { ...common, output: execution.output ?? null };
  if (over.status === "failed") return { ...common, error: errorOf(execution, over.path) };
  return common;
}

/** Why the run was stopped or, when it was not, what the step that failed says. */
function errorOf(
  { steps, stopError }: Execution,
  path: string | undefined,
): StepError & { path?: string } {
  if (stopError) return { code: stopError.code, message: stopError.message };
  const { error } = steps.get(path ?? "") ?? {};
  const message = error?.message ?? `${path} failed.`;
  return { code: error?.code ?? "failed", message, ...(path !== undefined && { path }) };
}
