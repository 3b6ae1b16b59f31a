import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";

const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;

/** Three years and a day, so that a year can be compared with the two before it. */
export const RETENTION_DAYS = 1_097;

/** The earliest time for which snapshots are kept. */
export function retainedFrom(nowMs: number): Date {
  return new Date(nowMs - RETENTION_DAYS * DAY_MS);
}

const PRUNE = `
  delete from kpi_snapshots s
   where s.ctid = any (array(
           select o.ctid from kpi_snapshots o where o.at < $1 order by o.at limit $2))
     and s.at < $1`;

/** Deletes snapshots of long ago. */
export const pruneSnapshots = retentionJob({
  kind: "analytics.prune_snapshots",
  everyMs: EVERY_MS,
  remove: ({ db, clock }, rowsMax) =>
    deleteAcrossWorkspaces(db, PRUNE, [retainedFrom(clock.nowMs()), rowsMax]),
});
