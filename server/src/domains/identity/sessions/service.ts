import { randomBytes } from "node:crypto";
import {
  checkPassword,
  findAccount,
  type MembershipRow,
  listMemberships,
  lockPassword,
  toMemberOf,
  type User,
  auditWorkspaces,
  toAccountEmail,
} from "#domains/identity/accounts/index.ts";
import {
  checkSecondFactor,
  type MfaRequirement,
  buildMfaRequirement,
  MfaChallenged,
  MfaFailed,
  listMethods,
  type MfaUser,
  type Proof,
  type SecondFactor,
  emitToWorkspaces,
} from "#domains/identity/mfa/index.ts";
import { findEnforcedSso, SsoRequired } from "#domains/identity/sso/enforcement/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { Failure, Forbidden, Unauthenticated } from "#kernel/operation/failure.ts";
import { newId, workspaceIdOf } from "#kernel/schema/id.ts";
import { type LOGIN_EVENTS, LoggedIn, LoggedOut, LoginFailed } from "./events.ts";
import { SESSION_PREFIX } from "./session.ts";
import * as store from "./store.ts";
import { throttleAccount, recordKnownAddress } from "./throttle.ts";
import { BadLogin, BadSecondFactor, MfaRequired } from "./login.ts";

const SESSION_MS = 7 * 24 * 3_600_000;

export interface LoginAttempt {
  readonly user: User | undefined;
  /** The hash that the password was checked against. */
  readonly passwordHash?: string | undefined;
  readonly memberships: readonly MembershipRow[];
  /** Set if a second factor is enrolled: the requirement or, if one was sent, the result of its check. */
  readonly secondFactor?:
    | { readonly requirement: MfaRequirement }
    | { readonly factor: SecondFactor | undefined };
  /** The URL of the single sign-on, if a workspace enforces it. */
  readonly loginUrl?: string;
}

/** Runs the slow part of a login before its transaction: the lookups and the password hash. */
export async function checkLogin(
  platform: Platform,
  { email, password, ...proof }: { readonly email: string; readonly password: string } & Proof,
  caller: Caller,
): Promise<LoginAttempt> {
  await throttleAccount(platform, email, caller.address);
  const account = await findAccount(platform.db, toAccountEmail(email));
  const isCorrect = await checkPassword(password, account?.passwordHash);
  const memberships = account ? await listMemberships(platform.db, account.user.id) : [];
  if (!isCorrect || account?.user.status !== "active") return { user: undefined, memberships };
  const { user } = account;
  // After the password, so that the response does not reveal which accounts exist.
  const enforced = await findEnforcedSso(platform, user.id, caller.origin);
  if (enforced) return { user, memberships, loginUrl: enforced.loginUrl };
  const methods = await listMethods(platform, user.id);
  const { passwordHash } = account;
  if (methods.length === 0) return { user, passwordHash, memberships };
  const secondFactor =
    proof.code === undefined && proof.assertion === undefined
      ? { requirement: await buildMfaRequirement(platform, user.id, methods) }
      : {
          factor: await checkSecondFactor(platform, toMfaUser(user, memberships, platform), proof),
        };
  return { user, passwordHash, memberships, secondFactor };
}

/** Starts a session, or records the failure, in the workspaces that record events of the account. */
export async function createSession(
  ctx: WriteContext<(typeof LOGIN_EVENTS)[number]>,
  email: string,
  { user, passwordHash, memberships, secondFactor, loginUrl }: LoginAttempt,
) {
  const headers = { "www-authenticate": "Bearer" };
  if (!user) {
    return recordLoginFailure(ctx, email, memberships, new Failure(BadLogin, { headers }));
  }
  if (loginUrl !== undefined) {
    const failure = new Failure(SsoRequired, { extra: { loginUrl } });
    return recordLoginFailure(ctx, email, memberships, failure);
  }
  const person = toMfaUser(user, memberships, ctx.services);
  if (secondFactor && "requirement" in secondFactor) {
    emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(MfaChallenged, ref, data));
    return new Failure(MfaRequired, { headers, extra: { ...secondFactor.requirement } });
  }
  if (secondFactor && !(await secondFactor.factor?.consume(ctx))) {
    emitToWorkspaces(ctx, person, (ref, data) => ctx.emit(MfaFailed, ref, data));
    return recordLoginFailure(ctx, email, memberships, new Failure(BadSecondFactor, { headers }));
  }
  // The account may have been taken over, or its password reset, since the check.
  if (!(await lockPassword(ctx.tx, user.id, passwordHash))) {
    return recordLoginFailure(ctx, email, memberships, new Failure(BadLogin, { headers }));
  }
  const { token, expiresAt } = await startSession(ctx, user, memberships);
  const workspaces = memberships.map((row) => toMemberOf(row));
  return { token, tokenType: "Bearer" as const, expiresAt, user, workspaces };
}

