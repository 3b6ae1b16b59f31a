import { pruning, removeRows } from "#kernel/work/retention-job.ts";

const EVERY_MS = 600_000;
const HOUR_MS = 3_600_000;

const TOKENS = `
  delete from oauth_tokens where id in
    (select id from oauth_tokens where expires_at < $1 order by expires_at limit $2)`;
const GRANTS = `
  delete from oauth_grants where id in
    (select g.id from oauth_grants g
      where g.code_expires_at < $1
        and not exists (select from oauth_tokens t where t.grant_id = g.id)
      order by g.created_at limit $2)`;

/**
 * Tokens that ran out, and the grants that have none left; long enough ago that no page which could
 * decide about such a grant is still good.
 */
export const pruneGrants = pruning({
  kind: "identity.prune_oauth_grants",
  everyMs: EVERY_MS,
  async remove({ db, clock }, rowsMax) {
    const before = new Date(clock.nowMs() - HOUR_MS);
    const tokens = await removeRows(db, TOKENS, [before, rowsMax]);
    return Math.max(tokens, await removeRows(db, GRANTS, [before, rowsMax]));
  },
});
