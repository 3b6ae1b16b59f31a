import { randomBytes } from "node:crypto";
import type { Caller, Credential } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { enqueueMail } from "#kernel/mail/send-mail.ts";
import { MailNotConfigured } from "#kernel/mail/mailer.ts";
import { publicUrl } from "#kernel/settings.ts";
import { Failure, failure, Forbidden } from "#kernel/operation/failure.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import {
  checkPassword,
  findAccount,
  hashPassword,
  type MembershipRow,
  listMemberships,
  listReleasableUsers,
  type ManagedUser,
  listWorkspaceKeys,
  releaseAccount,
  setPassword,
  type User,
  verifyEmail,
  auditWorkspaces,
  WrongPassword,
} from "../accounts/index.ts";
import { throttleAccount, throttleAddress, deleteSessions } from "../sessions/index.ts";
import { PasswordChanged, PasswordRefused, RESET_EVENTS, ResetRequested } from "./events.ts";
import * as store from "./store.ts";

const RESET_MS = 3_600_000;

export const BadReset = failure("bad_reset_link", 410, "The link is invalid, used or expired.");

export interface ResetRequest {
  /** The accounts that a link may open: the person's own, otherwise those that workspaces created and released. */
  readonly users: readonly (User | ManagedUser)[];
  readonly memberships: readonly MembershipRow[];
}

/** Does not fail for an unknown address: the response does not depend on whether the account exists. */
export async function prepareResetRequest(
  platform: Platform,
  email: string,
  caller: Caller,
): Promise<ResetRequest> {
  if (!platform.mailer.available) throw new Failure(MailNotConfigured);
  await throttleAccount(platform, email, caller.address);
  const account = await findAccount(platform.db, email);
  const found = account ? [account.user] : await listReleasableUsers(platform.db, email);
  const users = found.filter(({ status }) => status === "active");
  const memberships = users.map(({ id }) => listMemberships(platform.db, id));
  return { users, memberships: (await Promise.all(memberships)).flat() };
}

export async function createReset(
  ctx: WriteContext<typeof ResetRequested>,
  email: string,
  { users, memberships }: ResetRequest,
): Promise<{ accepted: true }> {
  const [first] = users;
  if (first) {
    const links: string[] = [];
    for (const user of users) links.push(await createLink(ctx, user));
    await enqueueMail(ctx, {
      to: first.email,
      subject: "Set a new password",
      text:
        `We received a request to reset the password for ${first.email}.\n\n` +
        `Set a new password within one hour:\n${links.join("")}\n` +
        (links.length > 1 ? SEVERAL_ACCOUNTS : "") +
        `If you did not request this, ignore this e-mail. Your password has not changed.\n`,
    });
  }
  const data = { email, address: ctx.caller.address };
  for (const workspace of auditWorkspaces(memberships, ctx.services)) {
    ctx.switchPartition({ workspace, environment: ctx.caller.environment });
    ctx.emit(ResetRequested, { id: first?.id ?? email, displayName: email }, data);
  }
  return { accepted: true };
}

const SEVERAL_ACCOUNTS =
  "Several workspaces have created an account for this address. Choose the account that you know. It becomes your " +
  "own account, and the other workspaces can invite it.\n\n";

/** Creates the link to an account, as a line of the mail. */
async function createLink(
  ctx: Pick<WriteContext, "tx" | "now" | "services">,
  user: User | ManagedUser,
): Promise<string> {
  const token = `mrp_${randomBytes(32).toString("base64url")}`;
  const expires = new Date(ctx.now.getTime() + RESET_MS);
  const tokenHash = sha256(token);
  await store.putReset(ctx.tx, { userId: user.id, tokenHash, now: ctx.now, expires });
  const name = "workspace" in user ? `${user.workspace} (${user.slug}): ` : "";
  return `${name}${publicUrl(ctx.services)}/password?token=${token}\n`;
}

export interface PreparedReset {
  readonly person: store.ResetUser;
  readonly memberships: readonly MembershipRow[];
  /** All workspaces of the account, including those where it is deactivated. */
  readonly workspaces: readonly string[];
  readonly passwordHash: string;
}