/**
 * The maximum number of failures per account that a process records in a minute, so that a flood of attempts does
 * not become a flood of events.
 */
const RECORDED_FAILURES_MAX = 10;

/** Records the failure and returns it; if there were too many, throws it, so that nothing is recorded. */
export function recordLoginFailure(
  ctx: WriteContext<typeof LoginFailed>,
  email: string,
  memberships: readonly MembershipRow[],
  failure: Failure,
): Failure {
  const { environment, address } = ctx.caller;
  const account = toAccountEmail(email);
  const state = ctx.services.rateLimit.take(`login failure ${account}`, RECORDED_FAILURES_MAX);
  if (state?.allowed === false) throw failure;
  for (const workspace of auditWorkspaces(memberships, ctx.services)) {
    ctx.switchPartition({ workspace, environment });
    ctx.emit(LoginFailed, { id: account, displayName: email }, { email, address });
  }
  return failure;
}

function toMfaUser(
  { id, name }: User,
  memberships: readonly MembershipRow[],
  services: PlatformServices,
): MfaUser {
  return { id, name, workspaces: auditWorkspaces(memberships, services) };
}

export interface NewSession {
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * Starts a session for an authenticated account. A session from a workspace's identity provider is valid only
 * there: `confinedTo` is the key of that workspace.
 */
export async function startSession(
  ctx: WriteContext<typeof LoggedIn>,
  user: Pick<User, "id" | "name">,
  memberships: readonly Pick<MembershipRow, "workspace">[],
  confinedTo?: string,
): Promise<NewSession> {
  ctx.setActor({ id: user.id, name: user.name, type: "user" });
  const token = `${SESSION_PREFIX}${randomBytes(32).toString("base64url")}`;
  const id = newId("ses", ctx.now.getTime());
  const { address, client } = ctx.caller;
  const expires = new Date(ctx.now.getTime() + SESSION_MS);
  await store.insertSession(ctx.tx, {
    id,
    user_id: user.id,
    token_hash: sha256(token),
    created_at: ctx.now,
    expires_at: expires,
    confined_to: confinedTo ?? null,
    address,
    client: client ?? "",
    last_used_at: ctx.now,
  });
  // A login through one workspace's identity provider does not make the address known for password logins.
  if (confinedTo === undefined) {
    await recordKnownAddress(ctx.tx, ctx.services.masterKey, {
      userId: user.id,
      address,
      now: ctx.now,
    });
  }
  const data = { ...sessionData(id, user.id, confinedTo), address };
  for (const workspace of auditWorkspaces(memberships, ctx.services)) {
    ctx.switchPartition({ workspace, environment: ctx.caller.environment });
    ctx.emit(LoggedIn, { id, displayName: user.name }, data);
  }
  return { token, expiresAt: expires.toISOString() };
}

function sessionData(sessionId: string, userId: string, confinedTo: string | undefined) {
  const workspaceId = confinedTo === undefined ? undefined : workspaceIdOf(confinedTo);
  return { sessionId, userId, ...(workspaceId !== undefined && { workspaceId }) };
}

/** Deletes the calling session, which ends it immediately. */
export async function endSession(ctx: WriteContext<typeof LoggedOut>): Promise<void> {
  const { credential, address } = ctx.caller;
  if (!credential) throw new Failure(Unauthenticated);
  if (credential.kind !== "session") {
    throw new Failure(Forbidden, {
      detail: "Only sessions can be signed out. Revoke a token instead.",
    });
  }
  const { id, user, memberships } = credential;
  await store.deleteSession(ctx.tx, id);
  for (const workspace of auditWorkspaces(memberships.values(), ctx.services)) {
    ctx.switchPartition({ workspace, environment: ctx.caller.environment });
    const data = { ...sessionData(id, user.id, credential.confinedTo?.key), address };
    ctx.emit(LoggedOut, { id, displayName: user.name }, data);
  }
}
