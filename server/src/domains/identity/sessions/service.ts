import { randomBytes } from "node:crypto";
import {
  checkPassword,
  findAccount,
  type MembershipRow,
  membershipsOf,
  toMemberOf,
  type User,
} from "#domains/identity/accounts/index.ts";
import type { Caller, Outside, Services } from "#kernel/caller.ts";
import { sha256 } from "#kernel/crypto.ts";
import { Failure, RateLimited, Unauthenticated } from "#kernel/failure.ts";
import { newId } from "#kernel/id.ts";
import type { WriteContext } from "#kernel/operation.ts";
import { LoggedIn, LoggedOut, LoginFailed } from "./events.ts";
import { SESSION_PREFIX } from "./session.ts";
import * as store from "./store.ts";
import { BadLogin } from "./login.ts";

const SESSION_MS = 7 * 24 * 3_600_000;

export interface LoginAttempt {
  readonly user: User | undefined;
  readonly memberships: readonly MembershipRow[];
}

/** Everything slow about a login, before its transaction: the look-up and the password's hash. */
export async function examine(
  outside: Outside,
  { email, password }: { readonly email: string; readonly password: string },
  caller: Caller,
): Promise<LoginAttempt> {
  throttle(outside, email, caller.address);
  const account = await findAccount(outside.db, email.toLowerCase());
  const right = await checkPassword(password, account?.passwordHash);
  const memberships = account ? await membershipsOf(outside.db, account.user.id) : [];
  const accepted = right && account?.user.status === "active";
  return { user: accepted ? account.user : undefined, memberships };
}

/** Begins a session. Each workspace that the person belongs to hears of it, or of the refusal. */
export async function logIn(
  ctx: WriteContext<typeof LoggedIn | typeof LoginFailed>,
  email: string,
  { user, memberships }: LoginAttempt,
) {
  const { address } = ctx.caller;
  if (!user) {
    for (const workspace of workspacesOf(memberships, ctx.services)) {
      ctx.enter({ workspace, environment: ctx.caller.environment });
      ctx.emit(LoginFailed, { id: email, displayName: email }, { email, address });
    }
    return new Failure(BadLogin, { headers: { "www-authenticate": "Bearer" } });
  }
  const { token, expiresAt } = await beginSession(ctx, user, memberships);
  const workspaces = memberships.map((row) => toMemberOf(row));
  return { token, tokenType: "Bearer" as const, expiresAt, user, workspaces };
}

export interface BegunSession {
  readonly token: string;
  readonly expiresAt: string;
}

/** A session for somebody whose identity is established, by whatever means. */
export async function beginSession(
  ctx: WriteContext<typeof LoggedIn>,
  user: Pick<User, "id" | "name">,
  memberships: readonly Pick<MembershipRow, "workspace">[],
): Promise<BegunSession> {
  ctx.actAs({ id: user.id, name: user.name, type: "user" });
  const token = `${SESSION_PREFIX}${randomBytes(32).toString("base64url")}`;
  const id = newId("ses", ctx.now.getTime());
  const expires = new Date(ctx.now.getTime() + SESSION_MS);
  await store.insertSession(ctx.tx, {
    id,
    user_id: user.id,
    token_hash: sha256(token),
    created_at: ctx.now,
    expires_at: expires,
  });
  const data = { sessionId: id, userId: user.id, address: ctx.caller.address };
  for (const workspace of workspacesOf(memberships, ctx.services)) {
    ctx.enter({ workspace, environment: ctx.caller.environment });
    ctx.emit(LoggedIn, { id, displayName: user.name }, data);
  }
  return { token, expiresAt: expires.toISOString() };
}

/** Ends the calling session at once. */
export async function logOut(ctx: WriteContext<typeof LoggedOut>): Promise<void> {
  const { credential, address } = ctx.caller;
  if (!credential) throw new Failure(Unauthenticated);
  const { id, user, memberships } = credential;
  await store.deleteSession(ctx.tx, id);
  const keys = [...memberships.values()].map(({ workspace }) => workspace.key);
  for (const workspace of keys.length > 0 ? keys : [ctx.services.homeWorkspace]) {
    ctx.enter({ workspace, environment: ctx.caller.environment });
    ctx.emit(
      LoggedOut,
      { id, displayName: user.name },
      { sessionId: id, userId: user.id, address },
    );
  }
}

/** Guessing is slow by account and by address. */
function throttle({ throttle: counts, settings }: Services, email: string, address: string): void {
  for (const key of [`login ${email.toLowerCase()}`, `login from ${address}`]) {
    const state = counts.take(key, settings.loginRateLimit);
    if (state && !state.allowed) {
      throw new Failure(RateLimited, { headers: { "retry-after": String(state.resetSeconds) } });
    }
  }
}

/** What concerns nobody's workspace concerns the installation's own. */
function workspacesOf(
  memberships: readonly Pick<MembershipRow, "workspace">[],
  { homeWorkspace }: Services,
): string[] {
  return memberships.length > 0 ? memberships.map(({ workspace }) => workspace) : [homeWorkspace];
}
