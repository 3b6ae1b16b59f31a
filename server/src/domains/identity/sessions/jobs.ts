import { sql } from "kysely";
import Type from "typebox";
import { job } from "#kernel/job.ts";
import { KNOWN_MS } from "./throttle.ts";

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

/** Addresses that somebody has not logged in from for so long that they count as unknown. */
export const pruneAddresses = job({
  kind: "identity.prune_known_addresses",
  payload: Type.Object({}),
  everyMs: 3_600_000,
  async run({ tx, now }) {
    const since = new Date(now.getTime() - KNOWN_MS);
    await sql`
      delete from known_addresses where (user_id, address_hash) in
        (select user_id, address_hash from known_addresses
          where seen_at <= ${since} limit ${PRUNE_ROWS_MAX})`.execute(tx);
  },
});
