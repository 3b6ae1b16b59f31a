import { randomBytes } from "node:crypto";
import { sha256 } from "#kernel/access/crypto.ts";
import type { Child } from "#kernel/html/vnode.ts";
import { escapeHtml, renderHtml } from "#kernel/html/vnode-html.ts";
import { stringifyInTurns } from "#kernel/schema/serialise.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import type { Snapshot } from "../deployments/deployment.ts";
import type { AppSession } from "./app-session.ts";
import { prefixOf } from "./address.ts";
import { bundle } from "./assets.ts";
import { setRegion } from "./browser/format.ts";
import type { PageState, ResolvedComponent, StartData } from "./browser/page-state.ts";
import { componentView, NO_SCRIPT, pageView, type UiState } from "./browser/view.ts";

const MARK_BYTES = 16;

/** Renders a view as HTML, one component per event loop turn, because a page may have hundreds of tables. */
async function renderInTurns(
  region: PageState["region"],
  view: (ui: UiState) => Child,
  turn = new TurnTimer(),
): Promise<string> {
  if (turn.isOver()) await turn.next();
  // A random marker, which no text of the page can contain.
  const mark = randomBytes(MARK_BYTES).toString("hex");
  const placed: ResolvedComponent[] = [];
  const place = (component: ResolvedComponent): string => {
    placed.push(component);
    return mark;
  };
  // Other pages were rendered in the turns before.
  setRegion(region);
  const [first = "", ...texts] = renderHtml([view({ ...NO_SCRIPT, place })]).split(mark);
  const parts = [first];
  for (const [index, component] of placed.entries()) {
    const inner = (ui: UiState): Child => componentView(component, ui);
    parts.push(await renderInTurns(region, inner, turn), texts[index] ?? "");
  }
  return parts.join("");
}

/** Renders the whole page as HTML, readable without any script. */
export async function renderPage(
  session: AppSession,
  state: PageState,
  params: Readonly<Record<string, string>>,
  began: Readonly<Record<"after" | "since", string>>,
) {
  const { after, since } = began;
  const { served, prefix, pathTo } = session;
  const { hash } = bundle();
  const base = `${prefix}/apps/_assets/${hash}`;
  const style = buildThemeStyle(served.snapshot.theme);
  const start: StartData = {
    state,
    params,
    urls: {
      state: pathTo("/_state"),
      act: pathTo("/_act"),
      live: pathTo("/_live"),
      // Visitors do not get a position of the log.
      firstLive: pathTo("/_live", session.isPublic === true ? { since } : { after }),
      upload: `${prefix}/api/v1/files`,
    },
    place: {
      "x-workspace": session.workspaceSlug,
      "x-environment": session.caller.environment,
    },
    remembers: `${served.appId} ${session.user.id}`,
  };
  const body = await renderInTurns(state.region, (ui) => pageView(state, ui));
  const json = await stringifyInTurns(start);
  const html = `<!doctype html>
<html lang="${escapeHtml(state.region.locale)}" data-mode="${escapeHtml(state.mode)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${state.title} · ${state.app}`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/style.css">
<link rel="stylesheet" href="${base}/rows.css">
${style && `<style>${style}</style>\n`}<script type="module" src="${base}/main.ts"></script>
</head>
<body>
<div id="app">${body}</div>
<script type="application/json" id="start">${escapeInline(json)}</script>
</body>
</html>
`;
  const policy = buildPolicy(session, style);
  return { html, policy, headers: HEADERS };
}

const STAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'self'";

/** An empty page in which the builder renders a draft with the same view, style and script as a deployed app. */
export function renderStage(origin: string) {
  const base = `${prefixOf(origin)}/apps/_assets/${bundle().hash}`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Preview</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/style.css">
<link rel="stylesheet" href="${base}/rows.css">
<link rel="stylesheet" href="${base}/stage.css">
<script type="module" src="${base}/stage.ts"></script>
</head>
<body>
<div id="app"></div>
</body>
</html>
`;
  return { html, policy: STAGE_POLICY, headers: HEADERS };
}

/**
 * The URL may contain an embed token, which other sites must not receive; same-origin requests need the referrer.
 */
const HEADERS = { "referrer-policy": "same-origin" };

function buildPolicy({ embed }: AppSession, style: string): string {
  // Takes precedence over the older X-Frame-Options, which all responses contain.
  const frameAncestors = embed ? embed.allowedOrigins.join(" ") || "'self'" : "'none'";
  const styles = style === "" ? "'self'" : `'self' 'sha256-${sha256(style).toString("base64")}'`;
  return (
    `default-src 'none'; script-src 'self'; style-src ${styles}; connect-src 'self'; img-src 'self' data:; ` +
    `font-src 'self'; base-uri 'none'; form-action ${embed ? "'none'" : "'self'"}; frame-ancestors ${frameAncestors}`
  );
}

/** JSON in a script element, escaped so that it cannot close the element. */
function escapeInline(json: string): string {
  return json.replaceAll("<", "\\u003c");
}

const LUMINANCE_MAX = 0.45;

/** The accent color as CSS variables. Validated again, because it is inserted into a style element. */
function buildThemeStyle(theme: Snapshot["theme"]): string {
  if (!theme || !/^#[0-9a-f]{6}$/i.test(theme.accent)) return "";
  const { accent } = theme;
  const [red, green, blue] = [1, 3, 5].map(
    (at) => Number.parseInt(accent.slice(at, at + 2), 16) / 255,
  );
  const luminance = 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  const ink = luminance > LUMINANCE_MAX ? "#10171b" : "#ffffff";
  return (
    `:root{--accent:light-dark(${accent},color-mix(in srgb,${accent} 55%,white));` +
    `--on-accent:light-dark(${ink},#10171b)}`
  );
}
