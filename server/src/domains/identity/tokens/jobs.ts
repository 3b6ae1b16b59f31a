import { pruning, removeRows } from "#kernel/work/retention-job.ts";

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
/** For so long one may still see in the list why a program is refused. */
const KEPT_DAYS = 90;

/** The condition once more on the outside: a token that was rotated meanwhile is good again. */
const PRUNE = `
  delete from api_tokens
   where expires_at < $1
     and id in (select id from api_tokens where expires_at < $1 order by expires_at limit $2)`;

/** Tokens that ran out long ago, of all workspaces and so as the system. */
export const pruneTokens = pruning({
  kind: "identity.prune_api_tokens",
  everyMs: HOUR_MS,
  remove: ({ db, clock }, rowsMax) =>
    removeRows(db, PRUNE, [new Date(clock.nowMs() - KEPT_DAYS * DAY_MS), rowsMax]),
});
