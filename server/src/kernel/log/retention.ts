import { retentionJob, deleteAcrossWorkspaces } from "../work/retention-job.ts";

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
/** A reader that is unknown to this version and has not advanced for this time is abandoned. */
const READER_ABANDONED_DAYS = 7;
/** How long dead letters and failed jobs are kept. */
const DEAD_LETTER_RETENTION_DAYS = 90;

/**
 * Deletes the oldest events after the retention time of the settings, but never before every reader has passed them.
 * No database role of the application can delete from the log; only a function of the schema can.
 */
export const eventRetentionJob = retentionJob({
  kind: "kernel.prune_events",
  async remove({ db, settings, clock, readerNames }, rowsMax) {
    const days = settings.eventRetentionDays;
    if (days === 0) return 0;
    const [row] = await db.system<{ n: number }>("select prune_events($1, $2, $3, $4) as n", [
      new Date(clock.nowMs() - days * DAY_MS),
      rowsMax,
      readerNames,
      new Date(clock.nowMs() - READER_ABANDONED_DAYS * DAY_MS),
    ]);
    return row?.n ?? 0;
  },
});

const DELETE_FAILED_JOBS = `
  delete from jobs where id in
    (select id from jobs where failed_at < $1 order by failed_at limit $2 for update skip locked)`;
const DELETE_DEAD_LETTERS = `
  delete from parked_events where ctid = any (array(
    select ctid from parked_events where parked_at < $1 order by parked_at limit $2))`;

/** Deletes old failed jobs and dead letters. */
export const deadLetterRetentionJob = retentionJob({
  kind: "kernel.prune_wrecks",
  everyMs: HOUR_MS,
  async remove({ db, clock }, rowsMax) {
    const before = new Date(clock.nowMs() - DEAD_LETTER_RETENTION_DAYS * DAY_MS);
    const jobs = await deleteAcrossWorkspaces(db, DELETE_FAILED_JOBS, [before, rowsMax]);
    return Math.max(jobs, await deleteAcrossWorkspaces(db, DELETE_DEAD_LETTERS, [before, rowsMax]));
  },
});
