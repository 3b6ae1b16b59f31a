import Type from "typebox";
import { AppsUse, listServed, prefixOf } from "#domains/apps/index.ts";
import { buildSessionCookie, endSession, LoggedOut } from "#domains/identity/sessions/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import type { HtmlDocument } from "#kernel/html/markup.ts";
import { Failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { html, item, page, type ResponseType } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { PLATFORM_VERSION } from "#kernel/settings.ts";
import { findGuide, GUIDE_GROUPS } from "./guide.ts";
import { guideDocument, guidesDocument, renderGuide, titleOf } from "./guide-page.ts";
import { searchGuides } from "./guide-search.ts";
import { homeDocument } from "./home-page.ts";

type HomeResponse = HtmlDocument | { readonly json: object };

/** A page for browsers, or the same links as JSON for programs. */
const homeResponse: ResponseType<HomeResponse> = {
  errorRendering: htmlErrorRendering,
  status: 200,
  body: undefined,
  mediaType: "text/html, application/json",
  wrap: () => undefined,
  headers: (value) => ({
    vary: "accept",
    ...("json" in value
      ? { "content-type": "application/json; charset=utf-8" }
      : {
          ...value.headers,
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": value.policy,
        }),
  }),
  raw: (value) => ({
    status: 200,
    body: "json" in value ? JSON.stringify(value.json) : value.html,
  }),
};

export const showHome = query({
  id: "home.show",
  route: "GET /",
  summary: "Get information about this server",
  description:
    "Returns JSON with the URL of the API description. Browsers get the console at this URL; without a console, a page with this information.",
  access: "public",
  readsAccept: true,
  response: homeResponse,
  run: async ({ caller }): Promise<HomeResponse> =>
    caller.prefersHtml
      ? homeDocument(prefixOf(caller.origin))
      : { json: { data: describeEntry(caller) } },
});

function describeEntry({ origin }: Caller) {
  return {
    name: "Millrace",
    version: PLATFORM_VERSION,
    reference: `${origin}/docs`,
    description: `${origin}/api/v1/openapi.json`,
  };
}

const APPS = "home.apps";

/** Lists apps for all members, like `apps.list` for builders: members open apps without access to their definitions. */
export const listApps = query({
  id: "home.list_apps",
  route: "GET /api/v1/home/apps",
  summary: "List available apps, sorted by name",
  description:
    "Returns apps that are deployed in the environment of the request. The URL of an app is `/apps/{workspace}/{slug}`.",
  permission: AppsUse,
  environmentScoped: true,
  query: object(pageQuery),
  response: page(
    Type.Object(
      {
        slug: Type.String(),
        name: Type.String(),
        description: Type.String(),
      },
      { title: "OpenableApp" },
    ),
  ),
  async run({ tx, services: { cursors } }, { query: { limit, after } }) {
    const [name = "", slug = ""] = after === undefined ? [] : cursors.decode(APPS, after);
    const last = { name: String(name), slug: String(slug) };
    return toPage(
      await listServed(tx, last, limit + 1),
      limit,
      (app) => app,
      (app) => cursors.encode(APPS, [app.name, app.slug]),
    );
  },
});

export const logOut = command({
  id: "home.log_out",
  route: "POST /logout",
  summary: "Sign out of the browser session",
  description:
    "Redirects to the start page. For the form on app pages, which work without the console.",
  access: "visitor",
  allowNoop: true,
  response: html(htmlErrorRendering),
  fails: [Forbidden],
  emits: [LoggedOut],
  async run(ctx) {
    if (ctx.caller.credential) await endSession(ctx);
    const ended = { token: "", expiresAt: new Date(0).toISOString() };
    return {
      goTo: `${prefixOf(ctx.caller.origin)}/`,
      headers: { "set-cookie": buildSessionCookie(ended, ctx.services.settings) },
    };
  },
});

export const showGuides = query({
  id: "guides.list",
  route: "GET /guide",
  summary: "Show the guides by topic",
  access: "public",
  response: html(htmlErrorRendering),
  run: async ({ caller }) => guidesDocument(prefixOf(caller.origin), GUIDE_GROUPS),
});

export const showGuide = query({
  id: "guides.show",
  route: "GET /guide/{name}",
  summary: "Show a guide",
  access: "public",
  params: object({ name: Type.String({ pattern: "^[a-z][a-z-]{0,40}$" }) }),
  response: html(htmlErrorRendering),
  fails: [NotFound],
  example: { params: { name: "first-steps" } },
  async prepare(_platform, { params: { name } }, { origin }) {
    const guide = await findGuide(name);
    if (guide === undefined) throw new Failure(NotFound);
    return guideDocument(prefixOf(origin), guide);
  },
  run: async (_ctx, _input, document) => document,
});

const GuideName = Type.String({ pattern: "^[a-z][a-z-]{0,40}$" });

export const readGuide = query({
  id: "guides.read",
  route: "GET /api/v1/guides/{name}",
  summary: "Get a guide as HTML",
  access: "public",
  params: object({ name: GuideName }),
  response: item(
    Type.Object(
      {
        name: GuideName,
        title: Type.String(),
        html: Type.String({ description: "HTML without scripts. Links refer to `/guide`" }),
      },
      { title: "Guide" },
    ),
  ),
  fails: [NotFound],
  example: { params: { name: "first-steps" } },
  async prepare(_platform, { params: { name } }, { origin }) {
    const guide = await findGuide(name);
    if (guide === undefined) throw new Failure(NotFound);
    const body = await renderGuide(prefixOf(origin), guide.markdown);
    return { name, title: titleOf(guide), html: body.text };
  },
  run: async (_ctx, _input, guide) => guide,
});

export const findInGuides = query({
  id: "guides.search",
  route: "GET /api/v1/guides",
  summary: "Search or list the guides",
  access: "public",
  query: object({ q: Type.Optional(Type.String({ maxLength: 100 })) }),
  response: item(
    Type.Object(
      {
        hits: Type.Array(
          Type.Object({
            name: GuideName,
            title: Type.String(),
            heading: Type.String(),
            anchor: Type.String(),
            excerpt: Type.String(),
          }),
          { description: "At most 20 sections, best first" },
        ),
        groups: Type.Array(
          Type.Object({
            title: Type.String(),
            guides: Type.Array(
              Type.Object({ name: GuideName, title: Type.String(), about: Type.String() }),
            ),
          }),
          { description: "All guides. Empty for a search" },
        ),
      },
      { title: "GuideSearch" },
    ),
  ),
  prepare: (_platform, { query: { q = "" } }) => searchGuides(q),
  run: async (_ctx, { query: { q = "" } }, hits) => ({
    hits,
    groups:
      q.trim() === ""
        ? GUIDE_GROUPS.map(({ title, guides }) => ({ title, guides: [...guides] }))
        : [],
  }),
});
