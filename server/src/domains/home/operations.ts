import Type from "typebox";
import { AppsUse, listServed, prefixOf } from "#domains/apps/index.ts";
import { buildSessionCookie, endSession, LoggedOut } from "#domains/identity/sessions/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import type { HtmlDocument } from "#kernel/html/markup.ts";
import { Failure, Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html, type ResponseType } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { PLATFORM_VERSION } from "#kernel/settings.ts";
import { findGuide, GUIDE_GROUPS } from "./guide.ts";
import { guideDocument, guidesDocument } from "./guide-page.ts";
import { homeDocument, type WorkspaceApps } from "./home-page.ts";

const WORKSPACES_MAX = 20;
const APPS_MAX = 60;

type HomeResponse = HtmlDocument | { readonly json: object };

/** A page for a browser; for a program the same places as JSON. */
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
  aliases: ["GET /login", "GET /apps"],
  summary: "Show a person where to begin",
  description:
    "A browser gets a page: log in, the apps that one may open, the guides and the reference. Other clients " +
    "get the addresses of the reference as JSON.",
  access: "visitor",
  readsAccept: true,
  response: homeResponse,
  async prepare(platform, _input, caller): Promise<HomeResponse> {
    if (!caller.prefersHtml) return { json: { data: describeEntry(caller) } };
    const person = caller.credential?.user;
    return homeDocument({
      prefix: prefixOf(caller.origin),
      person,
      groups: person ? await listOpenableApps(platform, caller) : [],
    });
  },
  run: async (_ctx, _input, response) => response,
});

function describeEntry({ origin }: Caller) {
  return {
    name: "Millrace",
    version: PLATFORM_VERSION,
    reference: `${origin}/docs`,
    description: `${origin}/api/v1/openapi.json`,
  };
}

/** The apps that are served in production, by workspace, where the person may use them. */
async function listOpenableApps(platform: Platform, caller: Caller): Promise<WorkspaceApps[]> {
  const memberships = [...(caller.credential?.memberships.values() ?? [])]
    .filter(({ blockedBy, permissions }) => !blockedBy && permissions.has(AppsUse.name))
    .slice(0, WORKSPACES_MAX);
  return Promise.all(
    memberships.map(async ({ workspace }) => ({
      workspace,
      apps: await platform.db.read({ workspace: workspace.key, environment: "production" }, (tx) =>
        listServed(tx, APPS_MAX),
      ),
    })),
  );
}

export const logOut = command({
  id: "home.log_out",
  route: "POST /logout",
  summary: "End the session of a browser, and go to the first page",
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
  summary: "Show the guides by what one wants to do",
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
