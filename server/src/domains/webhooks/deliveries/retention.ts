import Type from "typebox";
import { job } from "#kernel/work/job.ts";
import type { JobType } from "#kernel/contract.ts";
import {
  RETENTION_ROWS_MAX,
  retentionJob,
  deleteAcrossWorkspaces,
} from "#kernel/work/retention-job.ts";

const DAY_MS = 24 * 3_600_000;

/** Repeats the condition outside, so that deliveries that became due again are kept. */
const DELETE_FINISHED = `
  delete from deliveries d
   where d.due_at is null
     and d.ctid = any (array(
           select o.ctid from deliveries o
            where o.created_at < $1 and o.due_at is null order by o.created_at limit $2))`;

/**
 * Deletes orphans: a delivery fanned out during the deletion of its webhook never finishes. The query skips from
 * webhook to webhook, because few have open deliveries, but some have many.
 */
const DELETE_ORPHANED = `
  delete from deliveries d
   where d.ctid = any (array(
     with recursive hooks as (
       (select webhook_id from deliveries where due_at is not null order by webhook_id limit 1)
       union all
       select (select n.webhook_id from deliveries n
                where n.due_at is not null and n.webhook_id > h.webhook_id
                order by n.webhook_id limit 1)
         from hooks h where h.webhook_id is not null
     )
     select o.ctid
       from hooks h join deliveries o on o.webhook_id = h.webhook_id and o.due_at is not null
      where not exists (select from webhooks w where w.id = h.webhook_id) and o.created_at < $1
      limit $2))`;

/** Deletes finished deliveries that are older than the configured retention time. */
export const deliveryRetentionJob = retentionJob({
  kind: "webhooks.prune_deliveries",
  async remove({ db, settings, clock }, rowsMax) {
    const before = new Date(clock.nowMs() - settings.deliveryRetentionDays * DAY_MS);
    const finished = await deleteAcrossWorkspaces(db, DELETE_FINISHED, [before, rowsMax]);
    return Math.max(finished, await deleteAcrossWorkspaces(db, DELETE_ORPHANED, [before, rowsMax]));
  },
});

const Payload = Type.Object({ webhookId: Type.String() });

const DELETE_OF_WEBHOOK = `
  delete from deliveries d
   where d.webhook_id = $1
     and d.id = any (array(select o.id from deliveries o where o.webhook_id = $1 limit $2))`;

/**
 * Deletes the deliveries of a deleted webhook. There may be millions, and an open transaction delays all log
 * readers, so each batch has its own transaction.
 */
export const deliveryRemovalJob: JobType<typeof Payload> = job({
  kind: "webhooks.remove_deliveries",
  payload: Payload,
  effect: ({ db }, { webhookId }) =>
    deleteAcrossWorkspaces(db, DELETE_OF_WEBHOOK, [webhookId, RETENTION_ROWS_MAX]),
  run: async (ctx, payload, removed) => {
    if (removed === RETENTION_ROWS_MAX) ctx.enqueue(deliveryRemovalJob, payload);
  },
});
