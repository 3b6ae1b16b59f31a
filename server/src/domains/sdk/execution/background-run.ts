/** Executions that nobody asked for by hand: of scheduled jobs, and for requests from outside. */
import { type Caller, systemCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import type { Causation } from "#kernel/log/event.ts";
import { Failure, Invalid } from "#kernel/operation/failure.ts";
import type { ScriptOutcome } from "#kernel/sandbox/sandbox.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import type { Execution } from "./execution.ts";
import {
  executionOf,
  type ExecutionRequest,
  permissionsFor,
  runForAnswer,
} from "./run-artifact.ts";

/** Who acts then: the artifact itself, with what whoever saved it last may do now. */
export async function backgroundCaller(
  platform: Platform,
  artifact: Artifact,
  { partition, cause }: { readonly partition: Partition; readonly cause: Causation },
): Promise<Caller> {
  const { id, name } = artifact;
  return {
    ...systemCaller(partition, cause),
    actor: { id, name, type: "system" },
    ...(await permissionsFor(platform, partition.workspace, artifact)),
  };
}

/** Runs it. Nobody is there to be told that the input is not what it takes: then it has failed. */
export async function runInBackground(
  platform: Platform,
  order: ExecutionRequest,
): Promise<{ readonly execution: Execution; readonly returned: unknown }> {
  try {
    return await runForAnswer(platform, order);
  } catch (error) {
    if (!(error instanceof Failure) || error.type !== Invalid) throw error;
    const [fault] = error.particulars.errors ?? [];
    const message = fault ? `${fault.path} ${fault.message}` : error.message;
    const told: ScriptOutcome = {
      status: "failed",
      output: null,
      current: order.input,
      abortReason: null,
      error: { name: "InputError", message, line: null, column: null, stack: "" },
      messages: [],
      uiStateChanges: [],
      logs: [],
      durationMs: 0,
    };
    return { execution: executionOf(order, told, platform.clock.now()), returned: null };
  }
}
