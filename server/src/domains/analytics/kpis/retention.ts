import Type from "typebox";
import { job } from "#kernel/job.ts";

const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;
const SNAPSHOTS_MAX = 5_000;

/** For three years and a day, so that a year can be compared with the two before it. */
export const RETENTION_DAYS = 1_097;

/** The first time of which snapshots are kept. */
export function keptFrom(nowMs: number): Date {
  return new Date(nowMs - RETENTION_DAYS * DAY_MS);
}

const PRUNE = `
  with old as (
    delete from kpi_snapshots s
     where s.ctid = any (array(select o.ctid from kpi_snapshots o where o.at < $1 limit $2))
       and s.at < $1
    returning 1
  )
  select count(*)::int as n from old`;

/** Deletes snapshots of long ago, a few at a time. */
export const pruneSnapshots = job({
  kind: "analytics.prune_snapshots",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  async effect({ db, clock }) {
    const [row] = await db.system<{ n: number }>(PRUNE, [keptFrom(clock.nowMs()), SNAPSHOTS_MAX]);
    return row?.n ?? 0;
  },
  run: async (_ctx, _payload, pruned) => (pruned === SNAPSHOTS_MAX ? "again" : undefined),
});
