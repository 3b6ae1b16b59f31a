/** A deployed app in a browser: its pages, their state, actions and assets. */
import { Readable } from "node:stream";
import Type from "typebox";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { Failure, NotFound, Unauthenticated } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html, type ResponseType, dynamicItem } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { isPagePath } from "../definition/app.ts";
import { appExample, appFails, appParams, appQuery } from "./app-request.ts";
import { executeAction } from "./execute-action.ts";
import { buildAppPath } from "./address.ts";
import { type Asset, bundle } from "./assets.ts";
import { renderPage } from "./document.ts";
import { AppActed } from "./events.ts";
import { loginPage, findLoginReturn } from "./login.ts";
import { findErrors, recordErrors } from "../errors/app-error.ts";
import { resolvePage, useResolvedPage } from "./resolve-page.ts";
import { SourceFailed } from "./sources/source-calls.ts";
import { getPage, openAppSession } from "./app-session.ts";
import { assertFits } from "../public/visitor.ts";
import { BrowserStateBody, browserStateFields, Scalars, toBrowserState } from "./browser-state.ts";

const fails = appFails;
const example = appExample;

export const openApp = query({
  id: "apps.open",
  route: "GET /apps/{workspace}/{slug}",
  aliases: ["GET /apps/{workspace}/{slug}/*"],
  summary: "Open a deployed app",
  description:
    "Requires a browser session, a token in the header, or an `embed_token`, unless the app is public. Other users are redirected to sign in. Further query parameters are available as `params` in bindings.",
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
    // Read the position first: the stream then reports all changes since the page was read.
    const began = {
      after: platform.commitFeed.settledId,
      since: String(platform.clock.nowMs()),
    };
    const params = toTexts(others);
    const request = { workspace, slug, environment, embedToken, isSafe: true };
    const session = await openAppSession(platform, caller, request).catch((error: unknown) => {
      if (error instanceof Failure && error.type === Unauthenticated) return undefined;
      throw error;
    });
    if (!session) {
      // The domain of an app has no login page, so that users do not get used to entering passwords there.
      if (caller.isAtDomain) throw new Failure(NotFound);
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
    const page = getPage(session, path);
    const fresh = { params, inputs: {}, views: {}, selected: {} };
    return useResolvedPage(session, page, fresh, async (state) => {
      if (!state.deferred) await recordErrors(session, page.path, findErrors(state.components));
      return renderPage(session, state, params, began);
    });
  },
  run: async (_ctx, _input, page) => page,
});

export const readState = query({
  id: "apps.state",
  route: "POST /apps/{workspace}/{slug}/_state",
  summary: "Get the state of a page of a deployed app",
  description:
    "For the pages of the app: returns the resolved component tree. Requests must come from a page of this server.",
  access: "visitor",
  acceptsToken: true,
  params: object(appParams),
  query: object(appQuery),
  body: BrowserStateBody,
  response: dynamicItem(Type.Record(Type.String(), Type.Unknown()), { isLarge: true }),
  fails: [Unauthenticated, ...fails],
  example: { ...example, body: { page: "/", inputs: { status: "open" } } },
  async prepare(platform, { params, query: parameters, body }, caller) {
    const { environment, embed_token: embedToken } = parameters;
    const { page, timeZone } = body;
    const request = { ...params, environment, embedToken, timeZone };
    const session = await openAppSession(platform, caller, request);
    assertFits(session, body);
    const state = await resolvePage(session, getPage(session, page), toBrowserState(body));
    await recordErrors(session, state.path, findErrors(state.components));
    return { data: state };
  },
  run: async (_ctx, _input, state) => state,
});

export const takeAction = command({
  id: "apps.act",
  route: "POST /apps/{workspace}/{slug}/_act",
  summary: "Run an action of a deployed app",
  description:
    "For the pages of the app. Runs an action of the deployed app as the user; the request contains only the entered values and the id of a row. `effects` contains the results, also after a failure.",
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
    const { values = {}, row, componentId, action, timeZone } = body;
    const opened = { ...params, environment, embedToken, timeZone, isAct: true };
    const session = await openAppSession(platform, caller, opened);
    assertFits(session, body);
    const page = getPage(session, body.page);
    const request = { ...toBrowserState(body), values, row, componentId, action };
    const result = await executeAction(session, page, request);
    const failed = result.effects.filter((effect) => effect.kind === "error" && !effect.fields);
    await recordErrors(
      session,
      page.path,
      failed.map((effect) => ({
        componentId,
        message: effect.kind === "error" ? effect.message : "",
      })),
    );
    return { session, page, result };
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

/** Cached permanently, because the URL contains the hash of the content. */
const assetResponse: ResponseType<Asset> = {
  status: 200,
  body: undefined,
  mediaType: "text/javascript",
  wrap: () => undefined,
  headers: ({ mediaType }) => ({
    "content-type": mediaType,
    "cache-control": "public, max-age=31536000, immutable",
  }),
  raw: ({ body }) =>
    typeof body === "string"
      ? { status: 200, body }
      : { status: 200, body: undefined, stream: Readable.from([body]) },
};

export const readAsset = query({
  id: "apps.asset",
  route: "GET /apps/_assets/{hash}/{file}",
  summary: "Get a script, stylesheet or font of app pages",
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
