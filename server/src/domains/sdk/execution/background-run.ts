import { requireRights } from "#domains/identity/accounts/index.ts";
/** Background runs: executions of scheduled jobs and webhook handlers. */
import { type Caller, systemCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import type { Causation } from "#kernel/log/event.ts";
import { Failure, Invalid } from "#kernel/operation/failure.ts";
import type { ScriptOutcome } from "#kernel/sandbox/sandbox.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import type { Execution } from "./execution.ts";
import { toExecution, type ExecutionRequest, runArtifactWithResult } from "./run-artifact.ts";

/** The caller of a background run: the artifact, with the current permissions of the member who last saved it. */
export async function backgroundCaller(
  platform: Platform,
  artifact: Artifact,
  { partition, cause }: { readonly partition: Partition; readonly cause: Causation },
): Promise<Caller> {
  const { id, name } = artifact;
  return {
    ...systemCaller(partition, cause),
    actor: { id, name, type: "system" },
    ...(await requireRights(platform, partition.workspace, artifact)),
  };
}

/** Runs an artifact. Invalid input is recorded as a failed execution, because there is no caller to reject. */
export async function runInBackground(
  platform: Platform,
  request: ExecutionRequest,
): Promise<{ readonly execution: Execution; readonly returned: unknown }> {
  try {
    return await runArtifactWithResult(platform, request);
  } catch (error) {
    if (!(error instanceof Failure) || error.type !== Invalid) throw error;
    const [fieldError] = error.particulars.errors ?? [];
    const message = fieldError ? `${fieldError.path} ${fieldError.message}` : error.message;
    const outcome: ScriptOutcome = {
      status: "failed",
      output: null,
      current: request.input,
      abortReason: null,
      error: { name: "InputError", message, line: null, column: null, stack: "" },
      messages: [],
      uiStateChanges: [],
      logs: [],
      durationMs: 0,
    };
    return { execution: toExecution(request, outcome, platform.clock.now()), returned: null };
  }
}
