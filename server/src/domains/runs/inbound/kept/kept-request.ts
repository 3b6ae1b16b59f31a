/** Requests that a trigger stores, for later backfills. */
import { type PlannedVersion, triggerName } from "#domains/workflows/index.ts";
import type { Platform, ReadContext, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import type { DomainGauge } from "#kernel/telemetry/domain-gauge.ts";
import { deleteAcrossWorkspaces, retentionJob } from "#kernel/work/retention-job.ts";
import type { PreparedStart, RunStart } from "../../start/start-run.ts";
import type { AnyFoundTrigger } from "../hook-trigger.ts";
import { keepBudgetOf } from "./keep-budget.ts";

const DAY_MS = 86_400_000;
/** Larger requests are not stored. */
const REQUEST_BYTES_MAX = 256 * 1024;
/** Limit per trigger. The oldest requests beyond it are deleted. */
const KEPT_MAX = 100_000;
const KEPT_BYTES_MAX = 256 * 1_048_576;
/** An archived workflow can be restored with its requests for this long. */
const ARCHIVED_MS = DAY_MS;

/**
 * Stores a request in the transaction that starts its run. Requests with files are not stored, because the files
 * belong to the run.
 */
export function keepRequest(
  { send, now, services }: WriteContext<never>,
  { target, named: { id: triggerId, trigger } }: AnyFoundTrigger,
  { start }: PreparedStart,
): void {
  if (trigger.type === "chat" || !trigger.keep || start.uploads) return;
  const input = JSON.stringify(start.trigger["input"] ?? null);
  const bytes = Buffer.byteLength(input);
  if (bytes > REQUEST_BYTES_MAX) return;
  const key = `${target.workflowId} ${triggerId}`;
  if (!keepBudgetOf(services).take(key, bytes, now.getTime())) return;
  const expiresAt = new Date(now.getTime() + trigger.keep.days * DAY_MS);
  void send(
    `insert into kept_requests (id, workflow_id, trigger_id, input, bytes, received_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [newId("req", now.getTime()), target.workflowId, triggerId, input, bytes, now, expiresAt],
  );
}

export interface KeptRequest {
  readonly id: string;
  readonly input: unknown;
  readonly receivedAt: string;
}

/** Reads stored requests in a time range, oldest first. */
export async function readKeptRequests(
  tx: Tx,
  about: {
    readonly workflowId: string;
    readonly triggerId: string;
    readonly from: string;
    readonly to: string;
  },
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly KeptRequest[]> {
  return queryRows<KeptRequest>(
    tx,
    `select id, input, received_at as "receivedAt" from kept_requests
      where workflow_id = $1 and trigger_id = $2 and received_at >= $3 and received_at < $4 and id > $5
      order by id limit $6`,
    [about.workflowId, about.triggerId, about.from, about.to, after, limit],
  );
}

/** Creates a run start from a stored request. No caller waits for the response. */
export function toRequestStart(
  { caller: { workspace, environment }, services }: Pick<ReadContext, "caller" | "services">,
  {
    version,
    triggerId,
    triggerType,
    deployment,
  }: {
    readonly version: PlannedVersion;
    readonly triggerId: string;
    readonly triggerType: string;
    readonly deployment: Pick<RunStart, "permissions"> & { readonly deployedBy: string };
  },
  input: unknown,
): RunStart {
  if (!workspace) throw new Error("A trigger belongs to a workspace.");
  return {
    workspace: workspace.key,
    environment,
    version,
    triggerType,
    trigger: { type: triggerType, ...triggerName(version.definition, triggerId), input },
    actor: SYSTEM_ACTOR,
    runAs: deployment.deployedBy,
    permissions: deployment.permissions,
    cause: { correlationId: newCorrelationId(services.clock), depth: 1 },
  };
}

const EXPIRED = `
  delete from kept_requests where id = any (array(
    select id from kept_requests where expires_at < $1 order by expires_at limit $2))`;
const CROWDED = `
  select workspace_id as workspace, environment, workflow_id as workflow, trigger_id as trigger
    from kept_requests group by 1, 2, 3, 4
  having count(*) > ${KEPT_MAX} or sum(bytes) > ${KEPT_BYTES_MAX} limit 100`;
const SURPLUS = `
  delete from kept_requests where id = any (array(
    select id from (
      select id, row_number() over newer as place, sum(bytes) over newer as total
        from kept_requests
       where (workspace_id, environment, workflow_id, trigger_id) = ($1::uuid, $2::environment, $3, $4)
      window newer as (order by id desc rows unbounded preceding)) one
     where place > ${KEPT_MAX} or total > ${KEPT_BYTES_MAX} limit $5))`;
const ARCHIVED = `
  delete from kept_requests where id = any (array(
    select k.id from workflows w join kept_requests k on k.workflow_id = w.id
     where w.archived_at < $1 limit $2))`;

interface CrowdedTrigger extends Record<string, unknown> {
  readonly workspace: string;
  readonly environment: string;
  readonly workflow: string;
  readonly trigger: string;
}

/** Deletes expired requests, requests of archived workflows, and the oldest requests of triggers above the limit. */
export const keptRequestsJob = retentionJob({
  kind: "runs.retire_requests",
  everyMs: 300_000,
  async remove({ db, clock }: Platform, rowsMax) {
    let removed = await deleteAcrossWorkspaces(db, EXPIRED, [clock.now(), rowsMax]);
    const archivedBefore = new Date(clock.nowMs() - ARCHIVED_MS);
    removed += await deleteAcrossWorkspaces(db, ARCHIVED, [archivedBefore, rowsMax]);
    for (const one of await db.system<CrowdedTrigger>(CROWDED)) {
      const { workspace, environment, workflow, trigger } = one;
      const values = [workspace, environment, workflow, trigger, rowsMax];
      removed += await deleteAcrossWorkspaces(db, SURPLUS, values);
    }
    return removed;
  },
});

const SIZE = "select pg_total_relation_size('kept_requests')::float8 as bytes";

/** The metric of the disk space of stored requests. */
export const keptRequestsGauge: DomainGauge = {
  name: "millrace_kept_request_bytes",
  help: "Size of the stored requests of triggers in the database, in bytes.",
  async read(db) {
    const [row] = await db.system<{ bytes: number }>(SIZE);
    return row?.bytes ?? 0;
  },
};
