import { FileOwnerPoint } from "#kernel/contributions/file-owner.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { enterPortal, openPortalPage, submitPortalForm } from "./pages/operations.ts";
import { followPortal } from "./live.ts";
import { getHome } from "./home.ts";
import { getLogo, getLook, PortalLookUpdated, updateLook } from "./look.ts";
import { TicketMailPartPoint } from "#domains/itsm/tickets/index.ts";
import { PortalUse, PortalWrite } from "./permissions.ts";
import { buildApprovalPart } from "./links/approval-link.ts";
import { sendApproval, showApproval } from "./links/approval-pages.ts";
import { buildRatingPart } from "./links/rating-link.ts";
import { sendRating, showRating } from "./links/rating-pages.ts";
import { searchPortal } from "./search.ts";

export { ratingLinks } from "./links/rating-link.ts";

export const portal = domain({
  name: "portal",
  summary: "Self-service portal for requesters: tickets, search and appearance.",
  environmentScoped: false,
  permissions: [PortalUse, PortalWrite],
  events: [PortalLookUpdated],
  operations: [
    getHome,
    searchPortal,
    getLook,
    updateLook,
    getLogo,
    showRating,
    sendRating,
    showApproval,
    sendApproval,
    enterPortal,
    openPortalPage,
    submitPortalForm,
    followPortal,
  ],
  contributions: [
    contribute(TicketMailPartPoint, buildRatingPart, buildApprovalPart),
    contribute(FileOwnerPoint, {
      type: "portal_settings",
      canRead: async ({ caller }) => holdsPermission(caller.permissions, PortalUse),
    }),
  ],
});
