import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, page, withRevision } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { AppId, AppIsArchived } from "../definition/app.ts";
import { get as getApp } from "../definition/store.ts";
import { AppsDeploy } from "../permissions.ts";
import { tokenInputFields, EmbedToken, EmbedTokenId, IssuedToken } from "./embed-token.ts";
import { EmbedTokenCreated, EmbedTokenRevoked } from "./events.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: AppId });
const example = { params: { id: "app_01jd0000000000000000000000" } };

export const issueToken = command({
  id: "apps.create_embed_token",
  route: "POST /api/v1/apps/{id}/embed-token",
  summary: "Create an embed token",
  description:
    "Anyone with the URL sees the app, or the given page, like the creator of the token: in the environment of the request, with the fixed `context`, and limited to the data sources and actions of the app. Browsers show it only in frames of `allowedOrigins`.",
  permission: AppsDeploy,
  params: ById,
  body: object(tokenInputFields),
  issuesCredential: true,
  response: created(IssuedToken),
  emits: [EmbedTokenCreated],
  fails: [AppIsArchived],
  example: {
    ...example,
    body: {
      expiresIn: "12h",
      context: { customer: "C-4711" },
      allowedOrigins: ["https://intranet.example.com"],
    },
  },
  run: (ctx, { params, body }) => service.createToken(ctx, params.id, body),
});

export const listTokens = query({
  id: "apps.list_embed_tokens",
  route: "GET /api/v1/apps/{id}/embed-tokens",
  summary: "List embed tokens of an app, newest first",
  permission: AppsDeploy,
  params: ById,
  query: object(pageQuery),
  response: page(withRevision(EmbedToken)),
  example,
  async run({ tx, services: { cursors } }, { params, query: { limit, after } }) {
    await getApp(tx, params.id);
    const name = `embed tokens of ${params.id}`;
    const from = after === undefined ? undefined : cursors.decode(name, after);
    const before = from && ([String(from[0]), String(from[1])] as const);
    const rows = await store.list(tx, params.id, { before, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ createdAt, id }) => cursors.encode(name, [createdAt, id]),
    );
  },
});

export const revokeToken = command({
  id: "apps.revoke_embed_token",
  route: "DELETE /api/v1/apps/{id}/embed-tokens/{tokenId}",
  summary: "Revoke an embed token",
  permission: AppsDeploy,
  params: object({ id: AppId, tokenId: EmbedTokenId }),
  allowNoop: true,
  response: noContent(),
  emits: [EmbedTokenRevoked],
  example: { params: { ...example.params, tokenId: "emb_01jd0000000000000000000000" } },
  run: (ctx, { params }) => service.revoke(ctx, params.id, params.tokenId),
});
