import { NobodyBehind } from "#domains/identity/accounts/index.ts";
/** A deployed app in a browser: its pages, their state, actions and assets. */
import Type from "typebox";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import {
  Failure,
  Forbidden,
  NotFound,
  NoSuchWorkspace,
  Unauthenticated,
} from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html, type ResponseType, dynamicItem } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { EmbedRefused } from "../embedding/embed-token.ts";
import { isPagePath } from "../definition/app.ts";
import { executeAction } from "./execute-action.ts";
import { buildAppPath } from "./address.ts";
import { type Asset, bundle } from "./assets.ts";
import { renderPage } from "./document.ts";
import { AppActed } from "./events.ts";
import { loginPage, findLoginReturn } from "./login.ts";
import { resolvePage } from "./resolve-page.ts";
import { SourceFailed } from "./load-sources.ts";
import { getPage, openAppSession } from "./app-session.ts";

const Slug = Type.String({ pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$" });
const appParams = { workspace: Slug, slug: Slug };
const appQuery = {
  environment: Type.Optional(
    Type.Enum(["production", "staging", "development"], {
      description: "`production` unless given",
    }),
  ),
  embed_token: Type.Optional(Type.String({ maxLength: 12_000 })),
};
const example = { params: { workspace: "default", slug: "orders" } };
const fails = [NoSuchWorkspace, Forbidden, NotFound, EmbedRefused, NobodyBehind];

const Scalar = Type.Union([
  Type.String({ maxLength: 20_000 }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
]);
const Scalars = Type.Record(Type.String(), Scalar, { maxProperties: 200 });

/** The browser's state in every request of a page. */
const browserStateFields = {
  page: Type.String({ maxLength: 400, description: "Its path" }),
  params: Type.Optional(Scalars),
  inputs: Type.Optional(Scalars),
  views: Type.Optional(
    Type.Record(
      Type.String(),
      object({
        q: Type.Optional(Type.String({ maxLength: 200 })),
        after: Type.Optional(Type.String({ maxLength: 16_000 })),
      }),
      { maxProperties: 300, description: "What somebody looks at in tables, by their ids" },
    ),
  ),
};

export const openApp = query({
  id: "apps.open",
  route: "GET /apps/{workspace}/{slug}",
  aliases: ["GET /apps/{workspace}/{slug}/*"],
  summary: "Open a deployed app",
  description:
    "Needs the session of a browser, a token in the header, or an `embed_token`; who has none is asked to log " +
    "in and comes back. " +
    "Further members of the query are what bindings read as `params`.",
  access: "visitor",
  acceptsToken: true,
  params: object({
    ...appParams,
    "*": Type.Optional(Type.String({ maxLength: 400, description: "The path of a page" })),
  }),
  query: Type.Object(appQuery, { additionalProperties: true }),
  response: html(htmlErrorRendering),
  fails: [Unauthenticated, ...fails],
  example,
  async prepare(platform, { params: at, query: parameters }, caller) {
    const { environment, embed_token: embedToken, ...others } = parameters;
    const { workspace, slug, "*": path = "" } = at;
    const params = toTexts(others);
    if (!caller.credential && embedToken === undefined) {
      const query = { ...params, ...(environment && { environment }) };
      // No page has a path such as `../..`, which would leave the app.
      const address = {
        origin: caller.origin,
        workspace,
        slug,
        path: `/${isPagePath(path) ? path : ""}`,
      };
      const loginReturn = await findLoginReturn(
        platform,
        caller.origin,
        buildAppPath(address, query),
      );
      return { ...loginPage(loginReturn), status: Unauthenticated.status };
    }
    const session = await openAppSession(platform, caller, {
      workspace,
      slug,
      environment,
      embedToken,
      isSafe: true,
    });
    const page = getPage(session, path);
    const state = await resolvePage(session, page, { params, inputs: {}, views: {} });
    return renderPage(session, state, params);
  },
  run: async (_ctx, _input, page) => page,
});

export const readState = query({
  id: "apps.state",
  route: "POST /apps/{workspace}/{slug}/_state",
  summary: "Read what a page of a deployed app shows now",
  description:
    "For the app's own page: the resolved component tree. Must come from a page of ours.",
  access: "visitor",
  acceptsToken: true,
  params: object(appParams),
  query: object(appQuery),
  body: object(browserStateFields),
  response: dynamicItem(Type.Record(Type.String(), Type.Unknown())),
  fails: [Unauthenticated, ...fails],
  example: { ...example, body: { page: "/", inputs: { status: "open" } } },
  async prepare(platform, { params, query: parameters, body }, caller) {
    const { environment, embed_token: embedToken } = parameters;
    const session = await openAppSession(platform, caller, { ...params, environment, embedToken });
    const { page, params: pageParams = {}, inputs = {}, views = {} } = body;
    return {
      data: await resolvePage(session, getPage(session, page), {
        params: pageParams,
        inputs,
        views,
      }),
    };
  },
  run: async (_ctx, _input, state) => state,
});

export const takeAction = command({
  id: "apps.act",
  route: "POST /apps/{workspace}/{slug}/_act",
  summary: "Do what a button, a row or a form of a deployed app does",
  description:
    "For the app's own page. The action is that of the deployed app, carried out as the caller; only what was " +
    "entered and the id of a row come with the request. `effects` say what came of it, also when it failed.",
  access: "visitor",
  acceptsToken: true,
  params: object(appParams),
  query: object(appQuery),
  body: object({
    ...browserStateFields,
    componentId: Type.String({ maxLength: 200 }),
    action: Type.String({
      maxLength: 100,
      description: "Such as `/action` or `/rowActions/0/action`",
    }),
    values: Type.Optional(Scalars),
    row: Type.Optional(Type.String({ maxLength: 500 })),
  }),
  response: dynamicItem(
    Type.Object({ effects: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
  ),
  emits: [AppActed],
  fails: [Unauthenticated, SourceFailed, ...fails],
  example: {
    ...example,
    body: { page: "/", componentId: "close", action: "/action", inputs: {} },
  },
  async prepare(platform, { params, query: parameters, body }, caller) {
    const { environment, embed_token: embedToken } = parameters;
    const session = await openAppSession(platform, caller, { ...params, environment, embedToken });
    const page = getPage(session, body.page);
    const { params: pageParams = {}, inputs = {}, views = {}, values = {}, row } = body;
    const { componentId, action } = body;
    const request = { params: pageParams, inputs, views, values, row, componentId, action };
    return { session, page, result: await executeAction(session, page, request) };
  },
  async run(ctx, { body: { componentId } }, { session, page, result }) {
    const { served, embed, partition, caller } = session;
    ctx.switchPartition(partition);
    ctx.setActor(caller.actor);
    const { effects, done, succeeded } = result;
    ctx.emit(
      AppActed,
      { id: served.appId, displayName: served.snapshot.name },
      {
        appId: served.appId,
        deploymentId: served.deploymentId,
        pageId: page.id,
        componentId,
        actions: [...done],
        succeeded,
        embedTokenId: embed?.id ?? null,
      },
    );
    return { data: { effects } };
  },
});

/** Cached for ever: the URL has the hash of the content. */
const assetResponse: ResponseType<Asset> = {
  status: 200,
  body: undefined,
  mediaType: "text/javascript",
  wrap: () => undefined,
  headers: ({ mediaType }) => ({
    "content-type": mediaType,
    "cache-control": "public, max-age=31536000, immutable",
  }),
  raw: ({ text }) => ({ status: 200, body: text }),
};

export const readAsset = query({
  id: "apps.asset",
  route: "GET /apps/_assets/{hash}/{file}",
  summary: "Read a script or stylesheet of the pages of apps",
  access: "public",
  params: object({
    hash: Type.String({ maxLength: 64 }),
    file: Type.String({ maxLength: 64 }),
  }),
  response: assetResponse,
  example: { params: { hash: "0123456789abcdef", file: "main.ts" } },
  async run(_ctx, { params }) {
    const { hash, files } = bundle();
    const asset = params.hash === hash ? files.get(params.file) : undefined;
    if (!asset) throw new Failure(NotFound);
    return asset;
  },
});

/** Takes the first value of a repeated parameter. */
function toTexts(query: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, String([value].flat()[0])]),
  );
}
