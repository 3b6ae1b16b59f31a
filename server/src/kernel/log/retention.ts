import { retentionJob, deleteAcrossWorkspaces } from "../work/retention-job.ts";

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
/** A reader that this version does not have and that stood still for so long is nobody's any more. */
const ABANDONED_DAYS = 7;
/** How long one may look into what went wrong for good. */
const WRECKS_KEPT_DAYS = 90;

/**
 * The oldest events go when they are older than the setting says, and never before every reader has
 * passed them. No role of ours may delete from the log: the function that can is part of the schema.
 */
export const pruneEvents = retentionJob({
  kind: "kernel.prune_events",
  async remove({ db, settings, clock, readerNames }, rowsMax) {
    const days = settings.eventRetentionDays;
    if (days === 0) return 0;
    const [row] = await db.system<{ n: number }>("select prune_events($1, $2, $3, $4) as n", [
      new Date(clock.nowMs() - days * DAY_MS),
      rowsMax,
      readerNames,
      new Date(clock.nowMs() - ABANDONED_DAYS * DAY_MS),
    ]);
    return row?.n ?? 0;
  },
});

const GIVEN_UP = `
  delete from jobs where id in
    (select id from jobs where failed_at < $1 order by failed_at limit $2 for update skip locked)`;
const PARKED = `
  delete from parked_events where ctid = any (array(
    select ctid from parked_events where parked_at < $1 order by parked_at limit $2))`;

/** Jobs that were given up and events that were parked, once nobody has looked for long. */
export const pruneWrecks = retentionJob({
  kind: "kernel.prune_wrecks",
  everyMs: HOUR_MS,
  async remove({ db, clock }, rowsMax) {
    const before = new Date(clock.nowMs() - WRECKS_KEPT_DAYS * DAY_MS);
    const jobs = await deleteAcrossWorkspaces(db, GIVEN_UP, [before, rowsMax]);
    return Math.max(jobs, await deleteAcrossWorkspaces(db, PARKED, [before, rowsMax]));
  },
});
