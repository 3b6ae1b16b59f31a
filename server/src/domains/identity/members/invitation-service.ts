import { randomBytes } from "node:crypto";
import {
  type Caller,
  requireMembership,
  userIdOf,
  type WorkspaceRef,
} from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { publicUrl } from "#kernel/settings.ts";
import { Failure, type FailureType, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { retentionJob, deleteAcrossWorkspaces } from "#kernel/work/retention-job.ts";
import {
  addMember,
  checkPassword,
  findAccount,
  hashPassword,
  insertUser,
  listMemberships,
  type User,
  WrongPassword,
} from "../accounts/index.ts";
import { assertGrantable, findHeldPermissions, canGrant } from "../roles/index.ts";
import { throttleAccount, throttleAddress, LoginFailed } from "../sessions/index.ts";
import { InvitationRefused, InvitationRevoked, UserActivated, UserInvited } from "./events.ts";
import * as invitations from "./invitation-store.ts";
import { AccountWithoutPassword, AlreadyMember, BadInvitation } from "./invitation.ts";
import { isMember } from "./store.ts";

const INVITATION_MS = 7 * 24 * 3_600_000;

export async function createInvitation(
  ctx: WriteContext<typeof UserInvited> & { readonly workspace: WorkspaceRef },
  input: { email: string; name?: string | undefined; roleIds?: string[] | undefined },
) {
  const { tx, now, caller, services } = ctx;
  const email = input.email.toLowerCase();
  const roleIds = input.roleIds ?? ["member"];
  const held = requireMembership(caller, ctx.workspace.id);
  for (const roleId of roleIds) await assertGrantable(tx, services, roleId, held);
  if (await isMember(tx, email)) throw new Failure(AlreadyMember);
  const token = `mri_${randomBytes(32).toString("base64url")}`;
  const invitation = await invitations.replace(tx, {
    id: newId("inv", now.getTime()),
    email,
    name: input.name ?? "",
    role_ids: roleIds,
    token_hash: sha256(token),
    invited_by: userIdOf(caller),
    created_at: now,
    expires_at: new Date(now.getTime() + INVITATION_MS),
  });
  ctx.emit(UserInvited, { id: invitation.id, displayName: email }, invitation);
  return { ...invitation, token, url: `${publicUrl(services)}/invitations?token=${token}` };
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

export interface Acceptance {
  readonly invitation: invitations.OpenInvitation;
  readonly account: User | undefined;
  /** For the account that will be created; empty when there is one already. */
  readonly passwordHash: string;
  /** Why an existing account can't accept, and the workspaces that record it. */
  readonly refusal?: {
    readonly failure: FailureType;
    readonly workspaces: readonly string[];
  };
}

/** Does the slow part of accepting before its transaction: the look-ups and the password's hash. */
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
  // The link proves nothing about the address, since its sender has it too. So an existing account
  // accepts by its own password alone, and guesses are throttled as they are at the login.
  await throttleAccount(platform, invitation.email, address);
  const account = await findAccount(db, invitation.email);
  if (!account) {
    return { invitation, account: undefined, passwordHash: await hashPassword(password) };
  }
  const acceptance = { invitation, account: account.user, passwordHash: "" };
  const isCorrect = await checkPassword(password, account.passwordHash);
  if (isCorrect && account.user.status === "active") return acceptance;
  const failure = account.passwordHash === undefined ? AccountWithoutPassword : WrongPassword;
  const memberships = await listMemberships(db, account.user.id);
  const workspaces = new Set([
    invitation.workspace,
    ...memberships.map(({ workspace }) => workspace),
  ]);
  return { ...acceptance, refusal: { failure, workspaces: [...workspaces] } };
}

type AcceptContext = WriteContext<
  typeof UserActivated | typeof InvitationRefused | typeof LoginFailed
>;

export async function joinWorkspace(
  ctx: AcceptContext,
  name: string | undefined,
  acceptance: Acceptance | undefined,
): Promise<User | Failure> {
  const { tx, caller, services } = ctx;
  const { environment } = caller;
  ctx.switchPartition({
    workspace: acceptance?.invitation.workspace ?? services.homeWorkspace,
    environment,
  });
  if (!acceptance) return recordRefusal(ctx, "bad_link");
  if (acceptance.refusal) return recordAccountRefusal(ctx, acceptance);
  const { invitation, account, passwordHash } = acceptance;
  const held = await findHeldPermissions(tx, services, invitation.invitedBy);
  if (!held || !(await canGrant(tx, services, invitation.roleIds, held))) {
    return recordRefusal(ctx, "sender_lacks_right", invitation);
  }
  if (!(await invitations.remove(tx, invitation.id)))
    return recordRefusal(ctx, "bad_link", invitation);
  const user =
    account ??
    (await insertUser(tx, {
      id: newId("usr", ctx.now.getTime()),
      email: invitation.email,
      name: name ?? (invitation.name || invitation.email),
      password_hash: passwordHash,
      created_at: ctx.now,
      updated_at: ctx.now,
    }));
  await addMember(ctx, { userId: user.id, roles: invitation.roleIds });
  ctx.setActor({ id: user.id, name: user.name, type: "user" });
  ctx.emit(UserActivated, { id: user.id, displayName: user.name }, user);
  return user;
}

/** A wrong password counts as a failed login here too. */
function recordAccountRefusal(ctx: AcceptContext, { invitation, refusal }: Acceptance): Failure {
  if (refusal?.failure !== WrongPassword) {
    recordRefusal(ctx, "account_without_password", invitation);
    return new Failure(AccountWithoutPassword);
  }
  const { environment, address } = ctx.caller;
  const { email } = invitation;
  for (const workspace of refusal.workspaces) {
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

/** Deletes expired invitations, of all workspaces and so as the system. */
export const invitationRetentionJob = retentionJob({
  kind: "identity.prune_invitations",
  everyMs: PRUNE_EVERY_MS,
  remove: ({ db, clock }, rowsMax) => deleteAcrossWorkspaces(db, PRUNE, [clock.now(), rowsMax]),
});
