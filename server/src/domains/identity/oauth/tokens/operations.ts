import Type, { type Static } from "typebox";
import { sha256 } from "#kernel/access/crypto.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { unwrapped } from "#kernel/operation/response.ts";
import {
  clientParameters,
  authenticateClient,
  parameter,
  invalidClient,
} from "../client-authentication.ts";
import {
  TokenIssued,
  TokenRefreshed,
  TokenRefused,
  TokenReuseDetected,
  TokenRevoked,
} from "../events.ts";
import type { Client } from "../applications/store.ts";
import { exchangeCode, grantEventData, grantRef, refreshTokens } from "./exchange.ts";
import * as store from "../grant-store.ts";
import {
  InvalidClient,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  oauthErrorRendering,
  UnsupportedGrantType,
} from "../protocol.ts";
import { assertResource } from "../resource-indicator.ts";
import { recordAndRefuse } from "./exchange.ts";
import { effectivePermissions, findMembership } from "../scope.ts";
import { TokenResponse } from "./token.ts";

const common = {
  access: "public",
  acceptsForm: true,
  acceptsBasic: true,
} as const;

const TokenRequest = Type.Object({
  grant_type: Type.String({ maxLength: 100, description: "authorization_code or refresh_token" }),
  code: parameter(200),
  redirect_uri: parameter(2_000),
  code_verifier: parameter(200),
  refresh_token: parameter(200),
  scope: parameter(10_000),
  resource: parameter(2_000),
  ...clientParameters,
});

export const issueToken = command({
  ...common,
  id: "oauth.token",
  route: "POST /api/v1/oauth/token",
  summary: "Exchange a code or a refresh token for tokens",
  description:
    "RFC 6749, as JSON or as a form. The client secret is optional, but it must be correct if it is sent in the body or by HTTP Basic. A code can be used once within 60 seconds. A refresh token can be used once within 30 days: a second use revokes all tokens of the grant.",
  body: TokenRequest,
  response: unwrapped(TokenResponse, oauthErrorRendering),
  emits: [TokenIssued, TokenRefreshed, TokenReuseDetected, TokenRefused],
  fails: [
    InvalidRequest,
    InvalidClient,
    InvalidGrant,
    InvalidScope,
    InvalidTarget,
    UnsupportedGrantType,
    RateLimited,
  ],
  example: {
    body: {
      grant_type: "authorization_code",
      code: "mrc_8QpyTqQgqHX0l7SgTZ4bJbnuH1mCBkBYvDoqE4mFhnk",
      redirect_uri: "https://desk.example.com/callback",
      client_id: "oac_01jd0000000000000000000000",
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    },
  },
  async prepare(platform, { body }, caller) {
    const authenticated = await authenticateClient(platform, "token", body, caller);
    const request = readGrantRequest(body);
    assertResource(body.resource, caller.origin);
    const granter = await store.findGranter(platform.db, sha256(request.secret));
    const workspace = chooseWorkspace(platform, authenticated.client, granter);
    const membership = granter && (await findMembership(platform, granter.id, workspace));
    return { ...authenticated, request, granter, membership, workspace };
  },
  async run(ctx, _input, { client, secretCheck, request, granter, membership, workspace }) {
    ctx.switchPartition({ workspace, environment: ctx.caller.environment });
    if (secretCheck === "invalid") {
      recordAndRefuse(ctx, client, InvalidClient, "wrong_secret");
      return invalidClient(ctx.caller);
    }
    const exchange = { client, granter, membership };
    if (request.by === "code")
      return exchangeCode(ctx, exchange, { ...request, code: request.secret });
    return refreshTokens(ctx, exchange, { ...request, refreshToken: request.secret });
  },
});

const TokenRef = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 4_096 }),
  token_type_hint: parameter(100),
  ...clientParameters,
});
const example = {
  body: {
    token: "mro_8QpyTqQgqHX0l7SgTZ4bJbnuH1mCBkBYvDoqE4mFhnk",
    client_id: "oac_01jd0000000000000000000000",
  },
};

