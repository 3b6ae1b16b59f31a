/**
 * Dynamic client registration (RFC 7591): a client registers itself with only a redirect URI. It gets no secret and
 * no rights; a person's consent adds it to a workspace. The endpoint is unauthenticated, so it is limited by rate
 * and number, and unused clients are deleted after a day.
 */
import Type from "typebox";
import type { Platform } from "#kernel/contract.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, RateLimited } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { unwrapped } from "#kernel/operation/response.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { newId } from "#kernel/schema/id.ts";
import { parameter } from "../client-authentication.ts";
import { InvalidClientMetadata, InvalidRedirectUri, oauthErrorRendering } from "../protocol.ts";
import { AGENT_SCOPE, agentScopes, keepAgentScope, parseScopes } from "../scope.ts";
import { ClientId, redirectUriError } from "./application.ts";

/**
 * The limit for all callers together: unused registrations of the last hour. With a limit per day, one address
 * could reach it within its rate limit, and block all other registrations.
 */
const UNUSED_MAX = 1_000;
const UNUSED_WITHIN_MS = 3_600_000;
const NAME_CHARACTERS_MAX = 100;

const Texts = Type.Array(Type.String({ maxLength: 200 }), { maxItems: 20 });

/** Further members are ignored, as the protocol demands. */
const ClientMetadata = Type.Object({
  redirect_uris: Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
    minItems: 1,
    maxItems: 20,
  }),
  client_name: parameter(1_000),
  scope: parameter(10_000),
  grant_types: Type.Optional(Texts),
  response_types: Type.Optional(Texts),
  token_endpoint_auth_method: parameter(100),
});

const RegisteredClient = Type.Object(
  {
    client_id: ClientId,
    client_id_issued_at: Type.Integer(),
    client_name: Type.String(),
    redirect_uris: Type.Array(Type.String()),
    scope: Type.String(),
    grant_types: Type.Array(Type.String()),
    response_types: Type.Array(Type.String()),
    token_endpoint_auth_method: Type.String(),
  },
  { title: "RegisteredOAuthClient" },
);

export const ClientRegistered = event("audit.oauth_application.registered", {
  resource: "oauth_application",
  summary: "A client registered itself dynamically. It has no consents yet.",
  data: Type.Object({
    clientId: ClientId,
    name: Type.String(),
    redirectUris: Type.Array(Type.String()),
    address: Type.String(),
  }),
});

const COUNT_UNUSED = `
  select count(*)::int as n from
    (select from oauth_applications a
      where a.workspace_id is null and a.created_at > $2
        and not exists (select from oauth_grants g where g.client_id = a.client_id)
      limit $1) as unused`;

export const registerClient = command({
  id: "oauth.register",
  route: "POST /api/v1/oauth/register",
  summary: "Register an OAuth client",
  description:
    "Dynamic registration (RFC 7591) for MCP clients. The client is public: it has no secret and uses PKCE. Clients that are older than one day and have no consents are deleted.",
  access: "public",
  body: ClientMetadata,
  response: { ...unwrapped(RegisteredClient, oauthErrorRendering), status: 201 },
  emits: [ClientRegistered],
  fails: [InvalidRedirectUri, InvalidClientMetadata, RateLimited],
  example: {
    body: {
      client_name: "Desk agent",
      redirect_uris: ["http://127.0.0.1/callback"],
      token_endpoint_auth_method: "none",
    },
  },
  async prepare(platform, _input, caller) {
    const { rateLimit, settings } = platform;
    rateLimit.assert(`oauth register ${classifyAddress(caller.address)}`, settings.loginRateLimit);
    await assertRoom(platform);
  },
  async run(ctx, { body }) {
    const { now, services, caller } = ctx;
    for (const [index, uri] of body.redirect_uris.entries()) {
      const error = redirectUriError(uri);
      if (error)
        throw new Failure(InvalidRedirectUri, { detail: `redirect_uris/${index} ${error}.` });
    }
    if (body.grant_types?.includes("authorization_code") === false) {
      throw new Failure(InvalidClientMetadata, {
        detail: "grant_types must contain authorization_code.",
      });
    }
    const known = new Set(services.permissions.map(({ name }) => name));
    const asked = parseScopes(body.scope ?? "").filter((scope) => known.has(scope));
    const scopes =
      asked.length > 0 ? keepAgentScope(asked, [AGENT_SCOPE]) : agentScopes(services.permissions);
    const name = toClientName(body.client_name);
    const clientId = newId("oac", now.getTime());
    const redirectUris = [...new Set(body.redirect_uris)];
    ctx.switchPartition({ workspace: services.homeWorkspace, environment: "production" });
    await ctx.tx
      .insertInto("oauth_applications")
      .values({
        client_id: clientId,
        workspace_id: null,
        name,
        redirect_uris: redirectUris,
        allowed_scopes: scopes,
        secret_hash: null,
        created_at: now,
        updated_at: now,
      })
      .execute();
    const { address } = caller;
    ctx.emit(
      ClientRegistered,
      { id: clientId, displayName: name },
      { clientId, name, redirectUris, address },
    );
    return {
      client_id: clientId,
      client_id_issued_at: Math.floor(now.getTime() / 1_000),
      client_name: name,
      redirect_uris: redirectUris,
      scope: scopes.join(" "),
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  },
});

async function assertRoom({ db, clock }: Platform): Promise<void> {
  const since = new Date(clock.nowMs() - UNUSED_WITHIN_MS);
  const [row] = await db.system<{ n: number }>(COUNT_UNUSED, [UNUSED_MAX, since]);
  if ((row?.n ?? 0) >= UNUSED_MAX) {
    throw new Failure(RateLimited, { detail: "Too many clients were registered and not used." });
  }
}

/** Users see it before they decide: one line of plain characters. */
export function toClientName(text: string | undefined): string {
  const line = (text ?? "").replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.slice(0, NAME_CHARACTERS_MAX) || "Unnamed client";
}
