import { toAccountEmail } from "#domains/identity/accounts/index.ts";
import { randomBytes } from "node:crypto";
import {
  assertOwnerInPerson,
  type Caller,
  requireMembership,
  userIdOf,
  type WorkspaceRef,
} from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { enqueueMail } from "#kernel/mail/send-mail.ts";
import { publicUrl } from "#kernel/settings.ts";
import { Failure, type FailureType, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import {
  addMember,
  checkPassword,
  CredentialsRevoked,
  EmailVerified,
  findAccount,
  hashPassword,
  insertUser,
  listWorkspaceKeys,
  setPassword,
  type User,
  verifyEmail,
  verifyHolder,
  WrongPassword,
} from "../accounts/index.ts";
import { assertGrantable, findHeldPermissions, canGrant } from "../roles/index.ts";
import { throttleAccount, throttleAddress, LoginFailed } from "../sessions/index.ts";
import { InvitationRefused, InvitationRevoked, UserActivated, UserInvited } from "./events.ts";
import * as invitations from "./invitation-store.ts";
import { AccountWithoutPassword, AlreadyMember, BadInvitation } from "./invitation.ts";

const INVITATION_MS = 7 * 24 * 3_600_000;

export async function createInvitation(
  ctx: WriteContext<typeof UserInvited> & { readonly workspace: WorkspaceRef },
  input: { email: string; name?: string | undefined; roleIds?: string[] | undefined },
) {
  const { tx, now, caller, services } = ctx;
  const email = toAccountEmail(input.email);
  const roleIds = input.roleIds ?? ["member"];
  const { rateLimit, settings, mailer } = services;
  const { workspace, ...held } = requireMembership(caller, ctx.workspace.id);
  for (const roleId of roleIds) {
    if (roleId === "owner") assertOwnerInPerson(caller);
    await assertGrantable(tx, services, roleId, held);
  }
  if (await invitations.isMember(tx, email)) throw new Failure(AlreadyMember);
  const mailed = mailer.available;
  // Limits repeated invitations to the same mailbox.
  if (mailed) rateLimit.assert(`invitation to ${email}`, settings.loginRateLimit);
  const token = `mri_${randomBytes(32).toString("base64url")}`;
  const invitation = await invitations.replace(tx, {
    id: newId("inv", now.getTime()),
    email,
    name: input.name ?? "",
    role_ids: roleIds,
    token_hash: sha256(token),
    invited_by: userIdOf(caller),
    mailed,
    created_at: now,
    expires_at: new Date(now.getTime() + INVITATION_MS),
  });
  ctx.emit(UserInvited, { id: invitation.id, displayName: email }, invitation);
  const url = `${publicUrl(services)}/invitations?token=${token}`;
  if (!mailed) return { ...invitation, mailed, token, url };
  const sender = caller.credential?.user.email ?? "";
  await enqueueMail(ctx, {
    to: email,
    subject: `Invitation to ${workspace.slug}`,
    text:
      `${sender} invites you to the workspace ${workspace.slug}.\n\n` +
      `Accept the invitation within seven days:\n${url}\n\n` +
      `Do not share this link. If you do not expect an invitation, ignore this e-mail.\n`,
  });
  return { ...invitation, mailed };
}

export async function removeInvitation(
  ctx: WriteContext<typeof InvitationRevoked>,
  id: string,
): Promise<void> {
  const removed = await invitations.remove(ctx.tx, id);
  if (!removed) throw new Failure(NotFound);
  const { revision, ...invitation } = removed;
  ctx.expectRevision(revision);
  ctx.emit(InvitationRevoked, { id, displayName: invitation.email }, invitation);
}

/** Revokes the open invitations of an account that leaves the workspace. */
export async function revokeInvitationsSentBy(
  ctx: WriteContext<typeof InvitationRevoked>,
  userId: string,
): Promise<void> {
  for (const invitation of await invitations.removeSentBy(ctx.tx, userId)) {
    ctx.emit(InvitationRevoked, { id: invitation.id, displayName: invitation.email }, invitation);
  }
}

/** Describes an open invitation to the holder of its link. */
export async function describeInvitation(
  platform: Platform,
  token: string,
  { address }: Caller,
): Promise<invitations.DescribedInvitation> {
  const { db, clock } = platform;
  const found = await invitations.describe(db, sha256(token), clock.now());
  if (found) return found;
  throttleAddress(platform, address);
  throw new Failure(BadInvitation);
}

export interface Acceptance {
  readonly invitation: invitations.OpenInvitation;
  readonly account: User | undefined;
  /** For an account that is created or taken over by its person; otherwise empty. */
  readonly passwordHash: string;
  /** The workspaces that an existing account belongs to. */
  readonly workspaces: readonly string[];
  /** Why an existing account can't accept. */
  readonly refusal?: FailureType;
}

/** Runs the slow part of accepting before the transaction: the lookups and the password hash. */
export async function prepareAcceptance(
  platform: Platform,
  { token, password }: { readonly token: string; readonly password: string },
  { address }: Caller,
): Promise<Acceptance | undefined> {
  const { db, clock } = platform;
  const invitation = await invitations.findByTokenHash(db, sha256(token), clock.now());
  if (!invitation) {
    throttleAddress(platform, address);
    return undefined;
  }
  // A link that its sender handed over does not prove access to the address. So an existing account accepts with
  // its own password, and attempts are throttled like logins.
  await throttleAccount(platform, invitation.email, address);
  const account = await findAccount(db, invitation.email);
  if (!account) {
    const passwordHash = await hashPassword(password);
    return { invitation, account: undefined, passwordHash, workspaces: [] };
  }
  const { user, verified } = account;
  const workspaces = await listWorkspaceKeys(db, user.id);
  const acceptance = { invitation, account: user, passwordHash: "", workspaces };
  const isCorrect = await checkPassword(password, account.passwordHash);
  if (isCorrect && user.status === "active") return acceptance;
  // The mailed link proves the address, and the creator of the account is unknown.
  if (invitation.mailed && !verified && user.status === "active") {
    return { ...acceptance, passwordHash: await hashPassword(password) };
  }
  const refusal = account.passwordHash === undefined ? AccountWithoutPassword : WrongPassword;
  return { ...acceptance, refusal };
}

type AcceptContext = WriteContext<
  | typeof UserActivated
  | typeof EmailVerified
  | typeof CredentialsRevoked
  | typeof InvitationRefused
  | typeof LoginFailed
>;

export async function joinWorkspace(
  ctx: AcceptContext,
  name: string | undefined,
  acceptance: Acceptance | undefined,
): Promise<User | Failure> {
  const { tx, services } = ctx;
  const workspace = acceptance?.invitation.workspace ?? services.homeWorkspace;
  const partition = { workspace, environment: ctx.caller.environment };
  ctx.switchPartition(partition);
  if (!acceptance) return recordRefusal(ctx, "bad_link");
  if (acceptance.refusal) return recordAccountRefusal(ctx, acceptance, acceptance.refusal);
  const { invitation } = acceptance;
  const held = await findHeldPermissions(tx, services, invitation.invitedBy);
  if (!held || !(await canGrant(tx, services, invitation.roleIds, held))) {
    return recordRefusal(ctx, "sender_lacks_right", invitation);
  }
  if (!(await invitations.remove(tx, invitation.id)))
    return recordRefusal(ctx, "bad_link", invitation);
  // Single sign-on may have admitted the same person in the meantime, with an account managed by the workspace.
  if (await invitations.isMember(tx, invitation.email)) throw new Failure(AlreadyMember);
  const user = await enterAccount(ctx, name, acceptance);
  ctx.switchPartition(partition);
  await addMember(ctx, { userId: user.id, roles: invitation.roleIds });
  ctx.setActor({ id: user.id, name: user.name, type: "user" });
  ctx.emit(UserActivated, { id: user.id, displayName: user.name }, user);
  return user;
}

/** The accepting account: a new one, an existing one, or one that its person takes over. */
async function enterAccount(
  ctx: AcceptContext,
  name: string | undefined,
  { invitation, account, passwordHash, workspaces }: Acceptance,
): Promise<User> {
  const { tx, now } = ctx;
  const { email, mailed } = invitation;
  if (account) {
    const claim = { user: account, workspaces };
    if (passwordHash === "") {
      if (mailed) await verifyHolder(ctx, claim);
      return account;
    }
    // If the address has just been verified, the password of the account applies.
    if (!(await verifyEmail(ctx, claim, "invitation"))) throw new Failure(WrongPassword);
    await setPassword(tx, account.id, passwordHash, now);
    return account;
  }
  const user = await insertUser(tx, {
    id: newId("usr", now.getTime()),
    email,
    name: name ?? (invitation.name || email),
    password_hash: passwordHash,
    created_at: now,
    updated_at: now,
  });
  if (mailed) await verifyHolder(ctx, { user, workspaces: [invitation.workspace] });
  return user;
}

/** A wrong password counts as a failed login here too. */
function recordAccountRefusal(
  ctx: AcceptContext,
  { invitation, workspaces }: Acceptance,
  refusal: FailureType,
): Failure {
  if (refusal !== WrongPassword) {
    recordRefusal(ctx, "account_without_password", invitation);
    return new Failure(AccountWithoutPassword);
  }
  const { environment, address } = ctx.caller;
  const { email } = invitation;
  // Recorded in the oldest workspace of the account, like all account events, and in the inviting one.
  for (const workspace of new Set([invitation.workspace, ...workspaces.slice(0, 1)])) {
    ctx.switchPartition({ workspace, environment });
    ctx.emit(LoginFailed, { id: email, displayName: email }, { email, address });
  }
  return new Failure(WrongPassword);
}

function recordRefusal(
  ctx: WriteContext<typeof InvitationRefused>,
  reason: "bad_link" | "sender_lacks_right" | "account_without_password",
  invitation?: invitations.OpenInvitation,
): Failure {
  const { address } = ctx.caller;
  ctx.emit(
    InvitationRefused,
    invitation ? { id: invitation.id, displayName: invitation.email } : { id: address },
    { reason, address, ...(invitation && { email: invitation.email }) },
  );
  return new Failure(BadInvitation);
}

const PRUNE_EVERY_MS = 600_000;

const PRUNE = `
  delete from invitations where id in
    (select id from invitations where expires_at <= $1 order by expires_at limit $2)`;

/** Deletes expired invitations of all workspaces, and so runs as the system. */
export const invitationRetentionJob = retentionJob({
  kind: "identity.prune_invitations",
  everyMs: PRUNE_EVERY_MS,
  remove: ({ db, clock }, rowsMax) => deleteAcrossWorkspaces(db, PRUNE, [clock.now(), rowsMax]),
});
