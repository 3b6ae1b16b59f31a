import type { WaitingWork } from "#kernel/contributions/waiting-work.ts";
import { countTickets } from "../../tickets/index.ts";
import { PagesWrite } from "../permissions.ts";

/** Pages that wait for a person to acknowledge them. */
export const pageWork: WaitingWork = {
  kind: "pages",
  permission: PagesWrite,
  count: ({ tx }, userId) =>
    countTickets(tx, "pages", "t.state = 'paging' and $1 = any (t.user_ids)", userId),
};
