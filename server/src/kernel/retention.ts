import Type from "typebox";
import { job } from "./job.ts";

const DAY_MS = 24 * 3_600_000;
const EVENTS_MAX = 5_000;
const EVERY_MS = 600_000;

/**
 * The oldest events go when they are older than the setting says, and never before every reader has
 * passed them. No role of ours may delete from the log: the function that can is part of the schema.
 */
export const pruneEvents = job({
  kind: "kernel.prune_events",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  async effect({ db, settings, clock }) {
    const days = settings.eventRetentionDays;
    if (days === 0) return 0;
    const before = new Date(clock.nowMs() - days * DAY_MS);
    const [row] = await db.system<{ n: number }>("select prune_events($1, $2) as n", [
      before,
      EVENTS_MAX,
    ]);
    return row?.n ?? 0;
  },
  run: async (_ctx, _payload, pruned) => (pruned === EVENTS_MAX ? "again" : undefined),
});
