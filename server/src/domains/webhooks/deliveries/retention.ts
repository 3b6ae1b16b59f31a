import Type from "typebox";
import { job } from "#kernel/work/job.ts";
import type { JobType } from "#kernel/contract.ts";
import {
  RETENTION_ROWS_MAX,
  retentionJob,
  deleteAcrossWorkspaces,
} from "#kernel/work/retention-job.ts";

const DAY_MS = 24 * 3_600_000;

/** The condition once more on the outside: what became due again meanwhile stays. */
const OVER = `
  delete from deliveries d
   where d.due_at is null
     and d.ctid = any (array(
           select o.ctid from deliveries o
            where o.created_at < $1 and o.due_at is null order by o.created_at limit $2))`;

/**
 * What was handed out in the moment in which its webhook was deleted is never over, and goes too. From
 * one webhook with open deliveries to the next, since there are few of them however many deliveries.
 */
const STRAYED = `
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

/** Deliveries that are over go when they are older than the setting says. */
export const pruneDeliveries = retentionJob({
  kind: "webhooks.prune_deliveries",
  async remove({ db, settings, clock }, rowsMax) {
    const before = new Date(clock.nowMs() - settings.deliveryRetentionDays * DAY_MS);
    const over = await deleteAcrossWorkspaces(db, OVER, [before, rowsMax]);
    return Math.max(over, await deleteAcrossWorkspaces(db, STRAYED, [before, rowsMax]));
  },
});

const Payload = Type.Object({ webhookId: Type.String() });

const REMOVE = `
  delete from deliveries d
   where d.webhook_id = $1
     and d.id = any (array(select o.id from deliveries o where o.webhook_id = $1 limit $2))`;

/**
 * Removes the deliveries of a webhook that was deleted. There may be millions, and as long as one
 * transaction is open no reader of the log gets past it: so many at a time, each time in its own.
 */
export const removeDeliveries: JobType<typeof Payload> = job({
  kind: "webhooks.remove_deliveries",
  payload: Payload,
  effect: ({ db }, { webhookId }) =>
    deleteAcrossWorkspaces(db, REMOVE, [webhookId, RETENTION_ROWS_MAX]),
  run: async (ctx, payload, removed) => {
    if (removed === RETENTION_ROWS_MAX) ctx.enqueue(removeDeliveries, payload);
  },
});
