import { pruning, removeRows } from "#kernel/work/retention-job.ts";
import { DELETE_EMPTY_TOPICS, DELETE_EXPIRED_KEYS } from "./store.ts";

/** Forgets keys whose window is over and topics that hold nothing. */
export const pruneBus = pruning({
  kind: "bus.prune",
  async remove({ db, clock, settings }, rowsMax) {
    const keys = await removeRows(db, DELETE_EXPIRED_KEYS, [clock.now(), rowsMax]);
    // Where events are kept for ever, no topic becomes empty.
    if (settings.eventRetentionDays === 0) return keys;
    return Math.max(keys, await removeRows(db, DELETE_EMPTY_TOPICS, [rowsMax]));
  },
});
