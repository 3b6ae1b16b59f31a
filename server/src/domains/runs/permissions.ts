import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";

/** Whether somebody is asked at all is said by each approval step. */
export const ApprovalsDecide = permission(
  "approvals:decide",
  "See and decide on approvals that one is asked for",
  EVERY_ROLE,
);
