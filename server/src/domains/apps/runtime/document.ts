import { sha256 } from "#kernel/access/crypto.ts";
import type { Snapshot } from "../deployments/deployment.ts";
import type { AppSession } from "./app-session.ts";
import { bundle } from "./assets.ts";
import type { PageState } from "./browser/tree.ts";
import { pageView } from "./browser/view.ts";
import type { Child } from "./browser/vnode.ts";

const VOID = new Set(["br", "hr", "input", "img", "link", "meta"]);
const TAG = /^[a-z][a-z0-9]*$/;
const ATTRIBUTE = /^[a-zA-Z][a-zA-Z0-9-]*$/;

/** Elements as HTML, every text and every value escaped. */
function htmlOf(children: readonly Child[]): string {
  return children.map(one).join("");
}

function one(child: Child): string {
  if (typeof child === "string") return escaped(child);
  const { tag, attributes, children } = child;
  if (!TAG.test(tag)) throw new Error("An element has a strange name.");
  const written = Object.entries(attributes).map(([name, value]) => {
    if (!ATTRIBUTE.test(name)) throw new Error("An attribute has a strange name.");
    return value === true ? ` ${name}` : ` ${name}="${escaped(value)}"`;
  });
  const open = `<${tag}${written.join("")}>`;
  return VOID.has(tag) ? open : `${open}${htmlOf(children)}</${tag}>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What the script must know beside what is on the page. */
interface Start {
  readonly state: PageState;
  readonly params: Readonly<Record<string, string>>;
  /** Where it asks, and where it acts. */
  readonly urls: { readonly state: string; readonly act: string };
}

/** The whole page as HTML: it can be read before, and without, any script. */
export function pageDocument(
  visit: AppSession,
  state: PageState,
  params: Readonly<Record<string, string>>,
) {
  const { served, prefix, pathTo } = visit;
  const { hash } = bundle();
  const base = `${prefix}/apps/_assets/${hash}`;
  const style = styleOf(served.snapshot.theme);
  const start: Start = {
    state,
    params,
    urls: { state: pathTo("/_state"), act: pathTo("/_act") },
  };
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`${state.title} · ${state.app}`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/style.css">
${style && `<style>${style}</style>\n`}<script type="module" src="${base}/main.ts"></script>
</head>
<body>
<div id="app">${htmlOf([pageView(state)])}</div>
<script type="application/json" id="start">${jsonOf(start)}</script>
</body>
</html>
`;
  return { html, policy: policyOf(visit, style), headers: HEADERS };
}

/** The address holds a token, which concerns nobody else; our own requests say where they come from. */
const HEADERS = { "referrer-policy": "same-origin" };

function policyOf({ embed }: AppSession, style: string): string {
  // This is what browsers go by; the older X-Frame-Options of all our answers counts only without it.
  const framing = embed ? embed.allowedOrigins.join(" ") || "'self'" : "'none'";
  const styles = style === "" ? "'self'" : `'self' 'sha256-${sha256(style).toString("base64")}'`;
  return (
    `default-src 'none'; script-src 'self'; style-src ${styles}; connect-src 'self'; img-src data:; ` +
    `base-uri 'none'; form-action 'none'; frame-ancestors ${framing}`
  );
}

/** JSON inside of HTML: no tag can end in it. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

const LUMINANCE_MAX = 0.45;

/** The accent as the stylesheet has it. It is six hexadecimal digits, or it could not have been saved. */
function styleOf(theme: Snapshot["theme"]): string {
  if (!theme || !/^#[0-9a-f]{6}$/i.test(theme.accent)) return "";
  const { accent } = theme;
  const [red, green, blue] = [1, 3, 5].map(
    (at) => Number.parseInt(accent.slice(at, at + 2), 16) / 255,
  );
  const luminance = 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  const ink = luminance > LUMINANCE_MAX ? "#10171b" : "#ffffff";
  return (
    `:root{--accent:${accent};--on-accent:${ink}}` +
    `@media (prefers-color-scheme:dark){:root{--accent:color-mix(in srgb,${accent} 55%,white);--on-accent:#10171b}}`
  );
}
