import type { Membership } from "#kernel/access/caller.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { EventData } from "#kernel/log/event.ts";
import { Failure, type FailureType } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Client } from "../applications/store.ts";
import { TokenIssued, TokenRefreshed, TokenRefused, TokenReuseDetected } from "../events.ts";
import * as store from "../grant-store.ts";
import { InvalidGrant, InvalidScope } from "../protocol.ts";
import { effectivePermissions, keepAgentScope, parseScopes } from "../scope.ts";
import { issueTokens, matchesChallenge } from "./token.ts";

/** Records the exact reason in the client's workspace; the response contains only the protocol's error. */
export function recordAndRefuse(
  ctx: WriteContext<typeof TokenRefused>,
  { clientId, name }: Client,
  type: FailureType,
  reason: EventData<typeof TokenRefused>["reason"],
): Failure {
  const { address } = ctx.caller;
  ctx.emit(TokenRefused, { id: clientId, displayName: name }, { clientId, reason, address });
  return new Failure(type);
}

type ExchangeContext = WriteContext<
  typeof TokenIssued | typeof TokenRefreshed | typeof TokenReuseDetected | typeof TokenRefused
>;

export interface Exchange {
  readonly client: Client;
  /** The account that consented, and its current membership in the client's workspace. */
  readonly granter: store.Granter | undefined;
  readonly membership: Membership | undefined;
}

/** Exchanges a code for tokens, once. A second use means that it leaked, and revokes the grant. */
export async function exchangeCode(
  ctx: ExchangeContext,
  { client, granter, membership }: Exchange,
  request: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
) {
  const grant = await store.lockByCode(ctx.tx, sha256(request.code));
  if (!grant) return recordAndRefuse(ctx, client, InvalidGrant, "unknown_token");
  if (grant.client_id !== client.clientId) {
    return recordAndRefuse(ctx, client, InvalidGrant, "wrong_client");
  }
  if (grant.revoked_at !== null) return recordAndRefuse(ctx, client, InvalidGrant, "revoked");
  if (grant.code_used_at !== null) return revokeReusedGrant(ctx, client, grant);
  if (Date.parse(grant.code_expires_at) <= ctx.now.getTime()) {
    return recordAndRefuse(ctx, client, InvalidGrant, "expired");
  }
  if (grant.redirect_uri !== request.redirectUri) {
    return recordAndRefuse(ctx, client, InvalidGrant, "wrong_redirect_uri");
  }
  if (!matchesChallenge(request.verifier, grant.code_challenge)) {
    return recordAndRefuse(ctx, client, InvalidGrant, "wrong_verifier");
  }
  const scopes = membership
    ? effectivePermissions(grant.scopes, client.allowedScopes, membership.permissions)
    : [];
  if (!granter || scopes.length === 0) {
    return recordAndRefuse(ctx, client, InvalidGrant, "nothing_granted");
  }
  await store.markCodeUsed(ctx.tx, grant.id, ctx.now);
  const tokens = await issueTokens(ctx, grant, scopes);
  ctx.setActor({ id: granter.id, name: granter.name, type: "user" });
  ctx.emit(TokenIssued, grantRef(grant, client), grantEventData(grant, scopes));
  return tokens;
}

/** Exchanges a refresh token for new tokens, once. A second use revokes the whole grant. */
export async function refreshTokens(
  ctx: ExchangeContext,
  { client, granter, membership }: Exchange,
  request: { readonly refreshToken: string; readonly scope: string | undefined },
) {
  const found = await store.lockByToken(ctx.tx, sha256(request.refreshToken));
  if (found?.token.kind !== "refresh")
    return recordAndRefuse(ctx, client, InvalidGrant, "unknown_token");
  const { grant, token } = found;
  if (grant.client_id !== client.clientId) {
    return recordAndRefuse(ctx, client, InvalidGrant, "wrong_client");
  }
  if (grant.revoked_at !== null) return recordAndRefuse(ctx, client, InvalidGrant, "revoked");
  if (token.used_at !== null) return revokeReusedGrant(ctx, client, grant);
  if (Date.parse(token.expires_at) <= ctx.now.getTime()) {
    return recordAndRefuse(ctx, client, InvalidGrant, "expired");
  }
  const requested = request.scope === undefined ? grant.scopes : parseScopes(request.scope);
  if (!requested.every((scope) => grant.scopes.includes(scope))) {
    return recordAndRefuse(ctx, client, InvalidScope, "scope_exceeded");
  }
  const kept = keepAgentScope(requested, grant.scopes);
  const scopes = membership
    ? effectivePermissions(kept, client.allowedScopes, membership.permissions)
    : [];
  if (!granter || scopes.length === 0) {
    return recordAndRefuse(ctx, client, InvalidGrant, "nothing_granted");
  }
  await store.markTokenUsed(ctx.tx, token.id, ctx.now);
  const tokens = await issueTokens(ctx, grant, scopes);
  ctx.setActor({ id: granter.id, name: granter.name, type: "user" });
  ctx.emit(TokenRefreshed, grantRef(grant, client), grantEventData(grant, scopes));
  return tokens;
}

export function grantRef({ id }: Pick<store.GrantRow, "id">, { name }: Pick<Client, "name">) {
  return { id, displayName: name };
}

export function grantEventData(grant: store.GrantRow, scopes: readonly string[]) {
  const { id, client_id, user_id } = grant;
  return { grantId: id, clientId: client_id, userId: user_id, scopes: [...scopes] };
}

async function revokeReusedGrant(
  ctx: ExchangeContext,
  client: Client,
  grant: store.GrantRow,
): Promise<Failure> {
  await store.revokeGrant(ctx.tx, grant.id, ctx.now);
  ctx.emit(TokenReuseDetected, grantRef(grant, client), grantEventData(grant, grant.scopes));
  return new Failure(InvalidGrant);
}
