/**
 * Reports that a chain of automations was cut, once per chain and workflow, in the log and to the
 * deployer and the creator of the workflow.
 */
import { notify, NotificationSent } from "#domains/notifications/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Causation } from "#kernel/log/event.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { deleteAcrossWorkspaces, retentionJob } from "#kernel/work/retention-job.ts";
import { ChainCut } from "../events.ts";
import type { ChainLink } from "./chain-bound.ts";

export const chainEvents = [ChainCut, NotificationSent] as const;

/** Only the first insert succeeds. Concurrent inserts wait for its commit or rollback. */
const CUT = `
  with cut as (
    insert into chain_cuts (workflow_id, correlation_id, cut_at) select id, $2, $3 from workflows where id = $1
    on conflict do nothing returning workflow_id)
  select w.name, w.created_by as "createdBy", d.deployed_by as "deployedBy"
    from cut join workflows w on w.id = cut.workflow_id
    left join workflow_deployments d on d.workflow_id = w.id
     and d.environment = current_setting('millrace.environment')::environment`;

/** Chains reported in each transaction, because a batch of events can continue for long after the cut. */
const reportedChains = new WeakMap<object, Set<string>>();

/** Reports a cut in the transaction that would have started the run. */
export async function tellChainCut(
  ctx: WriteContext<(typeof chainEvents)[number]>,
  { workflowId, correlationId }: ChainLink,
): Promise<void> {
  const key = `${workflowId} ${correlationId}`;
  const known = reportedChains.get(ctx.tx) ?? new Set<string>();
  reportedChains.set(ctx.tx, known);
  if (known.has(key)) return;
  known.add(key);
  const [row] = await queryRows(ctx.tx, CUT, [workflowId, correlationId, ctx.now]);
  if (!row) return;
  const { chainRunsMax } = ctx.services.settings;
  const name = String(row["name"]);
  ctx.emit(
    ChainCut,
    { id: workflowId, displayName: name },
    { workflowId, workflowName: name, correlationId, runsMax: chainRunsMax },
  );
  const people = [row["deployedBy"], row["createdBy"]].filter((one) => one !== null);
  await notify(ctx, {
    userIds: [...new Set(people.map(String))],
    title: `${name} was started too often by one cause`,
    body: `One cause has started ${chainRunsMax} runs of the workflow within one day, so no more runs are started for it. The workflow may trigger itself. Trace of the cause: ${correlationId}`,
    about: { eventType: ChainCut.type, resource: { type: "workflow", id: workflowId } },
    mail: { path: `/workflows/${workflowId}` },
  });
}

/** Reports a cut if the start is rejected before it has a transaction. */
export function tellRefusedStart(
  platform: Platform,
  { environment, cause, ...link }: ChainLink & { environment: EnvironmentName; cause: Causation },
): Promise<void> {
  const partition = { workspace: link.workspace, environment };
  return runAsSystem(platform, partition, cause, (ctx) => tellChainCut(ctx, link));
}

/** A cause that lasts longer is reported again. */
const KEPT_MS = 30 * 24 * 3_600_000;
const OLD = `
  delete from chain_cuts where (workflow_id, environment, correlation_id) in (
    select workflow_id, environment, correlation_id from chain_cuts where cut_at < $1 limit $2)`;

export const chainCutsJob = retentionJob({
  kind: "runs.prune_chain_cuts",
  everyMs: 3_600_000,
  remove: ({ db, clock }: Platform, rowsMax) =>
    deleteAcrossWorkspaces(db, OLD, [new Date(clock.nowMs() - KEPT_MS), rowsMax]),
});
