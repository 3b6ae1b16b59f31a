/** Signed addresses, one for each face, by which whoever a ticket was for rates it from a mail. */
import { isRater, type TicketMailPartBuilder } from "#domains/itsm/tickets/index.ts";
import { equalBytes, hmac, type MasterKey } from "#kernel/access/crypto.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { EnvironmentName, Partition } from "#kernel/db/partition.ts";
import { publicUrl } from "#kernel/settings.ts";

const PURPOSE = "signatures of rating addresses";
const GOOD_DAYS = 30;
const DAY_MS = 24 * 3_600_000;
const SCORES = [1, 2, 3, 4, 5] as const;

export interface RatingLink {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  /** An incident or a request. */
  readonly ticketId: string;
  /** The member or the contact whom the mail goes to. */
  readonly personId: string;
  readonly satisfaction: number;
  readonly untilMs: number;
}

/** The addresses by which a person rates a ticket, from the worst to the best; for the mail that says it is done. */
export function ratingLinks(
  services: Pick<PlatformServices, "masterKey" | "clock" | "settings">,
  partition: Partition,
  { ticketId, personId }: Pick<RatingLink, "ticketId" | "personId">,
): readonly { readonly satisfaction: number; readonly url: string }[] {
  const untilMs = services.clock.nowMs() + GOOD_DAYS * DAY_MS;
  return SCORES.map((satisfaction) => {
    const token = signRating(services.masterKey, {
      ...partition,
      ticketId,
      personId,
      satisfaction,
      untilMs,
    });
    return { satisfaction, url: `${publicUrl(services)}/portal/-/rate/${token}` };
  });
}

const FACES: readonly string[] = ["Very bad", "Bad", "So so", "Good", "Very good"];
const DONE = new Set(["incident.resolved", "request.fulfilled"]);

/** The question in the mail that says a ticket is done, for whoever it was for. */
export const buildRatingPart: TicketMailPartBuilder = async (platform, about) => {
  const { partition, ticket, eventType, recipientId: personId } = about;
  if (!DONE.has(eventType) || !isRater(personId, ticket)) return undefined;
  const links = ratingLinks(platform, partition, { ticketId: ticket.id, personId });
  return {
    text: "How was it?",
    links: links.map(({ satisfaction, url }) => ({ label: FACES[satisfaction - 1] ?? "", url })),
  };
};

function signRating(key: MasterKey, link: RatingLink): string {
  const { workspace, environment, ticketId, personId, satisfaction, untilMs } = link;
  const parts = [workspace, environment, ticketId, personId, satisfaction, untilMs];
  const payload = Buffer.from(JSON.stringify(parts)).toString("base64url");
  return `${payload}.${sign(key, payload)}`;
}

/** Undefined unless it is one of ours and has not expired. */
export function verifyRating(key: MasterKey, token: string, nowMs: number): RatingLink | undefined {
  const [payload = "", signature = ""] = token.split(".");
  if (!equalBytes(Buffer.from(sign(key, payload)), Buffer.from(signature))) return undefined;
  // Only what we signed gets here.
  const [workspace, environment, ticketId, personId, satisfaction, untilMs] = JSON.parse(
    Buffer.from(payload, "base64url").toString(),
  ) as [string, EnvironmentName, string, string, number, number];
  if (nowMs >= untilMs) return undefined;
  return { workspace, environment, ticketId, personId, satisfaction, untilMs };
}

function sign(key: MasterKey, payload: string): string {
  return hmac(key.derive(PURPOSE), payload).toString("base64url");
}
