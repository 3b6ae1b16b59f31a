/**
 * The pages of a rating link. Opening one changes nothing, because mail scanners follow links; the person must
 * confirm. The pages work without scripts.
 */
import Type from "typebox";
import {
  RequestRated,
  rateRequest,
  requestKind,
  requestStore,
} from "#domains/itsm/catalog/index.ts";
import {
  IncidentRated,
  incidentKind,
  incidentStore,
  rateIncident,
} from "#domains/itsm/incidents/index.ts";
import { findPersonNames } from "#domains/itsm/contacts/index.ts";
import { findTicketById, isRater, RatingFixed } from "#domains/itsm/tickets/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { document, markup } from "#kernel/html/markup.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { RATING_PURPOSE } from "./rating-link.ts";
import { type SignedLink, verifyLink } from "./signed-link.ts";

const Token = Type.String({ pattern: "^[A-Za-z0-9_-]{1,600}\\.[A-Za-z0-9_-]{43}$" });
const EXAMPLE = `${"A".repeat(200)}.${"A".repeat(43)}`;
const PATH = "/portal/-/rate/{token}";
const FACES = ["", "Very bad", "Bad", "Okay", "Good", "Very good"];
const COMMENT_CHARACTERS_MAX = 2_000;

function verify({ masterKey, clock }: Pick<Platform, "masterKey" | "clock">, token: string) {
  const link = verifyLink(masterKey, { purpose: RATING_PURPOSE, token, nowMs: clock.nowMs() });
  if (!link) throw new Failure(NotFound, { detail: "The link is invalid or has expired." });
  return link;
}

export const showRating = query({
  id: "portal.rating_page",
  route: `GET ${PATH}`,
  summary: "Show the rating form of an e-mail link",
  description:
    "The link is in the e-mail about the resolution of the ticket. Opening it does not save a rating.",
  access: "public",
  params: object({ token: Token }),
  response: html(htmlErrorRendering),
  example: { params: { token: EXAMPLE } },
  prepare: async (platform, { params: { token } }) => verify(platform, token),
  run: async (_ctx, { params: { token } }, { choice }) =>
    document({
      title: "How satisfied are you?",
      body: markup`<h1>How satisfied are you?</h1>
<form method="post" action="${token}">
<fieldset><legend>Your rating</legend>
${FACES.flatMap((face, score) =>
  score === 0
    ? []
    : [
        markup`<p><label><input type="radio" name="satisfaction" value="${score}"${score === choice && markup` checked`}> ${face}</label></p>`,
      ],
)}
</fieldset>
<label for="comment">Comment (optional)</label>
<textarea id="comment" name="comment" rows="4" maxlength="${COMMENT_CHARACTERS_MAX}"></textarea>
<button>Send</button>
</form>`,
    }),
});

export const sendRating = command({
  id: "portal.rate",
  route: `POST ${PATH}`,
  summary: "Rate a ticket by e-mail link",
  access: "public",
  acceptsForm: true,
  params: object({ token: Token }),
  body: object({
    satisfaction: Type.String({ pattern: "^[1-5]$" }),
    comment: Type.Optional(Type.String({ maxLength: COMMENT_CHARACTERS_MAX })),
  }),
  response: html(htmlErrorRendering),
  emits: [IncidentRated, RequestRated],
  allowNoop: true,
  fails: [NotFound, RatingFixed, incidentKind.machine.wrongState, requestKind.machine.wrongState],
  example: { params: { token: EXAMPLE }, body: { satisfaction: "5" } },
  prepare: async (platform, { params: { token } }) => verify(platform, token),
  async run(ctx, { body }, link) {
    await rate(ctx, link, {
      satisfaction: Number(body.satisfaction),
      comment: body.comment ?? null,
    });
    return document({
      title: "Thank you",
      body: markup`<h1>Thank you</h1><p>We received your rating. You can change it for one week with the same link.</p>`,
    });
  },
});

/** Rates as the recipient of the e-mail, while the ticket is still theirs. */
async function rate(
  ctx: WriteContext<typeof IncidentRated | typeof RequestRated>,
  { workspace, environment, ticketId, personId }: SignedLink,
  rating: { readonly satisfaction: number; readonly comment: string | null },
): Promise<void> {
  ctx.switchPartition({ workspace, environment });
  const found = await findTicketById(ctx, ticketId);
  if (!found || !isRater(personId, found.ticket)) throw new Failure(NotFound);
  const name = (await findPersonNames(ctx.tx, [personId])).get(personId) ?? "A requester";
  ctx.setActor({ type: "user", id: personId, name });
  if (found.kind.kind === "incident") {
    await rateIncident(ctx, await incidentStore.lock(ctx.tx, ticketId), rating);
  } else {
    await rateRequest(ctx, await requestStore.lock(ctx.tx, ticketId), rating);
  }
}
