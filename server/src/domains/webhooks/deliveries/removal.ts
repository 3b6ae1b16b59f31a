import Type from "typebox";
import { job, type JobType } from "#kernel/work/job.ts";
import { PRUNE_ROWS_MAX, removeRows } from "#kernel/work/retention-job.ts";

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
  effect: ({ db }, { webhookId }) => removeRows(db, REMOVE, [webhookId, PRUNE_ROWS_MAX]),
  run: async (ctx, payload, removed) => {
    if (removed === PRUNE_ROWS_MAX) ctx.enqueue(removeDeliveries, payload);
  },
});
