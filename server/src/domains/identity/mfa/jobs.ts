import { sql } from "kysely";
import Type from "typebox";
import { job } from "#kernel/job.ts";

const PRUNE_ROWS_MAX = 5_000;

/** Challenges that nobody answered. In small batches, so that no transaction grows long. */
export const pruneChallenges = job({
  kind: "identity.prune_webauthn_challenges",
  payload: Type.Object({}),
  everyMs: 600_000,
  async run({ tx, now }) {
    await sql`
      delete from webauthn_challenges where challenge_hash in
        (select challenge_hash from webauthn_challenges
          where expires_at < ${now} limit ${PRUNE_ROWS_MAX})`.execute(tx);
  },
});
