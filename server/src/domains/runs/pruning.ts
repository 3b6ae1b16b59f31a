import { firstIdAt } from "#kernel/schema/id.ts";
import { pruning, removeRows } from "#kernel/work/retention-job.ts";

const DAY_MS = 24 * 3_600_000;
/** With each goes its journal. */
const RUNS_MAX = 500;

/**
 * Ids sort by time, so the oldest are found from the beginning of the primary key. Once more on the
 * outside: what was retried meanwhile stays.
 */
const PRUNE = `
  delete from runs r
   where r.ctid = any (array(
           select o.ctid from runs o where o.id < $3 and o.finished_at < $1 order by o.id limit $2))
     and r.finished_at < $1`;

/** Runs that ended longer ago than the setting says go, with their journals. */
export const pruneRuns = pruning({
  kind: "runs.prune",
  rowsMax: RUNS_MAX,
  async remove({ db, settings, clock }, rowsMax) {
    if (settings.runRetentionDays === 0) return 0;
    const beforeMs = clock.nowMs() - settings.runRetentionDays * DAY_MS;
    return removeRows(db, PRUNE, [new Date(beforeMs), rowsMax, firstIdAt("run", beforeMs)]);
  },
});
