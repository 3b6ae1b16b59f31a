import {
  ArchivedVersion,
  ArchivedWorkflow,
  confinementOf,
  findStartable,
  findVersion,
  holdVersion,
  planOfVersion,
  type PlannedVersion,
} from "#domains/workflows/index.ts";
import { type Caller, userIdOf, type WorkspaceRef } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { ChainTooDeep } from "#kernel/operation/perform.ts";
import { firstCheckpoint } from "../start/queued-start.ts";
import type { RunContext } from "../engine/run-context.ts";
import { type PreparedStart, startInline, writeRunStart } from "../start/start-run.ts";
import { isOver } from "../engine/store.ts";
import { checkpointOf } from "../engine/checkpoint.ts";
import type { StartEvent } from "../events.ts";
import { NotDeployed, type Triggered } from "../run.ts";
import { durationOf, type StoredRun } from "../store.ts";
import { type WaitOptions, waitUntilEnded } from "../run-watch.ts";

/** What is to be run, by hand. */
export interface TriggerRequest {
  readonly input?: unknown;
  readonly versionId?: string;
}

/** Finds what is to run, and takes it as far as it goes before anything is written. */
export async function prepareTrigger(
  platform: Platform,
  caller: Caller,
  workflowId: string,
  asked: TriggerRequest,
): Promise<PreparedStart> {
  const { environment, cause } = caller;
  if (cause.depth >= CAUSATION_DEPTH_MAX) throw new Failure(ChainTooDeep);
  const workspace = keyOf(caller);
  const { versionId, ...authority } = await platform.db.read({ workspace, environment }, (tx) =>
    chosen(tx, caller, workflowId, asked.versionId),
  );
  const version = await planOfVersion(platform, versionId);
  if (!version) throw new Failure(NotDeployed);
  return startInline(platform, {
    workspace,
    environment,
    version,
    triggerType: "manual",
    trigger: { type: "manual", input: asked.input ?? null },
    actor: caller.actor,
    ...authority,
    cause: { ...cause, depth: cause.depth + 1 },
  });
}

/** Writes the run. One that is over already needs its version no more; others keep it from being pruned. */
export async function triggerRun(
  ctx: WriteContext<StartEvent> & { readonly workspace: WorkspaceRef },
  beginning: PreparedStart,
): Promise<Triggered> {
  const { facts, start, over } = beginning;
  const shown = toTriggered(beginning, ctx.now);
  const held = over ? true : holdVersion(ctx.tx, facts.versionId);
  const [, isThere] = await Promise.all([writeRunStart(ctx, beginning), held]);
  if (!isThere) throw new Failure(NotDeployed, { detail: `${start.version.versionId} is gone.` });
  return shown;
}

/** The run once it is over; undefined when that takes longer than the caller waits. */
export async function awaitTriggeredRun(
  platform: Platform,
  caller: Caller,
  { value, waitMs }: { readonly value: Triggered; readonly waitMs: number },
): Promise<Triggered | undefined> {
  if (isOver(value.status)) return { ...value, waited: true };
  if (waitMs === 0) return undefined;
  const patience: WaitOptions = { waitMs, gone: caller.disconnected };
  const partition = { workspace: keyOf(caller), environment: caller.environment };
  const run = await waitUntilEnded(platform, partition, value.runId, patience);
  if (!run) return undefined;
  const { output, ...rest }: StoredRun = run;
  if (!isOver(run.status)) return { ...rest, runId: run.id };
  return { ...rest, runId: run.id, output, waited: true };
}

async function chosen(
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
      const detail = `No version is deployed in ${environment}; publish one there, or name a versionId.`;
      throw new Failure(NotDeployed, { detail });
    }
    const { deployedBy: runAs, permissions } = deployed;
    return { versionId: deployed.versionId, runAs, permissions };
  }
  const version = await findVersion(tx, workflowId, { id: versionId });
  if (!version) throw invalidField("/versionId", "is not a version of this workflow");
  if (version.status === "archived") throw new Failure(ArchivedVersion);
  // Nobody has answered for it by deploying it: it may do what the caller may.
  return { versionId, runAs: userIdOf(caller), permissions: confinementOf(caller) };
}

/** A run as it is at its beginning, from memory. */
export function toTriggered(beginning: PreparedStart, now: Date): Triggered {
  const { facts, start, execution, over } = beginning;
  const { version }: { version: PlannedVersion } = start;
  const turn = execution ? checkpointOf(execution, over) : firstCheckpoint(facts, now);
  const startedAt = turn.status === "queued" ? null : facts.createdAt;
  const finishedAt = over ? now.toISOString() : null;
  return {
    id: facts.id,
    runId: facts.id,
    workflowId: facts.workflowId,
    workflowName: facts.workflowName,
    versionId: facts.versionId,
    version: version.number,
    environment: facts.environment,
    status: turn.status,
    triggerType: facts.triggerType,
    test: facts.test !== undefined,
    startedBy: facts.actor,
    eventId: start.eventId ?? null,
    parentRunId: facts.parent?.runId ?? null,
    correlationId: facts.cause.correlationId,
    // Only the engine writes it.
    error: (turn.error ?? null) as Triggered["error"],
    createdAt: facts.createdAt,
    startedAt,
    finishedAt,
    durationMs: durationOf(startedAt, finishedAt),
    ...(turn.output !== undefined && { output: turn.output }),
  };
}

function keyOf({ workspace }: Caller): string {
  if (!workspace) throw new Error("Runs belong to a workspace.");
  return workspace.key;
}
