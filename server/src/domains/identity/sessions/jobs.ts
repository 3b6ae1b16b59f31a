import { sql } from "kysely";
import Type from "typebox";
import { job } from "#kernel/job.ts";

const PRUNE_ROWS_MAX = 5_000;

/** Sessions that ran out have no further use. In small batches, so that no transaction grows long. */
export const pruneSessions = job({
  kind: "identity.prune_sessions",
  payload: Type.Object({}),
  everyMs: 3_600_000,
  async run({ tx, now }) {
    await sql`
      delete from sessions where id in
        (select id from sessions where expires_at < ${now} limit ${PRUNE_ROWS_MAX})`.execute(tx);
  },
});
