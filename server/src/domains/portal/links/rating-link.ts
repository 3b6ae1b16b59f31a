/** Signed links, one per rating, with which the caller of a ticket rates it from an e-mail. */
import { isRater, type TicketMailPartBuilder } from "#domains/itsm/tickets/index.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { publicUrl } from "#kernel/settings.ts";
import { signChoices, type SignedLink } from "./signed-link.ts";

export const RATING_PURPOSE = "signatures of rating addresses";
const GOOD_DAYS = 30;
const SCORES = [1, 2, 3, 4, 5] as const;

/** The rating links of a person for a ticket, from worst to best, for the e-mail about its resolution. */
export function ratingLinks(
  services: Pick<PlatformServices, "masterKey" | "clock" | "settings">,
  partition: Partition,
  about: Pick<SignedLink, "ticketId" | "personId">,
): readonly { readonly satisfaction: number; readonly url: string }[] {
  const signed = { ...about, purpose: RATING_PURPOSE, choices: SCORES, days: GOOD_DAYS };
  return signChoices(services, partition, signed).map((token, index) => ({
    satisfaction: SCORES[index] ?? 1,
    url: `${publicUrl(services)}/portal/-/rate/${token}`,
  }));
}

const FACES: readonly string[] = ["Very bad", "Bad", "Okay", "Good", "Very good"];
const DONE = new Set(["incident.resolved", "request.fulfilled"]);

/** The rating question in the resolution e-mail to the caller. */
export const buildRatingPart: TicketMailPartBuilder = async (platform, about) => {
  const { partition, ticket, eventType, recipientId: personId } = about;
  if (!DONE.has(eventType) || !isRater(personId, ticket)) return undefined;
  const links = ratingLinks(platform, partition, { ticketId: ticket.id, personId });
  return {
    text: "How satisfied are you?",
    links: links.map(({ satisfaction, url }) => ({ label: FACES[satisfaction - 1] ?? "", url })),
  };
};
