import type { Rights } from "#domains/identity/accounts/index.ts";
import type { Caller, CallingRun } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { perform } from "#kernel/operation/perform.ts";
import {
  copyFile,
  type FileReference,
  isMissingFile,
  replaceReferences,
} from "#domains/files/index.ts";
import { derivedId, newId, workspaceIdOf } from "#kernel/schema/id.ts";
import { causeOfStep, runActor, type RunContext } from "../engine/run-context.ts";
import { givenFilesOf } from "../start/given-files.ts";
import { StepFailure, toOperationFailure } from "./step-error.ts";

export interface PerformInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export interface PerformingStep {
  readonly platform: Platform;
  readonly run: RunContext;
  readonly path: string;
  readonly stepKey: string;
  /** True if no part of the step can have been executed before. */
  readonly isFirst?: boolean;
  readonly rights: Rights;
  /** The files named in its configuration. */
  readonly namedFiles?: ReadonlySet<string>;
}

/** Creates the caller for operations of a step, using these rights and the run's files. */
export function stepCaller({
  run,
  path,
  stepKey,
  rights,
  namedFiles,
}: Omit<PerformingStep, "platform">): Caller & { readonly run: CallingRun } {
  return {
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
    run: {
      id: run.id,
      step: stepKey,
      givenFiles: new Set([...givenFilesOf(run.trigger), ...(namedFiles ?? [])]),
    },
  };
}

/** Operations that accept file handles. Others accept upload ids, so each file is copied to an upload. */
const TAKES_HANDLES: ReadonlySet<string> = new Set([
  "connectors.invoke",
  "topics.publish",
  "workflows.trigger",
]);

/** Performs an operation as the workflow, with these rights. */
export async function performOperation(
  step: PerformingStep,
  { operation, call }: { readonly operation: string; readonly call: number },
  input: PerformInput,
): Promise<unknown> {
  const { platform, run, path, stepKey } = step;
  const declaration = platform.operations.get(operation);
  if (!declaration) {
    throw new StepFailure("unknown_operation", `The operation ${operation} does not exist.`);
  }
  const caller = stepCaller(step);
  const given = TAKES_HANDLES.has(operation)
    ? input.body
    : await replaceReferences(input.body, (reference) =>
        copyForOperation(step, { caller, call, reference }),
      );
  const { status, headers, body } = await perform(platform, declaration, {
    caller,
    input: { params: input.params, query: input.query, body: given },
    instance: `/runs/${run.id}/${path}`,
    // Hashed, because a path can be longer than a key may be.
    idempotencyKey: sha256(`${stepKey} ${call}`).toString("base64url"),
    isFirst: step.isFirst ?? false,
  });
  const response: unknown = body === undefined ? null : JSON.parse(body);
  if (status < 400) return response;
  throw toOperationFailure({ status, headers, body: response }, platform.clock.nowMs());
}

/** Copies the file of a handle to an upload. Returns the value unchanged if the run has no such file. */
async function copyForOperation(
  { platform, run, stepKey }: PerformingStep,
  {
    caller,
    call,
    reference,
  }: { readonly caller: Caller; readonly call: number; readonly reference: FileReference },
): Promise<unknown> {
  const fileId = reference.$file;
  const copyId = derivedId("file", `${run.id} ${stepKey} ${call} ${fileId}`);
  try {
    return await copyFile(platform, caller, { fileId, copyId });
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    return reference;
  }
}
