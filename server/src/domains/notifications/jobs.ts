import Type from "typebox";
import { job } from "#kernel/job.ts";
import { prune } from "./store.ts";

const DAY_MS = 24 * 3_600_000;
const KEPT_DAYS = 90;
const PRUNE_ROWS_MAX = 5_000;

/** Old notifications, of all workspaces. In batches, so that no transaction grows long. */
export const pruneNotifications = job({
  kind: "notifications.prune",
  payload: Type.Object({}),
  everyMs: DAY_MS,
  effect: ({ db, clock }) =>
    prune(db, new Date(clock.nowMs() - KEPT_DAYS * DAY_MS), PRUNE_ROWS_MAX),
  run: async (_ctx, _payload, pruned) => (pruned === PRUNE_ROWS_MAX ? "again" : undefined),
});
