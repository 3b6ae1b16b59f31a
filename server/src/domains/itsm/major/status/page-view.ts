/** The status page as HTML without JavaScript, and as an Atom feed. */
import { sha256 } from "#kernel/access/crypto.ts";
import { Markup, markup } from "#kernel/html/markup.ts";
import type { PublicPage } from "./page-store.ts";
import { STATUS_STYLESHEET } from "./page-style.ts";
import {
  DAYS_SHOWN,
  listDays,
  type Notice,
  type Standing,
  computeStanding,
  computeUptime,
} from "./component-status.ts";

const STYLE_HASH = `sha256-${sha256(STATUS_STYLESHEET).toString("base64")}`;

/** Allows no scripts, no frames, no external images, and only this stylesheet. */
export const POLICY = `default-src 'none'; style-src '${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const HEADLINES: Readonly<Record<Standing, string>> = {
  up: "All systems healthy",
  degraded: "Some systems degraded",
  down: "Some systems down",
};
const WORDS: Readonly<Record<Standing, string>> = {
  up: "Healthy",
  degraded: "Degraded",
  down: "Down",
};
const STATUSES: Readonly<Record<string, string>> = {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Monitoring",
  resolved: "Resolved",
};

const statusWords = (status: string): string => STATUSES[status] ?? status;

/** Renders the page. `feed` is the address of its Atom feed. */
export function renderPage(page: PublicPage, now: Date, feed: string): string {
  const { settings, components, notices } = page;
  const standing = computeStanding(notices);
  const open = notices.filter(({ resolvedAt }) => resolvedAt === null);
  const past = notices.filter(({ resolvedAt }) => resolvedAt !== null);
  const body = markup`<header><h1>${settings.title}</h1>${settings.about !== "" && markup`<p>${settings.about}</p>`}</header>
<main>
<p class="now ${standing}" role="status"><i></i>${HEADLINES[standing]}</p>
${
  open.length > 0 &&
  markup`<section aria-labelledby="open"><h2 id="open">Current incidents</h2>
${open.map((notice) => renderNotice(notice, page))}</section>`
}
${
  components.length > 0 &&
  markup`<section aria-labelledby="components"><h2 id="components">Components</h2>
<ul class="components">${components.map((component) => renderComponent(component, notices, now))}</ul></section>`
}
<section aria-labelledby="past"><h2 id="past">Past ${DAYS_SHOWN} days</h2>
${past.length === 0 ? markup`<p class="quiet">No incidents.</p>` : past.map((notice) => renderNotice(notice, page))}</section>
</main>
<footer><a href="${feed}">Atom feed</a><span>As of ${toMoment(now.toISOString())}</span></footer>`;
  const style = new Markup(STATUS_STYLESHEET);
  return `<!doctype html>\n${
    markup`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${settings.title}</title><link rel="alternate" type="application/atom+xml" title="${settings.title}" href="${feed}">
<style>${style}</style></head><body>
${body}
</body></html>
`.text
  }`;
}

function renderComponent(
  { id, name, about }: PublicPage["components"][number],
  notices: readonly Notice[],
  now: Date,
): Markup {
  const standing = computeStanding(notices, id);
  const days = listDays(notices, id, now);
  const uptime = computeUptime(notices, id, now);
  const bad = days.filter((day) => day.standing !== "up").length;
  const summary =
    bad === 0 ? `no incidents in ${DAYS_SHOWN} days` : `incidents on ${bad} of ${DAYS_SHOWN} days`;
  return markup`<li><div class="line"><strong>${name}</strong><span class="word ${standing}"><i></i>${WORDS[standing]}</span></div>
${about !== "" && markup`<p>${about}</p>`}
<div class="days" role="img" aria-label="${name}: ${summary}">${days.map(({ day, standing: was }) => markup`<i class="${was}" title="${day}: ${WORDS[was].toLowerCase()}"></i>`)}</div>
<div class="line ends"><span>${DAYS_SHOWN} days ago</span><span>${formatUptime(uptime)} % uptime</span><span>today</span></div></li>`;
}

/** Never rounded up to 100, so that any downtime is visible. */
function formatUptime(percent: number): string {
  return percent === 100 ? "100" : (Math.floor(percent * 100) / 100).toFixed(2);
}

function renderNotice(notice: Notice, { components }: PublicPage): Markup {
  const { publicId, title, effect, resolvedAt, updates, startedAt, componentIds } = notice;
  const names = components.filter(({ id }) => componentIds.includes(id)).map(({ name }) => name);
  return markup`<article class="notice ${resolvedAt === null ? effect : "past"}" id="${publicId}"><h3>${title}</h3>
<p class="quiet">${names.length > 0 && `${names.join(", ")} · `}since ${toMoment(startedAt)}${resolvedAt !== null && `, until ${toMoment(resolvedAt)}`}</p>
<ol>${updates.map(({ status, message, at }) => markup`<li><p><b>${statusWords(status)}</b> <time datetime="${at}">${toMoment(at)}</time></p><p class="words">${message}</p></li>`)}</ol></article>`;
}

/** Renders the Atom feed with an entry for every notice, newest first. */
export function renderFeed(page: PublicPage, now: Date, address: string): string {
  const { settings, notices } = page;
  const entries = notices.map(({ publicId, title, status, startedAt, updates }) => {
    const text = updates.map(
      ({ status: was, message, at }) => `${toMoment(at)} ${statusWords(was)}: ${message}`,
    );
    const link = `${address}#${publicId}`;
    return markup`<entry><id>${link}</id><title>${title}: ${statusWords(status)}</title><link href="${link}"/><published>${startedAt}</published><updated>${updates[0]?.at ?? startedAt}</updated><content type="text">${text.join("\n")}</content></entry>`;
  });
  const updated = notices
    .flatMap(({ updates }) => updates.map(({ at }) => at))
    .toSorted()
    .at(-1);
  return `<?xml version="1.0" encoding="utf-8"?>\n${
    markup`<feed xmlns="http://www.w3.org/2005/Atom"><id>${address}</id><title>${settings.title}</title><link href="${address}"/><link rel="self" href="${address}/feed.atom"/><author><name>${settings.title}</name></author><updated>${updated ?? now.toISOString()}</updated>
${entries}
</feed>
`.text
  }`;
}

function toMoment(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}
