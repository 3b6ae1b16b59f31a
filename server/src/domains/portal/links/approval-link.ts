/** Signed URLs with which an approver approves or rejects a request from an e-mail. */
import { needsStrongSignIn } from "#domains/identity/accounts/index.ts";
import { describeRequest, requestStore } from "#domains/itsm/catalog/index.ts";
import type { TicketMailPartBuilder } from "#domains/itsm/tickets/index.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { publicUrl } from "#kernel/settings.ts";
import { signChoices, type SignedLink } from "./signed-link.ts";

export const APPROVAL_PURPOSE = "signatures of approval addresses";
const GOOD_DAYS = 7;
const ASKING = new Set(["request.approval_requested", "request.approval_reminded"]);
/** The choices of an address. */
export const [REJECT, APPROVE] = [0, 1];

/** The URLs for approval and rejection. */
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
  if (!ASKING.has(eventType)) return undefined;
  // An e-mail is weaker than their second factor, so they decide in the portal.
  if (await needsStrongSignIn(platform.db, partition.workspace, personId)) return undefined;
  const request = await platform.db.read(partition, async (tx) =>
    describeRequest({ tx }, await requestStore.get(tx, ticket.id)),
  );
  const { approve, reject } = approvalLinks(platform, partition, { ticketId: ticket.id, personId });
  return {
    text: `${request}\n\nDo you approve it? These links decide in your name, so do not forward this mail.`,
    links: [
      { label: "Approve", url: approve },
      { label: "Reject", url: reject },
    ],
  };
};
