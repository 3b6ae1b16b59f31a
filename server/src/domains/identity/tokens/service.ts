import { userIdOf } from "#kernel/access/caller.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { Failure, Forbidden, permissionFailure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { TokenCreated, TokenRevoked, TokenRotated } from "./token.ts";
import * as store from "./store.ts";
import {
  type ApiToken,
  assertRanges,
  assertScopes,
  assertWithinBounds,
  newToken,
  NoSuchToken,
  TokensWrite,
} from "./token.ts";

const DAY_MS = 24 * 3_600_000;

export interface TokenInput {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly ipAllowlist?: readonly string[] | null | undefined;
  readonly lifetimeDays: number | null;
}

export async function create(ctx: WriteContext<typeof TokenCreated>, input: TokenInput) {
  assertScopes(input.scopes, ctx.caller.permissions, ctx.services.permissions);
  assertRanges(input.ipAllowlist ?? []);
  const issuingToken = await findIssuingToken(ctx);
  const token = await insertToken(ctx, {
    ...input,
    ipAllowlist: input.ipAllowlist ?? issuingToken?.ipAllowlist,
  });
  if (issuingToken) assertWithinBounds(token, issuingToken);
  ctx.emit(TokenCreated, { id: token.id, displayName: token.name }, tokenEventData(token));
  return token;
}

/** Revokes the old token in the transaction that creates its successor. */
export async function rotate(ctx: WriteContext<typeof TokenRotated>, tokenId: string | undefined) {
  const { credential } = ctx.caller;
  const id = tokenId ?? (credential?.kind === "api_token" ? credential.id : undefined);
  if (id === undefined) throw new Failure(NoSuchToken);
  if (id !== credential?.id && !ctx.caller.permissions.has(TokensWrite.name)) {
    throw permissionFailure(TokensWrite.name);
  }
  // A token that rotates itself keeps its limits; one that rotates another must not gain rights.
  const issuingToken = id === credential?.id ? undefined : await findIssuingToken(ctx);
  const old = await store.remove(ctx.tx, userIdOf(ctx.caller), id);
  // A rotated token must not have more rights than its caller.
  assertScopes(old.scopes, ctx.caller.permissions, ctx.services.permissions);
  const token = await insertToken(ctx, old);
  if (issuingToken) assertWithinBounds(token, issuingToken);
  ctx.emit(
    TokenRotated,
    { id: token.id, displayName: token.name },
    { ...tokenEventData(token), replaced: old.id },
  );
  return token;
}

export async function revoke(ctx: WriteContext<typeof TokenRevoked>, id: string): Promise<void> {
  const token = await store.remove(ctx.tx, userIdOf(ctx.caller), id);
  ctx.expectRevision(token.revision);
  ctx.emit(TokenRevoked, { id, displayName: token.name }, tokenEventData(token));
}

/** Revokes a token of any member, for callers who may manage them; undefined if it does not exist. */
export async function revokeFor(
  ctx: WriteContext<typeof TokenRevoked>,
  id: string,
): Promise<{ readonly userId: string } | undefined> {
  const userId = await store.findHolder(ctx.tx, id);
  if (userId === undefined) return undefined;
  const token = await store.remove(ctx.tx, userId, id);
  ctx.emit(TokenRevoked, { id, displayName: token.name }, tokenEventData(token));
  return { userId };
}

/** Reads the calling API token; undefined for a session. */
async function findIssuingToken({
  tx,
  caller,
}: WriteContext<never>): Promise<ApiToken | undefined> {
  const { credential } = caller;
  // Such a token would outlive the consent of the application.
  if (credential?.kind === "oauth") {
    throw new Failure(Forbidden, { detail: "An OAuth application can't create API tokens." });
  }
  return credential?.kind === "api_token" ? store.getCallingToken(tx, credential.id) : undefined;
}

async function insertToken(ctx: WriteContext<never>, input: TokenInput) {
  const { lifetimeDays, ipAllowlist } = input;
  const token = newToken();
  const row = await store.insert(ctx.tx, {
    id: newId("tok", ctx.now.getTime()),
    user_id: userIdOf(ctx.caller),
    name: input.name,
    token_hash: sha256(token),
    scopes: [...input.scopes],
    ip_allowlist: ipAllowlist ? [...ipAllowlist] : null,
    lifetime_days: lifetimeDays,
    expires_at: lifetimeDays === null ? null : new Date(ctx.now.getTime() + lifetimeDays * DAY_MS),
    created_at: ctx.now,
  });
  return { ...row, token };
}

/** A token in events. */
export function tokenEventData({ id, name, scopes, ipAllowlist, expiresAt, createdAt }: ApiToken) {
  return { id, name, scopes, ipAllowlist, expiresAt, createdAt };
}
