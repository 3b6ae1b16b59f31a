import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Causation } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import type { Execution as ScriptExecution, ScriptOutcome } from "#kernel/sandbox/sandbox.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import { toStorableJson } from "#kernel/schema/json-value.ts";
import { intersectRights, requireRights, type Rights } from "#domains/identity/accounts/index.ts";
import { type Artifact, artifactRef } from "../artifacts/artifact.ts";
import { assertInput, checkOutputs } from "./artifact-fields.ts";
import { causedByExecution, hostCallsFor } from "./host/script-context.ts";
import { loadModules } from "../modules/link-artifact.ts";
import { withinModuleAuthors } from "../modules/module-rights.ts";
import { toProgram } from "../modules/module-program.ts";
import { ArtifactExecuted } from "./events.ts";
import { contextValues } from "./context-values.ts";
import { type Execution, type ExecutionOutcome, toOutcome } from "./execution.ts";
import { type CallOperation, operationCallerFor } from "#kernel/operation/call-operation.ts";
import { type FileAccess, ScriptFiles } from "./host/script-files.ts";
import * as store from "./store.ts";

type HostCall = ScriptExecution["call"];

/** A request to execute an artifact. */
export interface ExecutionRequest {
  readonly artifact: Artifact;
  /** The caller and the partition. The code has only permissions that the author has too. */
  readonly caller: Caller;
  readonly input: unknown;
  readonly previous?: ExecutionOutcome["previous"];
  readonly triggerType: string;
  readonly dueAt?: string;
  readonly attempt?: number;
  readonly signal?: AbortSignal | undefined;
  /** Replaces the host calls, for tests of artifacts. */
  readonly hostCall?: HostCall;
  /** Replaces the operation calls of `caller`. Receives the permissions shared with the author. */
  readonly performWithin?: (rights: Rights) => CallOperation;
  /** The files of its step, for the permissions shared with the author. */
  readonly filesWithin?: (rights: Rights) => FileAccess;
  /** Equal for all attempts of a workflow step. */
  readonly idempotencyKey?: string;
}

/** Validates the input, runs the script and validates its output, outside any transaction. */
export async function runArtifact(
  platform: Platform,
  request: ExecutionRequest,
): Promise<Execution> {
  return (await runArtifactWithResult(platform, request)).execution;
}

/** Runs an artifact and returns the script's unchanged result; in the execution it is always an object. */
export async function runArtifactWithResult(
  platform: Platform,
  request: ExecutionRequest,
): Promise<{ readonly execution: Execution; readonly returned: unknown }> {
  const { artifact, caller, input, triggerType, signal } = request;
  const { workspace } = caller;
  if (!workspace) throw new Error("An artifact belongs to a workspace.");
  assertInput(artifact, input);
  const startedAt = platform.clock.now();
  const id = newId("exe", startedAt.getTime());
  const scrubbers: Scrubber[] = [];
  const { timeoutMs } = artifact.detail;
  const { modules, authors } = await loadModules(platform, partitionOfCaller(caller), artifact);
  const author = await withinModuleAuthors(
    platform,
    { workspace: workspace.key, authors },
    await requireRights(platform, workspace.key, artifact),
  );
  const rights = sharedRights(caller, author);
  const files = new ScriptFiles(request.filesWithin?.(rights));
  const scriptRun = platform.sandbox.run({
    source: toProgram(artifact),
    ...(modules && { modules }),
    owner: workspace.key,
    input,
    facts: {
      ...(await contextValues(platform, caller)),
      triggerType,
      previous: request.previous ?? null,
    },
    limits: { ...(timeoutMs !== undefined && { timeoutMs }) },
    call:
      request.hostCall ??
      buildHostCalls(platform, request, { id, author, rights, scrubbers, files }),
    ...(signal && { signal }),
  });
  const rawOutcome = await scriptRun.finally(() => files.end());
  const outcome = scrubbers.reduce<ScriptOutcome>(
    (outcome, scrubber) => scrubber.scrubJson(outcome),
    toStorableJson(checkOutputs(artifact, rawOutcome)),
  );
  return { execution: toExecution(request, outcome, startedAt, id), returned: outcome.output };
}

/** Converts the sandbox's outcome to an execution. */
export function toExecution(
  request: ExecutionRequest,
  outcome: ScriptOutcome,
  startedAt: Date,
  id = newId("exe", startedAt.getTime()),
): Execution {
  const { artifact, triggerType } = request;
  return {
    id,
    artifactId: artifact.id,
    versionNumber: artifact.versionNumber,
    triggerType,
    status: outcome.status,
    dueAt: request.dueAt ?? null,
    attempt: request.attempt ?? 1,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(outcome.durationMs),
    outcome: toOutcome(outcome, request.previous ?? null),
    logs: [...outcome.logs],
  };
}

/** Stores an execution with its caller and cause, and emits its event, whose maker is the execution itself. */
export function recordExecution(
  ctx: WriteContext<typeof ArtifactExecuted>,
  artifact: Pick<Artifact, "id" | "name">,
  execution: Execution,
  { runAs, cause }: Pick<store.ExecutionOrigin, "runAs"> & { readonly cause: Causation },
): void {
  const { correlationId, causationId, madeBy } = cause;
  store.insert(ctx.send, execution, { runAs, correlationId, causationId, madeBy });
  const { outcome, logs: _, ...summary } = execution;
  const data = { ...summary, error: outcome.runtimeError?.name ?? null };
  ctx.emit(ArtifactExecuted, artifactRef(artifact), data, { id: execution.id });
}

/**
 * The host calls of an execution, as operations with the permissions that caller and author share: code gains no
 * permissions from a more privileged caller. It uses secrets with the author's permission.
 */
interface ArtifactRun {
  readonly id: string;
  readonly author: Rights;
  readonly rights: Rights;
  readonly scrubbers: Scrubber[];
  readonly files: ScriptFiles;
}

/** The permissions that both the caller and the author have. */
function sharedRights({ permissions, principal }: Caller, author: Rights): Rights {
  return principal ? intersectRights({ permissions, principal }, author) : author;
}

function buildHostCalls(
  platform: Platform,
  { artifact, caller, performWithin, idempotencyKey }: ExecutionRequest,
  { id, author, rights, scrubbers, files }: ArtifactRun,
): HostCall {
  const instance = `/artifacts/${artifact.id}`;
  return hostCallsFor({
    platform,
    partition: partitionOfCaller(caller),
    scrubbers,
    files,
    perform:
      performWithin?.(rights) ??
      operationCallerFor(
        platform,
        causedByExecution({ ...caller, ...rights, isDelegated: true }, id),
        instance,
      ),
    secretUser: async () => author,
    idempotencyKey,
  });
}
