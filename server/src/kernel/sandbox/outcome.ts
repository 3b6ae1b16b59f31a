import { BOUNDS } from "./limits.ts";
import { placeless } from "./script-error.ts";
import { parseJson } from "./json.ts";
import type { Result } from "./protocol.ts";
import type { ScriptError, ScriptOutcome, ScriptStatus } from "./script.ts";

/** How a run ended, apart from what it wrote. */
export type Conclusion = Omit<ScriptOutcome, "messages" | "uiStateChanges" | "logs" | "durationMs">;

/** What a process reports, read; `input` is what the script was given. */
export function reported(result: Result, input: string): Conclusion {
  const { status, output, current, abortReason, error } = result;
  return {
    status,
    output: status === "completed" && output !== undefined ? parseJson(output) : null,
    current: parseJson(current ?? input),
    abortReason: status === "aborted" ? (abortReason ?? "") : null,
    error: status === "failed" ? (error ?? crash()) : errorOf(status),
  };
}

/** A run that was stopped, or that took its process with it. */
export function stopped(status: ScriptStatus, input: string, timeoutMs?: number): Conclusion {
  const error = status === "failed" ? crash() : errorOf(status, timeoutMs);
  return { status, output: null, current: parseJson(input), abortReason: null, error };
}

function errorOf(status: ScriptStatus, timeoutMs?: number): ScriptError | null {
  switch (status) {
    case "timed_out":
      return placeless("TimeoutError", `The script was stopped after ${timeoutMs} ms.`);
    case "out_of_memory":
      return placeless("MemoryError", "The script needs more memory than it may have.");
    case "too_large":
      return placeless(
        "RangeError",
        `The output is larger than ${BOUNDS.outputMax} characters of JSON, or nested deeper than ${BOUNDS.depthMax} levels.`,
      );
    case "completed":
    case "aborted":
    case "failed":
      return null;
  }
}

function crash(): ScriptError {
  return placeless("Error", "The script's process ended before the script did.");
}
