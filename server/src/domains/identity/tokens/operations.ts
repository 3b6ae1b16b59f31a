import Type from "typebox";
import { userIdOf } from "#kernel/access/caller.ts";
import { Forbidden, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, page, withRevision } from "#kernel/operation/response.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { TokenCreated, TokenRevoked, TokenRotated } from "./token.ts";
import { TokensRead, TokensWrite } from "./token.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { ApiToken, ExpiresIn, IpAllowlist, NewApiToken, NoSuchToken, Scopes } from "./token.ts";

const LIST = "api tokens";
const location = ({ id: made }: { readonly id: string }) => `/api/v1/auth/tokens/${made}`;

export const listTokens = query({
  id: "tokens.list",
  route: "GET /api/v1/auth/tokens",
  summary: "List your API tokens in this workspace",
  permission: TokensRead,
  query: object(pageQuery),
  response: page(withRevision(ApiToken)),
  async run({ tx, services, caller }, { query: { limit, after } }) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, userIdOf(caller), { after: String(start), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      (row) => services.cursors.encode(LIST, [row.id]),
    );
  },
});

export const createToken = command({
  id: "tokens.create",
  route: "POST /api/v1/auth/tokens",
  summary: "Create an API token",
  description:
    "The token acts as you in this workspace, limited to its scopes and to your permissions at the time of each request. Its value is shown only in this response. A token created with another token can't have more IP addresses or a longer validity. OAuth applications can't create tokens.",
  permission: TokensWrite,
  body: object({
    name: line(100),
    expiresIn: ExpiresIn,
    scopes: Scopes,
    ipAllowlist: Type.Optional(IpAllowlist),
  }),
  issuesCredential: true,
  response: created(NewApiToken, { location }),
  emits: [TokenCreated],
  fails: [Forbidden],
  example: { body: { name: "Nightly report", expiresIn: "90d", scopes: ["audit:read"] } },
  run: (ctx, { body: { expiresIn, ...input } }) =>
    service.create(ctx, {
      ...input,
      lifetimeDays: expiresIn === null ? null : parseInt(expiresIn),
    }),
});

export const rotateToken = command({
  id: "tokens.rotate",
  route: "POST /api/v1/auth/tokens/rotate",
  summary: "Rotate an API token",
  description:
    "Replaces the given token, or the token of the request, which requires no scope. The old token is revoked immediately.",
  permission: TokensWrite,
  allowOwnToken: true,
  body: object({ id: Type.Optional(id("tok")) }),
  bodyOptional: true,
  issuesCredential: true,
  response: created(NewApiToken, { location }),
  emits: [TokenRotated],
  fails: [NoSuchToken, Forbidden, NotFound],
  example: { body: { id: "tok_01jd0000000000000000000000" } },
  run: (ctx, { body }) => service.rotate(ctx, body.id),
});

export const revokeToken = command({
  id: "tokens.revoke",
  route: "DELETE /api/v1/auth/tokens/{id}",
  summary: "Revoke an API token",
  permission: TokensWrite,
  params: object({ id: id("tok") }),
  response: noContent(),
  emits: [TokenRevoked],
  example: { params: { id: "tok_01jd0000000000000000000000" } },
  run: (ctx, { params }) => service.revoke(ctx, params.id),
});
