import Type from "typebox";
import { job } from "#kernel/job.ts";
import { prune } from "./grant-store.ts";

const PRUNE_ROWS_MAX = 5_000;
const HOUR_MS = 3_600_000;

/** Tokens that ran out, and the grants that have none left. */
export const pruneGrants = job({
  kind: "identity.prune_oauth_grants",
  payload: Type.Object({}),
  everyMs: HOUR_MS,
  effect: ({ db, clock }) => prune(db, new Date(clock.nowMs() - HOUR_MS), PRUNE_ROWS_MAX),
  run: async () => undefined,
});
