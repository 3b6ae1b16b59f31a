import { sha256 } from "../access/crypto.ts";
import { buildAccentStyle } from "./colour.ts";
import { STYLESHEET } from "./stylesheet.ts";

/** Safe HTML. All other values in a template are escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type TemplateValue = Markup | string | number | false | undefined | readonly Markup[];

/** A template that escapes its values, except markup. False and undefined become empty. */
export function markup(texts: TemplateStringsArray, ...parts: readonly TemplateValue[]): Markup {
  return new Markup(texts.reduce((whole, text, index) => whole + render(parts[index - 1]) + text));
}

export interface HtmlDocument {
  readonly html: string;
  /** The Content-Security-Policy: only the page's script, no frames, and only our styles. */
  readonly policy: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A page that works without scripts. It can include one static script as an enhancement. `formTargets` are
 * additional sources that its form can redirect to, because Chromium applies `form-action` to redirects.
 */
export function document(page: {
  readonly title: string;
  readonly body: Markup;
  /** The name of the page's workspace. Default: Millrace. */
  readonly site?: string;
  readonly formTargets?: readonly string[];
  readonly script?: string;
  /** Wide layout with several sections instead of one card. `menu` is shown on the right of the header. */
  readonly wide?: { readonly home: string; readonly menu?: Markup | undefined };
  /** A custom colour of buttons and links. */
  readonly accent?: string | undefined;
}): HtmlDocument {
  const { title, body, site = "Millrace", formTargets = [], script, wide } = page;
  const accent = buildAccentStyle(page.accent);
  const hashes = [STYLE_HASH, ...(accent === "" ? [] : [hashOf(accent)])];
  return {
    html: `<!doctype html>\n${
      markup`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} &middot; ${site}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>${accent !== "" && markup`<style>${new Markup(accent)}</style>`}
</head>
<body${wide && markup` class="wide"`}>
<header>${wide ? markup`<a class="brand" href="${wide.home}">${LOGO}${site}</a>${wide.menu}` : markup`${LOGO}${site}`}</header>
<main>
${body}
</main>
${script !== undefined && new Markup(`<script>${script}</script>`)}
</body>
</html>
`.text
    }`,
    policy:
      `default-src 'none'; style-src ${hashes.map((hash) => `'${hash}'`).join(" ")}; img-src data:; base-uri 'none'; ` +
      (script === undefined ? "" : `script-src '${hashOf(script)}'; connect-src 'self'; `) +
      `form-action ${["'self'", ...formTargets].join(" ")}; frame-ancestors 'none'`,
    // With `no-referrer`, a form would be sent with `Origin: null` and be rejected as cross-site.
    headers: { "referrer-policy": "same-origin" },
  };
}

const LOGO = new Markup(
  '<svg viewBox="0 0 24 24" width="26" height="26" aria-hidden="true"><rect width="24" height="24" rx="6" fill="#0d4f63"/>' +
    '<path d="M4 8.5c2.7 0 2.7 2 5.3 2s2.7-2 5.4-2 2.6 2 5.3 2M4 14c2.7 0 2.7 2 5.3 2s2.7-2 5.4-2 2.6 2 5.3 2" ' +
    'fill="none" stroke="#c9eef5" stroke-width="1.9" stroke-linecap="round"/></svg>',
);
const STYLE = new Markup(STYLESHEET);
const STYLE_HASH = hashOf(STYLESHEET);

/** The CSP source that allows one inline text in a page. */
function hashOf(text: string): string {
  return `sha256-${sha256(text).toString("base64")}`;
}

function render(part: TemplateValue): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(({ text }) => text).join("\n");
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
