import { sha256 } from "#kernel/access/crypto.ts";
import { buildAccentStyle } from "#kernel/html/colour.ts";
import { FORM_STYLE } from "#kernel/html/form/form-style.ts";
import {
  type HtmlDocument,
  type Markup,
  markup,
  Markup as SafeMarkup,
} from "#kernel/html/markup.ts";
import type { PortalLook } from "../look.ts";
import { icon } from "./icons.ts";
import type { PortalSession } from "./session.ts";

/** The parts of a page. */
export interface PortalPage {
  readonly title: string;
  readonly body: Markup;
  /** The target of the back arrow; the home page has none. */
  readonly back?: string;
  /** Data for the script, such as the schema of a form. */
  readonly start?: Readonly<Record<string, unknown>>;
}

type Look = Pick<PortalLook, "title" | "accent" | "logoFileId">;

/** Renders a page, readable without any script. */
export function renderPortal(
  session: PortalSession,
  look: Look & { readonly name: string },
  { title, body, back, start = {} }: PortalPage,
): HtmlDocument {
  const { prefix, pathTo, user, workspace, environment } = session;
  const style = buildAccentStyle(look.accent);
  const name = look.title ?? look.name;
  const { logoFileId } = look;
  const logo =
    logoFileId === null
      ? LOGO
      : markup`<img class="own-logo" src="${session.linkTo(logoFileId)}" alt="">`;
  const data = { workspace, environment, prefix, ...start };
  const html = markup`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${name}</title>
<link rel="icon" href="${prefix}/mark.svg">
<link rel="stylesheet" href="${prefix}/portal.css">
${style !== "" && markup`<style>${new SafeMarkup(style)}</style>`}
${start["form"] !== undefined && markup`<noscript><style>${PLAIN_STYLE}</style></noscript>`}
<script type="module" src="${prefix}/portal.js"></script>
</head>
<body>
<header class="top">
<a class="brand" href="${pathTo("")}">${logo}<span>${name}</span></a>
${environment !== "production" && markup`<span class="environment">${environment}</span>`}
<span class="me"><span class="me-name">${user.name}</span>${avatar(user.name)}</span>
</header>
<main id="page">
${back !== undefined && markup`<a class="back" href="${back}">${icon("back")}<span>Back</span></a>`}
${body}
</main>
<script type="application/json" id="start">${new SafeMarkup(toInlineJson(data))}</script>
</body>
</html>
`;
  return { html: `<!doctype html>\n${html.text}`, policy: buildPolicy(style), headers: HEADERS };
}

const PLAIN_STYLE = new SafeMarkup(FORM_STYLE);
const HEADERS = { "referrer-policy": "same-origin", "cache-control": "no-store" };

function buildPolicy(style: string): string {
  const texts = [FORM_STYLE, style].filter((text) => text !== "");
  const hashes = texts.map((text) => ` 'sha256-${sha256(text).toString("base64")}'`).join("");
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'${hashes}; font-src 'self'; img-src 'self'; ` +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
  );
}

function toInlineJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

const LOGO = new SafeMarkup(
  '<svg viewBox="0 0 24 24" class="logo" aria-hidden="true"><rect width="24" height="24" rx="6"/>' +
    '<path d="M4 9.500c2.700-2 5.300-2 8 0s5.300 2 8 0M4 15c2.700-2 5.300-2 8 0s5.300 2 8 0"/></svg>',
);

const HUES = 12;

/**
 * The initials of a person on their color. The color is a class, because the content security policy forbids style
 * attributes.
 */
export function avatar(name: string): Markup {
  const words = name.split(/\s+/).filter(Boolean);
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => String.fromCodePoint(word?.codePointAt(0) ?? 0x20).trim())
    .join("")
    .toUpperCase();
  const hue = Buffer.from(name).reduce((sum, byte) => sum + byte, 0) % HUES;
  return markup`<span class="avatar hue-${hue}" aria-hidden="true">${initials}</span>`;
}

/** A time that the script writes in the reader's own zone. */
export function time(at: string): Markup {
  return markup`<time datetime="${at}">${at.slice(0, 16).replace("T", " ")} UTC</time>`;
}
