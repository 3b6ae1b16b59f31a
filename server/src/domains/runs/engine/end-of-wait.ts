import type { StepError } from "#domains/workflows/index.ts";
import { type JournalRecord, verdictOf } from "./journal-record.ts";

/** What comes of a step that has waited: an answer, or that it waited in vain. */
export function endOfWait(
  record: JournalRecord,
): { readonly output: unknown; readonly branch?: string } | { readonly error: StepError } {
  const { path, wait, answer } = record;
  if (answer?.kind === "event") return { output: answer.event };
  if (answer?.kind === "child" && answer.status === "completed") return { output: answer.output };
  if (answer?.kind === "child") {
    const message = answer.error?.message ?? `The run was ${answer.status}.`;
    return { error: { code: "subworkflow_failed", message } };
  }
  const branch = verdictOf(record);
  if (wait?.kind === "approval" && branch) {
    const { decisions } = wait;
    const data = decisions.findLast((one) => one.data !== undefined)?.data ?? null;
    return { output: { approved: branch === "approved", data, decisions }, branch };
  }
  if (wait?.kind === "delay") return { output: null };
  const code = wait?.kind === "approval" ? "approval_expired" : "wait_expired";
  return { error: { code, message: `${path} waited in vain.`, retryable: false } };
}
