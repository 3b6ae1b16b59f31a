import { userIdOf } from "#kernel/access/caller.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { Failure, Forbidden } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { TokenCreated, TokenRevoked, TokenRotated } from "./token.ts";
import * as store from "./store.ts";
import {
  type ApiToken,
  assertRanges,
  assertScopes,
  assertWithin,
  newToken,
  NoSuchToken,
} from "./token.ts";

const DAY_MS = 24 * 3_600_000;

export interface TokenDraft {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly ipAllowlist?: readonly string[] | null | undefined;
  readonly lifetimeDays: number | null;
}

export async function create(ctx: WriteContext<typeof TokenCreated>, draft: TokenDraft) {
  assertScopes(draft.scopes, ctx.caller.permissions, ctx.services.permissions);
  assertRanges(draft.ipAllowlist ?? []);
  const maker = await makerOf(ctx);
  const made = await issue(ctx, { ...draft, ipAllowlist: draft.ipAllowlist ?? maker?.ipAllowlist });
  if (maker) assertWithin(made, maker);
  ctx.emit(TokenCreated, { id: made.id, displayName: made.name }, logged(made));
  return made;
}

/** The old one ends in the very transaction in which the new one begins. */
export async function rotate(ctx: WriteContext<typeof TokenRotated>, named: string | undefined) {
  const { credential } = ctx.caller;
  const id = named ?? (credential?.kind === "api_token" ? credential.id : undefined);
  if (id === undefined) throw new Failure(NoSuchToken);
  // A token that renews itself stays as bounded as it was; one that renews another must not gain by it.
  const maker = id === credential?.id ? undefined : await makerOf(ctx);
  const old = await store.take(ctx.tx, userIdOf(ctx.caller), id);
  // A token must not come out of its own rotation with more than its caller has.
  assertScopes(old.scopes, ctx.caller.permissions, ctx.services.permissions);
  const made = await issue(ctx, old);
  if (maker) assertWithin(made, maker);
  ctx.emit(
    TokenRotated,
    { id: made.id, displayName: made.name },
    { ...logged(made), replaced: old.id },
  );
  return made;
}

export async function revoke(ctx: WriteContext<typeof TokenRevoked>, id: string): Promise<void> {
  const token = await store.take(ctx.tx, userIdOf(ctx.caller), id);
  ctx.expectRevision(token.revision);
  ctx.emit(TokenRevoked, { id, displayName: token.name }, logged(token));
}

/** The token that asks for another, when it is one and no person. */
async function makerOf({ tx, caller }: WriteContext<never>): Promise<ApiToken | undefined> {
  const { credential } = caller;
  // What an application got would outlive the consent that it was given.
  if (credential?.kind === "oauth") {
    throw new Failure(Forbidden, { detail: "An application makes no API tokens." });
  }
  return credential?.kind === "api_token" ? store.findOwn(tx, credential.id) : undefined;
}

async function issue(ctx: WriteContext<never>, draft: TokenDraft) {
  const { lifetimeDays, ipAllowlist } = draft;
  const token = newToken();
  const row = await store.insert(ctx.tx, {
    id: newId("tok", ctx.now.getTime()),
    user_id: userIdOf(ctx.caller),
    name: draft.name,
    token_hash: sha256(token),
    scopes: [...draft.scopes],
    ip_allowlist: ipAllowlist ? [...ipAllowlist] : null,
    lifetime_days: lifetimeDays,
    expires_at: lifetimeDays === null ? null : new Date(ctx.now.getTime() + lifetimeDays * DAY_MS),
    created_at: ctx.now,
  });
  return { ...row, token };
}

function logged({ id, name, scopes, ipAllowlist, expiresAt, createdAt }: ApiToken) {
  return { id, name, scopes, ipAllowlist, expiresAt, createdAt };
}
