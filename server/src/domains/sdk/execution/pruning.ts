import { pruning, removeRows } from "#kernel/work/retention-job.ts";

const DAY_MS = 24 * 3_600_000;

const PRUNE = `
  delete from artifact_executions e
   where e.ctid = any (array(
           select o.ctid from artifact_executions o
            where o.started_at < $1 order by o.started_at limit $2))`;

/** What came of executions is kept as long as runs are. */
export const pruneExecutions = pruning({
  kind: "sdk.prune_executions",
  async remove({ db, settings, clock }, rowsMax) {
    if (settings.runRetentionDays === 0) return 0;
    const before = new Date(clock.nowMs() - settings.runRetentionDays * DAY_MS);
    return removeRows(db, PRUNE, [before, rowsMax]);
  },
});
