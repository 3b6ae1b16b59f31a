/** Ratings: satisfaction of the requester with the resolution. */
import Type from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { ListField } from "#kernel/list/list.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import type { TicketIdentity } from "../kind.ts";
import { nullable, object, text, Time } from "#kernel/schema/schema.ts";

const SCORE_MAX = 5;
const CHANGEABLE_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

export const Score = Type.Integer({
  minimum: 1,
  maximum: SCORE_MAX,
  description: "Rating from 1 to 5 (best)",
});

/** The ticket fields that a rating sets. */
export const ratingFields = {
  satisfaction: Type.Optional(nullable(Score)),
  satisfactionComment: Type.Optional(nullable(text(2_000))),
  ratedAt: Type.Optional(nullable(Time)),
};

/** The ticket fields without a rating. */
export const UNRATED = { satisfaction: null, satisfactionComment: null, ratedAt: null } as const;

/** The rating fields in lists and reports. */
export const ratingListFields: Readonly<Record<string, ListField>> = {
  satisfaction: { sql: "satisfaction", kind: "number", type: "integer", nullable: true },
  satisfactionComment: { sql: "satisfaction_comment", kind: "text", nullable: true },
  ratedAt: { sql: "rated_at", kind: "time", nullable: true },
};

export const RatingInput = object({
  satisfaction: Score,
  comment: Type.Optional(nullable(text(2_000, "Comment"))),
});

export const RatingFixed = failure(
  "rating_fixed",
  409,
  `A rating can be changed for ${CHANGEABLE_DAYS} days.`,
);
export const NotYoursToRate = failure(
  "not_yours_to_rate",
  403,
  "Only the requester or caller of the ticket can rate it.",
);

interface Rated {
  readonly satisfaction?: number | null;
  readonly satisfactionComment?: string | null;
  readonly ratedAt?: string | null;
}

interface Rating {
  readonly satisfaction: number;
  readonly comment?: string | null;
}

/** A ticket with a rating. Returns the same object if nothing changes. Throws 409 after the rating period. */
export function applyRating<T extends Rated>(ticket: T, rating: Rating, now: Date): T {
  const { ratedAt = null } = ticket;
  const satisfactionComment = rating.comment?.trim() || null;
  const { satisfaction } = rating;
  if (
    satisfaction === ticket.satisfaction &&
    satisfactionComment === (ticket.satisfactionComment ?? null)
  ) {
    return ticket;
  }
  if (ratedAt !== null && now.getTime() - Date.parse(ratedAt) > CHANGEABLE_DAYS * DAY_MS) {
    throw new Failure(RatingFixed);
  }
  // The time of the first rating is kept, so a change does not extend the rating period.
  return { ...ticket, satisfaction, satisfactionComment, ratedAt: ratedAt ?? now.toISOString() };
}

/** Throws 403 unless the caller can rate the ticket. Agents cannot rate tickets that they created for others. */
export function assertMayRate({ principal }: Caller, ticket: TicketIdentity): void {
  if (!principal || !isRater(principal.id, ticket)) throw new Failure(NotYoursToRate);
}

/** True for the recipient of a request and the caller of an incident. Without either, true for the creator. */
export function isRater(
  personId: string,
  { callerId, callerUserId, requestedFor, createdBy }: TicketIdentity,
): boolean {
  const people = [requestedFor, callerUserId, callerId].filter((id) => typeof id === "string");
  return (people.length > 0 ? people : [createdBy]).includes(personId);
}
