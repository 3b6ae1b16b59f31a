import { givenFilesPart } from "../start/given-files.ts";
import { adoptUploads, assertReadableFiles } from "../start/run-files.ts";
import { findFileIds } from "#domains/files/index.ts";
import { authorityOf, NobodyBehind } from "#domains/identity/accounts/index.ts";
import {
  ArchivedVersion,
  ArchivedWorkflow,
  findInputErrors,
  findStartable,
  findTrigger,
  findVersion,
  holdVersion,
  planOfVersion,
  type PlannedVersion,
  type Trigger,
  triggerName,
} from "#domains/workflows/index.ts";
import { type Caller, type WorkspaceRef } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { causationOf } from "#kernel/log/event-log.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import { assertNoErrors, Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { ChainTooDeep } from "#kernel/operation/layers/chain-depth.ts";
import { firstCheckpoint } from "../start/queued-start.ts";
import type { RunContext } from "../engine/run-context.ts";
import { type PreparedStart, startInline, writeRunStart } from "../start/start-run.ts";
import { isOver } from "../engine/store.ts";
import { toCheckpoint } from "../engine/checkpoint.ts";
import type { StartEvent } from "../events.ts";
import { NotDeployed, type TriggeredRun } from "../run.ts";
import { ChainTooLong, takeLink } from "../start/chain-bound.ts";
import { tellRefusedStart } from "../start/chain-cut.ts";
import { chooseEvent } from "../triggers/chosen-event.ts";
import { elapsedMs, type StoredRun } from "../store.ts";
import { type WaitOptions, waitUntilEnded } from "../run-watch.ts";

/** The input or event of a manual run, and the version if it is not the deployed one. */
export interface TriggerRequest {
  readonly input?: unknown;
  readonly event?: unknown;
  readonly eventId?: string;
  readonly versionId?: string;
  readonly triggerId?: string;
}

/** Resolves the version and starts the run inline, before anything is written. */
export async function prepareTrigger(
  platform: Platform,
  caller: Caller,
  workflowId: string,
  request: TriggerRequest,
): Promise<PreparedStart> {
  const { environment, cause } = caller;
  await assertReadableFiles(platform, caller, { input: request.input, event: request.event });
  const chosen = await chooseEvent(platform, caller, request);
  const depth = Math.max(cause.depth, chosen.past?.depth ?? 0);
  if (depth >= CAUSATION_DEPTH_MAX) throw new Failure(ChainTooDeep);
  const workspace = workspaceKeyOf(caller);
  const link = {
    workspace,
    workflowId,
    correlationId: cause.correlationId,
    depth: depth + 1,
  };
  if (!(await takeLink(platform, link))) {
    await tellRefusedStart(platform, { ...link, environment, cause });
    throw new Failure(ChainTooLong);
  }
  const { versionId, ...authority } = await platform.db.read({ workspace, environment }, (tx) =>
    resolveVersion(tx, caller, workflowId, request.versionId),
  );
  const version = await planOfVersion(platform, versionId);
  if (!version) throw new Failure(NotDeployed);
  const trigger = findTrigger(version.definition, request.triggerId);
  if (!trigger) throw invalidField("/triggerId", "is not a trigger of the workflow");
  // An event in place of an input must be a published event.
  if (request.input !== undefined || chosen.trigger.event === undefined)
    assertFittingInput(trigger.trigger, request.input);
  return startInline(platform, {
    workspace,
    environment,
    version,
    triggerType: "manual",
    trigger: {
      type: "manual",
      ...triggerName(version.definition, trigger.id),
      input: request.input ?? null,
      ...givenFilesPart(findFileIds(request.input)),
      ...chosen.trigger,
    },
    actor: caller.actor,
    ...authority,
    cause: { ...(chosen.past ? causationOf(chosen.past) : cause), depth: depth + 1 },
    ...(chosen.past && { eventId: chosen.past.id }),
  });
}

/** Throws if an input does not match the schema of the trigger. */
export function assertFittingInput(trigger: Trigger, input: unknown): void {
  const errors = findInputErrors(trigger, input);
  assertNoErrors(errors.map((one) => ({ ...one, path: `/input${one.path}` })));
}

