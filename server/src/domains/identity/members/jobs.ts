import Type from "typebox";
import { job } from "#kernel/job.ts";
import { prune } from "./invitation-store.ts";

const PRUNE_ROWS_MAX = 5_000;

/** Invitations that nobody accepted, of all workspaces and so as the system. */
export const pruneInvitations = job({
  kind: "identity.prune_invitations",
  payload: Type.Object({}),
  everyMs: 3_600_000,
  effect: ({ db, clock }) => prune(db, clock.now(), PRUNE_ROWS_MAX),
  run: async () => undefined,
});