/** Checks the link and hashes the password; undefined if the link is invalid. */
export async function prepareReset(
  platform: Platform,
  { token, password }: { readonly token: string; readonly password: string },
  { address }: Caller,
): Promise<PreparedReset | undefined> {
  const { db, clock } = platform;
  throttleAddress(platform, address);
  const person = await store.findReset(db, sha256(token), clock.now());
  if (!person) return undefined;
  // If workspaces created several accounts, the first used link decides.
  const own = await findAccount(db, person.email);
  if (own && own.user.id !== person.id) return undefined;
  const passwordHash = await hashPassword(password);
  const workspaces = await listWorkspaceKeys(db, person.id);
  return { person, memberships: await listMemberships(db, person.id), workspaces, passwordHash };
}

type PasswordContext = WriteContext<typeof PasswordChanged | typeof PasswordRefused>;
type ResetContext = WriteContext<(typeof RESET_EVENTS)[number]>;

/**
 * Sets the password and ends all sessions of the old one. The first such link proves that the account belongs to
 * the person, and also ends all other earlier credentials.
 */
export async function resetWithLink(
  ctx: ResetContext,
  token: string,
  prepared: PreparedReset | undefined,
): Promise<{ accepted: true } | Failure> {
  if (!prepared || !(await store.consumeReset(ctx.tx, sha256(token)))) {
    const { environment, address } = ctx.caller;
    // An invalid link belongs to no account, so the home workspace records it.
    ctx.switchPartition({ workspace: ctx.services.homeWorkspace, environment });
    ctx.emit(PasswordRefused, { id: address }, { reason: "bad_link", address });
    return new Failure(BadReset);
  }
  const { person, memberships, workspaces, passwordHash } = prepared;
  await releaseAccount(ctx.tx, person.id);
  await verifyEmail(ctx, { user: person, workspaces }, "reset");
  await setPassword(ctx.tx, person.id, passwordHash, ctx.now);
  await deleteSessions(ctx.tx, person.id);
  ctx.setActor({ id: person.id, name: person.name, type: "user" });
  for (const workspace of auditWorkspaces(memberships, ctx.services)) {
    ctx.switchPartition({ workspace, environment: ctx.caller.environment });
    ctx.emit(PasswordChanged, userRef(person), { userId: person.id, by: "link" });
  }
  return { accepted: true };
}

/** Hashes the new password; undefined if the current one is wrong. */
export async function prepareChange(
  platform: Platform,
  passwords: { readonly currentPassword: string; readonly newPassword: string },
  caller: Caller,
): Promise<string | undefined> {
  const { user } = requireSession(caller);
  await throttleAccount(platform, user.email, caller.address);
  const account = await findAccount(platform.db, user.email);
  const stored = account?.user.id === user.id ? account.passwordHash : undefined;
  const isCorrect = await checkPassword(passwords.currentPassword, stored);
  return isCorrect ? hashPassword(passwords.newPassword) : undefined;
}

export async function changeOwnPassword(
  ctx: PasswordContext,
  passwordHash: string | undefined,
): Promise<void | Failure> {
  const { id: sessionId, user, memberships } = requireSession(ctx.caller);
  const { environment, address } = ctx.caller;
  const userId = user.id;
  if (passwordHash !== undefined) {
    await setPassword(ctx.tx, userId, passwordHash, ctx.now);
    await deleteSessions(ctx.tx, userId, sessionId);
  }
  for (const workspace of auditWorkspaces(memberships.values(), ctx.services)) {
    ctx.switchPartition({ workspace, environment });
    if (passwordHash !== undefined) {
      ctx.emit(PasswordChanged, userRef(user), { userId, by: "password" });
    } else {
      ctx.emit(PasswordRefused, userRef(user), { reason: "wrong_password", address, userId });
    }
  }
  if (passwordHash === undefined) return new Failure(WrongPassword);
}

/** A token must not change the password. */
function requireSession({ credential }: Caller): Credential {
  if (credential?.kind !== "session") {
    throw new Failure(Forbidden, { detail: "Passwords can only be changed in a user session." });
  }
  return credential;
}

function userRef({ id, name }: { readonly id: string; readonly name: string }) {
  return { id, displayName: name };
}

const PRUNE_EVERY_MS = 600_000;

/** The outer condition is rechecked after a lock wait: a new link may have replaced the old one. */
const PRUNE = `
  delete from password_resets
   where expires_at <= $1
     and user_id in (select user_id from password_resets
                      where expires_at <= $1 order by expires_at limit $2)`;

/** Deletes expired links. */
export const resetRetentionJob = retentionJob({
  kind: "identity.prune_password_resets",
  everyMs: PRUNE_EVERY_MS,
  remove: ({ db, clock }, rowsMax) => deleteAcrossWorkspaces(db, PRUNE, [clock.now(), rowsMax]),
});
