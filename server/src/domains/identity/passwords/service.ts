import { randomBytes } from "node:crypto";
import {
  checkPassword,
  findAccount,
  hashPassword,
  type MembershipRow,
  membershipsOf,
  setPassword,
  type User,
} from "#domains/identity/accounts/index.ts";
import { assertNotGuessing } from "#domains/identity/sessions/index.ts";
import { type Caller, type Outside, personOf } from "#kernel/caller.ts";
import { sha256 } from "#kernel/crypto.ts";
import { Failure, failure, Forbidden } from "#kernel/failure.ts";
import { enqueueMail, MailNotConfigured, publicUrl } from "#kernel/mail.ts";
import type { WriteContext } from "#kernel/operation.ts";
import { PasswordChanged, ResetRequested } from "./events.ts";
import * as store from "./store.ts";

const RESET_MS = 3_600_000;

export const BadReset = failure(
  "bad_reset_link",
  410,
  "The link is not valid, has been used or has run out.",
);
export const WrongPassword = failure("wrong_password", 403, "This is not your password.");

export interface Forgetful {
  readonly user: User | undefined;
  readonly memberships: readonly MembershipRow[];
}

/** The answer is the same whether there is such an account or not. */
export async function examineForgotten(
  outside: Outside,
  email: string,
  caller: Caller,
): Promise<Forgetful> {
  if (!outside.mailer.available) throw new Failure(MailNotConfigured);
  await assertNotGuessing(outside, email, caller.address);
  const account = await findAccount(outside.db, email);
  const user = account?.user.status === "active" ? account.user : undefined;
  return { user, memberships: user ? await membershipsOf(outside.db, user.id) : [] };
}

export async function requestReset(
  ctx: WriteContext<typeof ResetRequested>,
  email: string,
  { user, memberships }: Forgetful,
): Promise<{ accepted: true }> {
  if (user) {
    const token = `mrp_${randomBytes(32).toString("base64url")}`;
    const expires = new Date(ctx.now.getTime() + RESET_MS);
    const tokenHash = sha256(token);
    await store.putReset(ctx.tx, { userId: user.id, tokenHash, now: ctx.now, expires });
    await enqueueMail(ctx, {
      to: user.email,
      subject: "Set a new password",
      text:
        `Somebody, most likely you, asked for a new password for ${user.email}.\n\n` +
        `Set it within the hour at:\n${publicUrl(ctx.services)}/password?token=${token}\n\n` +
        `If it was not you, nothing has changed, and you need do nothing.\n`,
    });
  }
  const data = { email, address: ctx.caller.address };
  for (const workspace of concerned(ctx, memberships)) {
    ctx.enter({ workspace, environment: ctx.caller.environment });
    ctx.emit(ResetRequested, { id: user?.id ?? email, displayName: email }, data);
  }
  return { accepted: true };
}

export interface NewPassword {
  readonly person: store.ResetRow;
  readonly memberships: readonly MembershipRow[];
  readonly passwordHash: string;
}

export async function examineReset(
  { db, clock }: Outside,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<NewPassword> {
  const person = await store.findReset(db, sha256(token), clock.now());
  if (!person) throw new Failure(BadReset);
  const passwordHash = await hashPassword(password);
  return { person, memberships: await membershipsOf(db, person.id), passwordHash };
}

/** Whoever had the old password, or a session made with it, is out. */
export async function reset(
  ctx: WriteContext<typeof PasswordChanged>,
  token: string,
  { person, memberships, passwordHash }: NewPassword,
): Promise<{ accepted: true }> {
  if (!(await store.takeReset(ctx.tx, sha256(token)))) throw new Failure(BadReset);
  await setPassword(ctx.tx, person.id, passwordHash, ctx.now);
  await store.endSessions(ctx.tx, person.id, undefined);
  ctx.actAs({ id: person.id, name: person.name, type: "user" });
  const workspaces = concerned(ctx, memberships);
  tell(ctx, workspaces, { userId: person.id, name: person.name, by: "link" });
  return { accepted: true };
}

export async function examineChange(
  outside: Outside,
  passwords: { readonly currentPassword: string; readonly newPassword: string },
  caller: Caller,
): Promise<string> {
  const { credential } = caller;
  if (credential?.kind !== "session") {
    throw new Failure(Forbidden, { detail: "Only a person's own session sets their password." });
  }
  await assertNotGuessing(outside, credential.user.email, caller.address);
  const account = await findAccount(outside.db, credential.user.email);
  if (!(await checkPassword(passwords.currentPassword, account?.passwordHash))) {
    throw new Failure(WrongPassword);
  }
  return hashPassword(passwords.newPassword);
}

export async function change(
  ctx: WriteContext<typeof PasswordChanged>,
  passwordHash: string,
): Promise<void> {
  const { credential } = ctx.caller;
  const userId = personOf(ctx.caller);
  await setPassword(ctx.tx, userId, passwordHash, ctx.now);
  await store.endSessions(ctx.tx, userId, credential?.id);
  const keys = [...(credential?.memberships.values() ?? [])].map(({ workspace }) => workspace.key);
  const workspaces = keys.length > 0 ? keys : [ctx.services.homeWorkspace];
  tell(ctx, workspaces, { userId, name: credential?.user.name ?? "", by: "password" });
}

function tell(
  ctx: WriteContext<typeof PasswordChanged>,
  workspaces: readonly string[],
  { userId, name, by }: { userId: string; name: string; by: "password" | "link" },
): void {
  for (const workspace of workspaces) {
    ctx.enter({ workspace, environment: ctx.caller.environment });
    ctx.emit(PasswordChanged, { id: userId, displayName: name }, { userId, by });
  }
}

function concerned(
  { services }: WriteContext<never>,
  memberships: readonly MembershipRow[],
): readonly string[] {
  return memberships.length > 0
    ? memberships.map(({ workspace }) => workspace)
    : [services.homeWorkspace];
}
