import { pruning, removeRows } from "#kernel/work/retention-job.ts";

const EVERY_MS = 600_000;

const PRUNE = `
  delete from invitations where id in
    (select id from invitations where expires_at <= $1 order by expires_at limit $2)`;

/** Invitations that nobody accepted, of all workspaces and so as the system. */
export const pruneInvitations = pruning({
  kind: "identity.prune_invitations",
  everyMs: EVERY_MS,
  remove: ({ db, clock }, rowsMax) => removeRows(db, PRUNE, [clock.now(), rowsMax]),
});
