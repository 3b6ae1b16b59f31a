import Type from "typebox";
import { job } from "#kernel/job.ts";

const DAY_MS = 24 * 3_600_000;
const EVERY_MS = 600_000;
const EXECUTIONS_MAX = 2_000;

const PRUNE = `
  with old as (
    delete from artifact_executions e
     where e.ctid = any (array(
             select o.ctid from artifact_executions o where o.started_at < $1 limit $2))
    returning 1
  )
  select count(*)::int as n from old`;

/** What came of executions is kept as long as runs are. */
export const pruneExecutions = job({
  kind: "sdk.prune_executions",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  async effect({ db, settings, clock }) {
    if (settings.runRetentionDays === 0) return 0;
    const before = new Date(clock.nowMs() - settings.runRetentionDays * DAY_MS);
    const [row] = await db.system<{ n: number }>(PRUNE, [before, EXECUTIONS_MAX]);
    return row?.n ?? 0;
  },
  run: async (_ctx, _payload, pruned) => (pruned === EXECUTIONS_MAX ? "again" : undefined),
});
