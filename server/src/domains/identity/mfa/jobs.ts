import { pruning, removeRows } from "#kernel/work/retention-job.ts";

const PRUNE = `
  delete from webauthn_challenges where challenge_hash in
    (select challenge_hash from webauthn_challenges
      where expires_at < $1 order by expires_at limit $2)`;

/** Challenges that nobody answered. */
export const pruneChallenges = pruning({
  kind: "identity.prune_webauthn_challenges",
  remove: ({ db, clock }, rowsMax) => removeRows(db, PRUNE, [clock.now(), rowsMax]),
});
