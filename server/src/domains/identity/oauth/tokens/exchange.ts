import type { Membership } from "#kernel/access/caller.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { EventData } from "#kernel/log/event.ts";
import { Failure, type FailureType } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Client } from "../applications/store.ts";
import { TokenIssued, TokenRefreshed, TokenRefused, TokenReuseDetected } from "../events.ts";
import * as store from "../grant-store.ts";
import { InvalidGrant, InvalidScope } from "../protocol.ts";
import { effectivePermissions, parseScopes } from "../scope.ts";
import { issue, verifies } from "./token.ts";

/** The client's workspace learns exactly why; the client learns only what the protocol tells. */
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

type Exchanging = WriteContext<
  typeof TokenIssued | typeof TokenRefreshed | typeof TokenReuseDetected | typeof TokenRefused
>;

export interface Exchange {
  readonly client: Client;
  /** Who gave the consent, and what they may do in the client's workspace now. */
  readonly granter: store.Granter | undefined;
  readonly standing: Membership | undefined;
}

/** A code becomes tokens, once. A second use says that somebody else has seen it, and ends them. */
export async function exchangeCode(
  ctx: Exchanging,
  { client, granter, standing }: Exchange,
  shown: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
) {
  const grant = await store.lockByCode(ctx.tx, sha256(shown.code));
  if (!grant) return recordAndRefuse(ctx, client, InvalidGrant, "unknown_token");
  if (grant.client_id !== client.clientId) {
    return recordAndRefuse(ctx, client, InvalidGrant, "wrong_client");
  }
  if (grant.revoked_at !== null) return recordAndRefuse(ctx, client, InvalidGrant, "revoked");
  if (grant.code_used_at !== null) return endFamily(ctx, client, grant);
  if (Date.parse(grant.code_expires_at) <= ctx.now.getTime()) {
    return recordAndRefuse(ctx, client, InvalidGrant, "expired");
  }
  if (grant.redirect_uri !== shown.redirectUri) {
    return recordAndRefuse(ctx, client, InvalidGrant, "wrong_redirect_uri");
  }
  if (!verifies(shown.verifier, grant.code_challenge)) {
    return recordAndRefuse(ctx, client, InvalidGrant, "wrong_verifier");
  }
  const scopes = standing
    ? effectivePermissions(grant.scopes, client.allowedScopes, standing.permissions)
    : [];
  if (!granter || scopes.length === 0) {
    return recordAndRefuse(ctx, client, InvalidGrant, "nothing_granted");
  }
  await store.useCode(ctx.tx, grant.id, ctx.now);
  const answer = await issue(ctx, grant, scopes);
  ctx.setActor({ ...granter, type: "user" });
  ctx.emit(TokenIssued, referTo(grant, client), refOf(grant, scopes));
  return answer;
}

/** A refresh token becomes a new pair, once. A second use ends all that its grant ever gave. */
export async function refresh(
  ctx: Exchanging,
  { client, granter, standing }: Exchange,
  shown: { readonly refreshToken: string; readonly scope: string | undefined },
) {
  const found = await store.lockByToken(ctx.tx, sha256(shown.refreshToken));
  if (found?.token.kind !== "refresh")
    return recordAndRefuse(ctx, client, InvalidGrant, "unknown_token");
  const { grant, token } = found;
  if (grant.client_id !== client.clientId) {
    return recordAndRefuse(ctx, client, InvalidGrant, "wrong_client");
  }
  if (grant.revoked_at !== null) return recordAndRefuse(ctx, client, InvalidGrant, "revoked");
  if (token.used_at !== null) return endFamily(ctx, client, grant);
  if (Date.parse(token.expires_at) <= ctx.now.getTime()) {
    return recordAndRefuse(ctx, client, InvalidGrant, "expired");
  }
  const wanted = shown.scope === undefined ? grant.scopes : parseScopes(shown.scope);
  if (!wanted.every((scope) => grant.scopes.includes(scope))) {
    return recordAndRefuse(ctx, client, InvalidScope, "scope_exceeded");
  }
  const scopes = standing
    ? effectivePermissions(wanted, client.allowedScopes, standing.permissions)
    : [];
  if (!granter || scopes.length === 0) {
    return recordAndRefuse(ctx, client, InvalidGrant, "nothing_granted");
  }
  await store.useToken(ctx.tx, token.id, ctx.now);
  const answer = await issue(ctx, grant, scopes);
  ctx.setActor({ ...granter, type: "user" });
  ctx.emit(TokenRefreshed, referTo(grant, client), refOf(grant, scopes));
  return answer;
}

export function referTo({ id }: Pick<store.GrantRow, "id">, { name }: Pick<Client, "name">) {
  return { id, displayName: name };
}

export function refOf(grant: store.GrantRow, scopes: readonly string[]) {
  const { id, client_id, user_id } = grant;
  return { grantId: id, clientId: client_id, userId: user_id, scopes: [...scopes] };
}

async function endFamily(ctx: Exchanging, client: Client, grant: store.GrantRow): Promise<Failure> {
  await store.revokeGrant(ctx.tx, grant.id, ctx.now);
  ctx.emit(TokenReuseDetected, referTo(grant, client), refOf(grant, grant.scopes));
  return new Failure(InvalidGrant);
}