/** Writes the run. For an unfinished run, marks the version as in use, so that retention keeps it. */
export async function triggerRun(
  ctx: WriteContext<StartEvent> & { readonly workspace: WorkspaceRef },
  prepared: PreparedStart,
): Promise<TriggeredRun> {
  const { run, start, result } = prepared;
  const response = toTriggeredRun(prepared, ctx.now);
  const hold = result ? true : holdVersion(ctx.tx, run.versionId);
  const [, isKept] = await Promise.all([writeRunStart(ctx, prepared), hold]);
  await adoptUploads(ctx, run);
  if (!isKept)
    throw new Failure(NotDeployed, {
      detail: `The version ${start.version.versionId} was deleted.`,
    });
  return response;
}

/** Waits until the run ends. Returns an unfinished run at the timeout. */
export async function awaitTriggeredRun(
  platform: Platform,
  caller: Caller,
  { value, waitMs }: { readonly value: TriggeredRun; readonly waitMs: number },
): Promise<TriggeredRun | undefined> {
  if (isOver(value.status)) return { ...value, waited: true };
  if (waitMs === 0) return undefined;
  const waitOptions: WaitOptions = { waitMs, gone: caller.disconnected };
  const partition = { workspace: workspaceKeyOf(caller), environment: caller.environment };
  const run = await waitUntilEnded(platform, partition, value.runId, waitOptions);
  if (!run) return undefined;
  const { output, ...rest }: StoredRun = run;
  if (!isOver(run.status)) return { ...rest, runId: run.id };
  return { ...rest, runId: run.id, output, waited: true };
}

async function resolveVersion(
  tx: Tx,
  caller: Caller,
  workflowId: string,
  versionId: string | undefined,
): Promise<{ readonly versionId: string } & Pick<RunContext, "runAs" | "permissions">> {
  const { environment } = caller;
  const workflow = await findStartable(tx, workflowId, environment);
  if (!workflow) throw new Failure(NotFound);
  if (workflow.archived) throw new Failure(ArchivedWorkflow);
  if (versionId === undefined) {
    const { deployed } = workflow;
    if (!deployed) {
      const detail = `No version is deployed in ${environment}. Deploy a version, or set a versionId.`;
      throw new Failure(NotDeployed, { detail });
    }
    if (deployed.orphaned) throw new Failure(NobodyBehind);
    const { deployedBy: runAs, permissions } = deployed;
    return { versionId: deployed.versionId, runAs, permissions };
  }
  const version = await findVersion(tx, workflowId, { id: versionId });
  if (!version) throw invalidField("/versionId", "is not a version of this workflow");
  if (version.status === "archived") throw new Failure(ArchivedVersion);
  // An undeployed version runs with the permissions of the caller.
  const { runAs, permissions } = authorityOf(caller);
  return { versionId, runAs, permissions: permissions ?? undefined };
}

/** The response for a run that has just started, from memory. */
export function toTriggeredRun(prepared: PreparedStart, now: Date): TriggeredRun {
  const { run, start, execution, result } = prepared;
  const { version }: { version: PlannedVersion } = start;
  const checkpoint = execution ? toCheckpoint(execution, result) : firstCheckpoint(run, now);
  const startedAt = checkpoint.status === "queued" ? null : run.createdAt;
  const finishedAt = result ? now.toISOString() : null;
  return {
    id: run.id,
    runId: run.id,
    workflowId: run.workflowId,
    workflowName: run.workflowName,
    versionId: run.versionId,
    version: version.number,
    environment: run.environment,
    status: checkpoint.status,
    triggerType: run.triggerType,
    triggerId: typeof run.trigger["id"] === "string" ? run.trigger["id"] : null,
    test: run.test !== undefined,
    startedBy: run.actor,
    eventId: start.eventId ?? null,
    parentRunId: run.parent?.runId ?? null,
    correlationId: run.cause.correlationId,
    // Only the engine writes this field.
    error: (checkpoint.error ?? null) as TriggeredRun["error"],
    createdAt: run.createdAt,
    startedAt,
    finishedAt,
    durationMs: elapsedMs(startedAt, finishedAt),
    ...(checkpoint.output !== undefined && { output: checkpoint.output }),
  };
}

function workspaceKeyOf({ workspace }: Caller): string {
  if (!workspace) throw new Error("Runs belong to a workspace.");
  return workspace.key;
}
