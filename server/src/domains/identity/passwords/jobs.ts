import { sql } from "kysely";
import Type from "typebox";
import { job } from "#kernel/job.ts";

const PRUNE_ROWS_MAX = 5_000;

/** Links that ran out. In small batches, so that no transaction grows long. */
export const pruneResets = job({
  kind: "identity.prune_password_resets",
  payload: Type.Object({}),
  everyMs: 3_600_000,
  async run({ tx, now }) {
    await sql`
      delete from password_resets where user_id in
        (select user_id from password_resets where expires_at <= ${now} limit ${PRUNE_ROWS_MAX})`.execute(
      tx,
    );
  },
});
