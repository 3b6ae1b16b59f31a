import Type from "typebox";
import { job } from "#kernel/job.ts";

const DAY_MS = 24 * 3_600_000;
const EVERY_MS = 600_000;
const DELIVERIES_MAX = 5_000;

/**
 * The second condition once more on the outside: what became due again meanwhile stays. What was
 * handed out in the moment in which its webhook was deleted is never over, and goes too.
 */
const PRUNE = `
  with old as (
    delete from deliveries d
     where d.ctid = any (array(
             select o.ctid from deliveries o
              where o.created_at < $1
                and (o.due_at is null or not exists (select from webhooks w where w.id = o.webhook_id))
              limit $2))
       and (d.due_at is null or not exists (select from webhooks w where w.id = d.webhook_id))
    returning 1
  )
  select count(*)::int as n from old`;

/** Deliveries that are over go when they are older than the setting says. */
export const pruneDeliveries = job({
  kind: "webhooks.prune_deliveries",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  async effect({ db, settings, clock }) {
    const before = new Date(clock.nowMs() - settings.deliveryRetentionDays * DAY_MS);
    const [row] = await db.system<{ n: number }>(PRUNE, [before, DELIVERIES_MAX]);
    return row?.n ?? 0;
  },
  run: async (_ctx, _payload, pruned) => (pruned === DELIVERIES_MAX ? "again" : undefined),
});
