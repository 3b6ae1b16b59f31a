/** The form opened by the link in a mail. Mail scanners follow links, so only its button acknowledges. */
import Type from "typebox";
import { findMemberNames, findRights } from "#domains/identity/accounts/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { buildLinkErrorRendering } from "#kernel/html/error-page.ts";
import { document, type HtmlDocument, markup } from "#kernel/html/markup.ts";
import { Failure, failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { object } from "#kernel/schema/schema.ts";
import { ACK_TOKEN_PATTERN, type AckLink, readAckToken } from "./ack-link.ts";
import { acknowledge, isUnanswered } from "./acknowledge.ts";
import { PageAcknowledged, type StoredPage } from "./page.ts";
import { getPage } from "./store.ts";

const BY_ADDRESS_MAX = 60;
const BY_PAGE_MAX = 60;

const AckLinkInvalid = failure(
  "acknowledge_link_invalid",
  410,
  "This link has expired, or its recipient is no longer a member.",
);

const errorRendering = buildLinkErrorRendering({
  advice: "You can sign in and acknowledge the page from the ticket.",
  label: "Go to sign in",
  path: "login",
});

const params = object({ token: Type.String({ pattern: ACK_TOKEN_PATTERN }) });
const example = { params: { token: `${"A".repeat(120)}.${"A".repeat(43)}` } };

interface OpenedLink extends AckLink {
  readonly page: StoredPage;
  readonly userName: string;
  /** The member who acknowledged; undefined before an acknowledgement. */
  readonly acknowledgedBy: string | undefined;
}

/** The page of a link, if its recipient is still a member. Throws 404 or 410 otherwise. */
async function openLink(platform: Platform, token: string, caller: Caller): Promise<OpenedLink> {
  const { rateLimit, masterKey, clock, db } = platform;
  rateLimit.assert(`page link from ${classifyAddress(caller.address)}`, BY_ADDRESS_MAX);
  const link = readAckToken(masterKey, token, clock.nowMs());
  if (!link) throw new Failure(NotFound);
  if (link.isExpired) throw new Failure(AckLinkInvalid);
  rateLimit.assert(`page link ${link.pageId}`, BY_PAGE_MAX);
  const rights = await findRights(platform, link.partition.workspace, { runAs: link.userId });
  if (!rights) throw new Failure(AckLinkInvalid);
  return db.read(link.partition, async (tx) => {
    const page = await getPage(tx, link.pageId).catch(refuseLink);
    const { acknowledgedBy: by } = page;
    const people = await findMemberNames(tx, [link.userId, ...(by === null ? [] : [by])]);
    const nameOf = (userId: string | null) => people.find(({ id }) => id === userId)?.name;
    return { ...link, page, userName: nameOf(link.userId) ?? "", acknowledgedBy: nameOf(by) };
  });
}

function refuseLink(error: unknown): never {
  throw error instanceof Failure ? new Failure(AckLinkInvalid) : error;
}

const showAckPage = query({
  id: "pages.acknowledge_page",
  route: "GET /pages/ack/{token}",
  summary: "Show the form to acknowledge a page",
  description:
    "Opened from the link in an e-mail, without sign-in. Only the button makes a change.",
  access: "public",
  params,
  response: html(errorRendering),
  fails: [NotFound, AckLinkInvalid, RateLimited],
  example,
  prepare: (platform, { params: { token } }, caller) => openLink(platform, token, caller),
  run: async (_ctx, _input, { page, acknowledgedBy }) =>
    isUnanswered(page) ? askDocument(page) : answeredDocument(page, acknowledgedBy),
});

const submitAckForm = command({
  id: "pages.acknowledge_form",
  effect: "ordinary",
  route: "POST /pages/ack/{token}",
  summary: "Acknowledge a page from the form",
  description:
    "The URL is for one page and one member, expires after one day, and allows no other actions.",
  access: "public",
  acceptsForm: true,
  params,
  response: html(errorRendering),
  emits: [PageAcknowledged],
  allowNoop: true,
  fails: [NotFound, AckLinkInvalid, RateLimited],
  example,
  prepare: (platform, { params: { token } }, caller) => openLink(platform, token, caller),
  async run(ctx, _input, { partition, pageId, userId, userName, acknowledgedBy }) {
    ctx.switchPartition(partition);
    ctx.setActor({ id: userId, name: userName, type: "user" });
    const page = await getPage(ctx.tx, pageId, "for update");
    if (!isUnanswered(page)) return answeredDocument(page, acknowledgedBy);
    return answeredDocument(await acknowledge(ctx, page, userId), userName);
  },
});

function askDocument({ ticket, message = "" }: StoredPage): HtmlDocument {
  return document({
    title: `Acknowledge ${ticket.number}`,
    body: markup`<h1>${ticket.number} needs your attention</h1>
<p>${ticket.title}</p>
${message !== "" && markup`<p>${message}</p>`}
<form method="post">
<button>Acknowledge</button>
</form>
<p class="faint hint">Acknowledging stops the escalation.</p>`,
  });
}

function answeredDocument({ ticket, state }: StoredPage, name: string | undefined): HtmlDocument {
  const answer =
    state === "ended"
      ? "This page has ended. The ticket needs no further attention."
      : `Acknowledged by ${name ?? "another person"}. The escalation has stopped.`;
  return document({
    title: `${ticket.number} acknowledged`,
    body: markup`<h1>${ticket.number}</h1>
<p>${ticket.title}</p>
<p role="status">${answer}</p>`,
  });
}

export const ackOperations = [showAckPage, submitAckForm];
