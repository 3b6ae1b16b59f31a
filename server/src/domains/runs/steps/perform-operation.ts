import type { Rights } from "#domains/identity/accounts/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { perform } from "#kernel/operation/perform.ts";
import { newId, workspaceIdOf } from "#kernel/schema/id.ts";
import { causeOfStep, runActor, type RunContext } from "../engine/run-context.ts";
import type { PerformInput } from "./executor.ts";
import { StepFailure, toOperationFailure } from "./step-error.ts";

/** The step that performs an operation. */
interface PerformingStep {
  readonly platform: Platform;
  readonly run: RunContext;
  readonly path: string;
  readonly stepKey: string;
  readonly rights: Rights;
}

/** Performs an operation as the workflow, with these rights. */
export async function performOperation(
  { platform, run, path, stepKey, rights }: PerformingStep,
  { operation, call }: { readonly operation: string; readonly call: number },
  input: PerformInput,
): Promise<unknown> {
  const declaration = platform.operations.get(operation);
  if (!declaration) {
    throw new StepFailure("unknown_operation", `There is no operation ${operation}.`);
  }
  const caller: Caller = {
    actor: runActor(run),
    credential: undefined,
    idempotencyScope: run.id,
    workspace: { key: run.workspace, id: workspaceIdOf(run.workspace) },
    environment: run.environment,
    ...rights,
    requestId: newId("req"),
    address: "",
    origin: "",
    cause: causeOfStep(run, path),
  };
  const { status, headers, body } = await perform(platform, declaration, {
    caller,
    input: { params: input.params, query: input.query, body: input.body },
    instance: `/runs/${run.id}/${path}`,
    // A path may be long, and a key may not.
    idempotencyKey: sha256(`${stepKey} ${call}`).toString("base64url"),
  });
  const response: unknown = body === undefined ? null : JSON.parse(body);
  if (status < 400) return response;
  throw toOperationFailure({ status, headers, body: response }, platform.clock.nowMs());
}
