import Type from "typebox";
import { job } from "#kernel/job.ts";

const DAY_MS = 24 * 3_600_000;
const EVERY_MS = 600_000;
const RUNS_MAX = 2_000;

/** Once more on the outside: what was retried meanwhile stays. */
const PRUNE = `
  with old as (
    delete from runs r
     where r.ctid = any (array(
             select o.ctid from runs o where o.created_at < $1 and o.finished_at < $1 limit $2))
       and r.finished_at < $1
    returning 1
  )
  select count(*)::int as n from old`;

/** Runs that ended longer ago than the setting says go, with their journals. */
export const pruneRuns = job({
  kind: "runs.prune",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  async effect({ db, settings, clock }) {
    if (settings.runRetentionDays === 0) return 0;
    const before = new Date(clock.nowMs() - settings.runRetentionDays * DAY_MS);
    const [row] = await db.system<{ n: number }>(PRUNE, [before, RUNS_MAX]);
    return row?.n ?? 0;
  },
  run: async (_ctx, _payload, pruned) => (pruned === RUNS_MAX ? "again" : undefined),
});
