import Type from "typebox";
import { job, type JobType } from "#kernel/job.ts";

const Payload = Type.Object({ webhookId: Type.String() });
const DELIVERIES_MAX = 5_000;

const REMOVE = `
  with gone as (
    delete from deliveries d
     where d.webhook_id = $1
       and d.id = any (array(select o.id from deliveries o where o.webhook_id = $1 limit $2))
    returning 1
  )
  select count(*)::int as n from gone`;

/**
 * Removes the deliveries of a webhook that was deleted. There may be millions, and as long as one
 * transaction is open no reader of the log gets past it: so many at a time, each time in its own.
 */
export const removeDeliveries: JobType<typeof Payload> = job({
  kind: "webhooks.remove_deliveries",
  payload: Payload,
  async effect({ db }, { webhookId }) {
    const [row] = await db.system<{ n: number }>(REMOVE, [webhookId, DELIVERIES_MAX]);
    return row?.n ?? 0;
  },
  run: async (ctx, payload, removed) => {
    if (removed === DELIVERIES_MAX) ctx.enqueue(removeDeliveries, payload);
  },
});
