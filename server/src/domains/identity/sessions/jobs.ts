import { pruning, removeRows } from "#kernel/work/retention-job.ts";
import { KNOWN_MS } from "./throttle.ts";

const EVERY_MS = 600_000;

const SESSIONS = `
  delete from sessions where id in
    (select id from sessions where expires_at < $1 order by expires_at limit $2)`;

/** Sessions that ran out have no further use. */
export const pruneSessions = pruning({
  kind: "identity.prune_sessions",
  everyMs: EVERY_MS,
  remove: ({ db, clock }, rowsMax) => removeRows(db, SESSIONS, [clock.now(), rowsMax]),
});

/** The condition once more on the outside: who came again meanwhile is known again. */
const ADDRESSES = `
  delete from known_addresses
   where seen_at <= $1
     and ctid = any (array(
           select ctid from known_addresses where seen_at <= $1 order by seen_at limit $2))`;

/** Addresses that somebody has not logged in from for so long that they count as unknown. */
export const pruneAddresses = pruning({
  kind: "identity.prune_known_addresses",
  everyMs: EVERY_MS,
  remove: ({ db, clock }, rowsMax) =>
    removeRows(db, ADDRESSES, [new Date(clock.nowMs() - KNOWN_MS), rowsMax]),
});
