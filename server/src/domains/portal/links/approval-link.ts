/** Signed addresses by which somebody who is asked to agree to a request does so, or does not, from the mail. */
import { needsStrongSignIn } from "#domains/identity/accounts/index.ts";
import type { TicketMailPartBuilder } from "#domains/itsm/tickets/index.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { publicUrl } from "#kernel/settings.ts";
import { signChoices, type SignedLink } from "./signed-link.ts";

export const APPROVAL_PURPOSE = "signatures of approval addresses";
const GOOD_DAYS = 7;
/** The choices of an address. */
export const [REJECT, APPROVE] = [0, 1];

/** The addresses to agree by and to refuse by. */
export function approvalLinks(
  services: Pick<PlatformServices, "masterKey" | "clock" | "settings">,
  partition: Partition,
  about: Pick<SignedLink, "ticketId" | "personId">,
): { readonly approve: string; readonly reject: string } {
  const signed = {
    ...about,
    purpose: APPROVAL_PURPOSE,
    choices: [REJECT, APPROVE],
    days: GOOD_DAYS,
  };
  const [reject = "", approve = ""] = signChoices(services, partition, signed).map(
    (token) => `${publicUrl(services)}/portal/-/decide/${token}`,
  );
  return { approve, reject };
}

/** The question in the mail to an approver. */
export const buildApprovalPart: TicketMailPartBuilder = async (platform, about) => {
  const { partition, ticket, eventType, recipientId: personId } = about;
  if (eventType !== "request.approval_requested") return undefined;
  // A mail is weaker than what they sign in with: they decide in the portal.
  if (await needsStrongSignIn(platform.db, partition.workspace, personId)) return undefined;
  const { approve, reject } = approvalLinks(platform, partition, { ticketId: ticket.id, personId });
  return {
    text: "Do you agree? Whoever has these links decides in your name: keep this mail to yourself.",
    links: [
      { label: "Approve", url: approve },
      { label: "Reject", url: reject },
    ],
  };
};
