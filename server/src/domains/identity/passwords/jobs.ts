import { pruning, removeRows } from "#kernel/work/retention-job.ts";

const EVERY_MS = 600_000;

/** The condition once more on the outside: a new link takes the place of the old one. */
const PRUNE = `
  delete from password_resets
   where expires_at <= $1
     and user_id in (select user_id from password_resets
                      where expires_at <= $1 order by expires_at limit $2)`;

/** Links that ran out. */
export const pruneResets = pruning({
  kind: "identity.prune_password_resets",
  everyMs: EVERY_MS,
  remove: ({ db, clock }, rowsMax) => removeRows(db, PRUNE, [clock.now(), rowsMax]),
});
