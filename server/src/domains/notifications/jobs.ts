import { pruning, removeRows } from "#kernel/work/retention-job.ts";

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const KEPT_DAYS = 90;

const PRUNE = `
  delete from notifications where id in
    (select id from notifications where created_at < $1 order by created_at limit $2)`;

/** Old notifications, of all workspaces. */
export const pruneNotifications = pruning({
  kind: "notifications.prune",
  everyMs: HOUR_MS,
  remove: ({ db, clock }, rowsMax) =>
    removeRows(db, PRUNE, [new Date(clock.nowMs() - KEPT_DAYS * DAY_MS), rowsMax]),
});