export const revokeToken = command({
  ...common,
  id: "oauth.revoke",
  route: "POST /api/v1/oauth/revoke",
  summary: "Revoke a token",
  description:
    "RFC 7009. A refresh token revokes its whole grant, including access tokens. Unknown tokens get the same response.",
  body: TokenRef,
  response: unwrapped(Type.Object({}), oauthErrorRendering),
  emits: [TokenRevoked, TokenRefused],
  fails: [InvalidRequest, InvalidClient, RateLimited],
  example,
  async prepare(platform, { body }, caller) {
    const authenticated = await authenticateClient(platform, "revoke", body, caller);
    const granter = await store.findGranter(platform.db, sha256(body.token));
    return {
      ...authenticated,
      workspace: chooseWorkspace(platform, authenticated.client, granter),
    };
  },
  async run(ctx, { body }, { client, secretCheck, workspace }) {
    ctx.switchPartition({ workspace, environment: ctx.caller.environment });
    if (secretCheck === "invalid") {
      recordAndRefuse(ctx, client, InvalidClient, "wrong_secret");
      return invalidClient(ctx.caller);
    }
    const found = await store.lockByToken(ctx.tx, sha256(body.token));
    if (!found || found.grant.revoked_at !== null) {
      recordAndRefuse(ctx, client, InvalidGrant, "unknown_token");
      return {};
    }
    const { grant, token } = found;
    if (grant.client_id !== client.clientId) {
      return recordAndRefuse(ctx, client, InvalidRequest, "wrong_client");
    }
    if (token.kind === "refresh") await store.revokeGrant(ctx.tx, grant.id, ctx.now);
    else await store.deleteToken(ctx.tx, token.id);
    ctx.emit(TokenRevoked, grantRef(grant, client), grantEventData(grant, token.scopes));
    return {};
  },
});

const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    username: Type.Optional(Type.String()),
    token_type: Type.Optional(Type.String()),
    exp: Type.Optional(Type.Integer()),
    iat: Type.Optional(Type.Integer()),
    sub: Type.Optional(Type.String()),
    iss: Type.Optional(Type.String()),
  },
  { title: "OAuthIntrospection" },
);

export const introspectToken = query({
  ...common,
  id: "oauth.introspect",
  route: "POST /api/v1/oauth/introspect",
  summary: "Introspect a token",
  description:
    "RFC 7662. The client must authenticate with its secret, and can only introspect its own tokens.",
  body: TokenRef,
  response: unwrapped(Introspection, oauthErrorRendering),
  fails: [InvalidRequest, InvalidClient],
  example,
  async prepare(platform, { body }, caller) {
    const { client, secretCheck } = await authenticateClient(platform, "introspect", body, caller);
    if (secretCheck !== "valid") throw invalidClient(caller);
    const now = platform.clock.now();
    const token = await store.findLiveToken(platform.db, sha256(body.token), now);
    if (token?.client_id !== client.clientId) return undefined;
    const membership = await findMembership(platform, token.user_id, token.workspace);
    if (!membership) return undefined;
    const scopes = effectivePermissions(token.scopes, token.allowed_scopes, membership.permissions);
    return { ...token, scope: scopes.join(" ") };
  },
  async run({ caller }, _input, token) {
    if (!token) return { active: false };
    return {
      active: true,
      scope: token.scope,
      client_id: token.client_id,
      username: token.email,
      ...(token.kind === "access" && { token_type: "Bearer" }),
      exp: secondsOf(token.expires_at),
      iat: secondsOf(token.created_at),
      sub: token.user_id,
      iss: caller.origin,
    };
  },
});

/** The workspace of a client; for a self-registered client, that of the consent; without a consent, none. */
function chooseWorkspace(
  { homeWorkspace }: Pick<Platform, "homeWorkspace">,
  { workspace }: Client,
  granter: store.Granter | undefined,
): string {
  return workspace?.key ?? granter?.workspace ?? homeWorkspace;
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

/** The parameters of the grant type; throws if one is missing. */
function readGrantRequest(body: Static<typeof TokenRequest>) {
  const need = (name: "code" | "redirect_uri" | "code_verifier" | "refresh_token"): string => {
    const value = body[name];
    if (!value) throw new Failure(InvalidRequest, { detail: `${name} is required.` });
    return value;
  };
  if (body.grant_type === "authorization_code") {
    return {
      by: "code" as const,
      secret: need("code"),
      redirectUri: need("redirect_uri"),
      verifier: need("code_verifier"),
    };
  }
  if (body.grant_type === "refresh_token") {
    return {
      by: "refresh" as const,
      secret: need("refresh_token"),
      scope: body.scope || undefined,
    };
  }
  throw new Failure(UnsupportedGrantType);
}
