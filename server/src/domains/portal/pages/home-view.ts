import type { Static } from "typebox";
import { type Markup, markup } from "#kernel/html/markup.ts";
import type { RequestAnswer } from "#domains/itsm/catalog/index.ts";
import type { Home, PortalItem } from "../home.ts";
import type { Answers } from "../search.ts";
import type { Thing } from "../things.ts";
import { icon } from "./icons.ts";
import { avatar, time } from "./layout.ts";
import type { PortalSession } from "./session.ts";

type HomeData = Static<typeof Home>;
type Item = Static<typeof PortalItem>;
type Outage = HomeData["outages"][number];

/** The home page: a search box, pending actions of the visitor, their open tickets, and the catalog. */
export function renderHome(session: PortalSession, home: HomeData, found?: SearchResult): Markup {
  const { outages, look } = home;
  return markup`${outages.map((outage) => renderOutage(session, outage))}
<section class="hero">
<h1>What do you need?</h1>
${look.greeting !== null && markup`<p class="greeting">${look.greeting}</p>`}
<form class="search" role="search" action="${session.pathTo("")}" method="get">
${icon("search")}
<input type="search" name="q" value="${found?.q ?? ""}" placeholder="Printer, VPN, a new laptop&hellip;" aria-label="What do you need?" autocomplete="off" maxlength="200">
${session.environment !== "production" && markup`<input type="hidden" name="environment" value="${session.environment}">`}
<button class="quiet">Search</button>
</form>
</section>
<div id="answers" aria-live="polite">
${found ? renderAnswers(session, found) : renderOverview(session, home)}
</div>`;
}

/** The answers to a search. */
export interface SearchResult {
  readonly q: string;
  readonly answers: Static<typeof Answers>;
}

function renderOverview(session: PortalSession, home: HomeData): Markup {
  const { approvals, things, items } = home;
  return markup`<div class="columns">
<div>
${
  approvals.length > 0 &&
  markup`<section><h2>Your approval is needed</h2>
${approvals.map(
  ({ id, number, title, answers, price, requestedForName }) =>
    markup`<article class="card decision" id="decision-${id}">
${avatar(requestedForName)}
<div>
<p><strong>${requestedForName}</strong> requests <strong>${title}</strong> <small>${number}</small></p>
${renderAnswerList(answers)}${price !== null && markup`<p class="estimate">${price}</p>`}
<form class="acts" data-decision="${id}" method="post" action="${session.pathTo("")}"><input type="hidden" name="id" value="${id}"><button class="primary" name="act" value="approve" data-act="approve">Approve</button><noscript><label>Reason for rejection <input name="reason" maxlength="2000"></label></noscript><button name="act" value="reject" data-act="reject">Reject&hellip;</button></form>
</div>
</article>`,
)}
</section>`
}
<section><h2>My open tickets</h2>
${things.length > 0 ? renderThings(session, things) : markup`<p class="card none">No open tickets. Your requests and incidents appear here.</p>`}
<p class="more"><a href="${session.pathTo("/tickets")}">All my tickets</a></p>
</section>
</div>
<section class="side"><h2>Request something</h2>
${renderTiles(session, items)}
</section>
</div>`;
}

/** Tiles of the catalog, starting with the problem report. */
export function renderTiles(session: PortalSession, items: readonly Item[]): Markup {
  return markup`<div class="tiles">
<a class="tile broken" href="${session.pathTo("/broken")}">${icon("broken")}<span><strong>Report a problem</strong><small>Describe it and add a picture</small></span></a>
${items.map((item) => renderTile(session, item))}
</div>`;
}

function renderTile(session: PortalSession, item: Item): Markup {
  const { id, name, description, icon: picture, estimate } = item;
  return markup`<a class="tile" href="${session.pathTo(`/ask/${id}`)}">${icon(picture)}<strong>${name}</strong><small class="two-lines">${description}</small>${estimate !== null && markup`<small class="estimate">${estimate}</small>`}</a>`;
}

/** A list of tickets and requests; those waiting for the visitor come first. */
export function renderThings(session: PortalSession, things: readonly Thing[]): Markup {
  return markup`<ul class="card list">
${things.map(
  ({ number, title, words, turn, promisedAt, state, createdAt }) =>
    markup`<li><a href="${session.pathTo(`/tickets/${number}`)}">
<span class="grow"><strong>${title}</strong><span class="turn-${turn}">${words}${renderSince({ state, createdAt })}</span><small>${number}</small></span>
${promisedAt !== null && turn !== "done" && markup`<span class="promise">Expected by ${time(promisedAt)}</span>`}
${icon("chevron")}</a></li>`,
)}
</ul>`;
}

/** The time since which a request waits for approval: the time of its submission. */
export function renderSince({
  state,
  createdAt,
}: Pick<Thing, "state" | "createdAt">): Markup | false {
  return state === "awaiting_approval" && markup` since ${time(createdAt)}`;
}

function renderOutage(session: PortalSession, outage: Outage): Markup {
  const { id, title, message, toldAt, since, state, affected, isAffected } = outage;
  return markup`<section class="outage" role="status">
${icon("alert")}
<div class="grow"><strong>${message ?? title}</strong><small>${state === "over" ? "Resolved" : "Announced"} &middot; ${time(toldAt ?? since)}${affected > 0 && markup` &middot; ${affected} ${affected === 1 ? "person has" : "people have"} reported it`}</small></div>
${isAffected ? markup`<span class="done">${icon("check")}You too</span>` : markup`<form method="post" action="${session.pathTo("")}"><input type="hidden" name="id" value="${id}"><button name="act" value="affected" data-outage="${id}">Me too</button></form>`}
</section>`;
}

function renderAnswers(session: PortalSession, { q, answers }: SearchResult): Markup {
  const { articles, items, things, outages } = answers;
  const isEmpty = [articles, items, things, outages].every((some) => some.length === 0);
  return markup`${isEmpty && markup`<p class="card none">No results for &ldquo;${q}&rdquo;.</p>`}
${
  articles.length > 0 &&
  markup`<section><h2>Articles</h2><ul class="card list">
${articles.map(
  ({ id, title, summary }) =>
    markup`<li><a href="${session.pathTo(`/articles/${id}`)}">${icon("book")}<span class="grow"><strong>${title}</strong>${summary !== null && markup`<small class="one-line">${summary}</small>`}</span></a></li>`,
)}
</ul></section>`
}
${
  items.length > 0 &&
  markup`<section><h2>Catalog</h2><ul class="card list">
${items.map(
  ({ id, name, description, icon: picture }) =>
    markup`<li><a href="${session.pathTo(`/ask/${id}`)}">${icon(picture)}<span class="grow"><strong>${name}</strong><small class="one-line">${description}</small></span></a></li>`,
)}
</ul></section>`
}
${things.length > 0 && markup`<section><h2>My tickets</h2>${renderThings(session, things)}</section>`}
<p class="more">Not what you need? <a href="${session.pathTo(`/broken?title=${encodeURIComponent(q)}`)}">Report a problem</a></p>`;
}

/** The answers of a request with the titles of its form. */
export function renderAnswerList(answers: readonly RequestAnswer[]): Markup | false {
  if (answers.length === 0) return false;
  return markup`<dl>${answers.map(({ title, text, files }) => markup`<dt>${title}</dt><dd>${files.length > 0 ? files.map(renderFile) : text}</dd>`)}</dl>`;
}

function renderFile({ fileId, name }: RequestAnswer["files"][number]): Markup {
  return markup`<button type="button" class="plain" data-file="${fileId}">${name}</button> `;
}
