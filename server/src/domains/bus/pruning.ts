import Type from "typebox";
import { job } from "#kernel/job.ts";
import { DELETE_EMPTY_TOPICS, DELETE_EXPIRED_KEYS } from "./store.ts";

const EVERY_MS = 600_000;
const ROWS_MAX = 5_000;

/** Forgets keys whose window is over and topics that hold nothing, in small batches. */
export const pruneBus = job({
  kind: "bus.prune",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  async effect({ db, clock, settings }) {
    const [keys] = await db.system<{ n: number }>(DELETE_EXPIRED_KEYS, [clock.now(), ROWS_MAX]);
    // Where events are kept for ever, no topic becomes empty.
    if (settings.eventRetentionDays === 0) return keys?.n ?? 0;
    const [topics] = await db.system<{ n: number }>(DELETE_EMPTY_TOPICS, [ROWS_MAX]);
    return Math.max(keys?.n ?? 0, topics?.n ?? 0);
  },
  run: async (_ctx, _payload, pruned) => (pruned === ROWS_MAX ? "again" : undefined),
});
