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
  membershipsOf,
  type User,
  WrongPassword,
} from "../accounts/index.ts";
import { assertGrantable, heldPermissions, canGrant } from "../roles/index.ts";
import { throttleAccount, throttleAddress, LoginFailed } from "../sessions/index.ts";
import { InvitationRefused, InvitationRevoked, UserActivated, UserInvited } from "./events.ts";
import * as invitations from "./invitation-store.ts";
import { AccountWithoutPassword, AlreadyMember, BadInvitation } from "./invitation.ts";
import { isMember } from "./store.ts";

const INVITATION_MS = 7 * 24 * 3_600_000;

export async function invite(
  ctx: WriteContext<typeof UserInvited> & { readonly workspace: WorkspaceRef },
  draft: { email: string; name?: string | undefined; roleIds?: string[] | undefined },
) {
  const { tx, now, caller, services } = ctx;
  const email = draft.email.toLowerCase();
  const roleIds = draft.roleIds ?? ["member"];
  const held = requireMembership(caller, ctx.workspace.id);
  for (const roleId of roleIds) await assertGrantable(tx, services, roleId, held);
  if (await isMember(tx, email)) throw new Failure(AlreadyMember);
  const token = `mri_${randomBytes(32).toString("base64url")}`;
  const invitation = await invitations.put(tx, {
    id: newId("inv", now.getTime()),
    email,
    name: draft.name ?? "",
    role_ids: roleIds,
    token_hash: sha256(token),
    invited_by: userIdOf(caller),
    created_at: now,
    expires_at: new Date(now.getTime() + INVITATION_MS),
  });
  ctx.emit(UserInvited, { id: invitation.id, displayName: email }, invitation);
  return { ...invitation, token, url: `${publicUrl(services)}/invitations?token=${token}` };
}

export async function revokeInvitation(
  ctx: WriteContext<typeof InvitationRevoked>,
  id: string,
): Promise<void> {
  const taken = await invitations.take(ctx.tx, id);
  if (!taken) throw new Failure(NotFound);
  const { revision, ...invitation } = taken;
  ctx.expectRevision(revision);
  ctx.emit(InvitationRevoked, { id, displayName: invitation.email }, invitation);
}

/** What somebody sent is worth nothing once they are out. */
export async function revokeSentBy(
  ctx: WriteContext<typeof InvitationRevoked>,
  userId: string,
): Promise<void> {
  for (const invitation of await invitations.takeSentBy(ctx.tx, userId)) {
    ctx.emit(InvitationRevoked, { id: invitation.id, displayName: invitation.email }, invitation);
  }
}

export interface Acceptance {
  readonly invitation: invitations.Found;
  readonly account: User | undefined;
  /** Of the account that is to be made. */
  readonly passwordHash: string;
  /** Why an account that exists is not opened, and the workspaces that hear of it. */
  readonly refused?: {
    readonly as: FailureType;
    readonly workspaces: readonly string[];
  };
}

/** Everything slow about accepting: whose it is, and the hash of the password. */
export async function examineInvitation(
  platform: Platform,
  { token, password }: { readonly token: string; readonly password: string },
  { address }: Caller,
): Promise<Acceptance | undefined> {
  const { db, clock } = platform;
  const invitation = await invitations.find(db, sha256(token), clock.now());
  if (!invitation) {
    throttleAddress(platform, address);
    return undefined;
  }
  // The link proves nothing about the address, since its sender has it too. So an account that
  // exists is opened by its own password alone, and guessing that is as slow here as at the login.
  await throttleAccount(platform, invitation.email, address);
  const account = await findAccount(db, invitation.email);
  if (!account) {
    return { invitation, account: undefined, passwordHash: await hashPassword(password) };
  }
  const found = { invitation, account: account.user, passwordHash: "" };
  const right = await checkPassword(password, account.passwordHash);
  if (right && account.user.status === "active") return found;
  const as = account.passwordHash === undefined ? AccountWithoutPassword : WrongPassword;
  const theirs = await membershipsOf(db, account.user.id);
  const hearing = new Set([invitation.workspace, ...theirs.map(({ workspace }) => workspace)]);
  return { ...found, refused: { as, workspaces: [...hearing] } };
}

type Accepting = WriteContext<typeof UserActivated | typeof InvitationRefused | typeof LoginFailed>;

export async function accept(
  ctx: Accepting,
  name: string | undefined,
  acceptance: Acceptance | undefined,
): Promise<User | Failure> {
  const { tx, caller, services } = ctx;
  const { environment } = caller;
  ctx.switchPartition({
    workspace: acceptance?.invitation.workspace ?? services.homeWorkspace,
    environment,
  });
  if (!acceptance) return refuse(ctx, "bad_link");
  if (acceptance.refused) return refuseAccount(ctx, acceptance);
  const { invitation, account, passwordHash } = acceptance;
  const held = await heldPermissions(tx, services, invitation.invitedBy);
  if (!held || !(await canGrant(tx, services, invitation.roleIds, held))) {
    return refuse(ctx, "sender_lacks_right", invitation);
  }
  if (!(await invitations.take(tx, invitation.id))) return refuse(ctx, "bad_link", invitation);
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

/** A wrong password is a failed login, wherever it was tried. */
function refuseAccount(ctx: Accepting, { invitation, refused }: Acceptance): Failure {
  if (refused?.as !== WrongPassword) {
    refuse(ctx, "account_without_password", invitation);
    return new Failure(AccountWithoutPassword);
  }
  const { environment, address } = ctx.caller;
  const { email } = invitation;
  for (const workspace of refused.workspaces) {
    ctx.switchPartition({ workspace, environment });
    ctx.emit(LoginFailed, { id: email, displayName: email }, { email, address });
  }
  return new Failure(WrongPassword);
}

function refuse(
  ctx: WriteContext<typeof InvitationRefused>,
  reason: "bad_link" | "sender_lacks_right" | "account_without_password",
  invitation?: invitations.Found,
): Failure {
  const { address } = ctx.caller;
  ctx.emit(
    InvitationRefused,
    invitation ? { id: invitation.id, displayName: invitation.email } : { id: address },
    { reason, address, ...(invitation && { email: invitation.email }) },
  );
  return new Failure(BadInvitation);
}

const EVERY_MS = 600_000;

const PRUNE = `
  delete from invitations where id in
    (select id from invitations where expires_at <= $1 order by expires_at limit $2)`;

/** Invitations that nobody accepted, of all workspaces and so as the system. */
export const pruneInvitations = retentionJob({
  kind: "identity.prune_invitations",
  everyMs: EVERY_MS,
  remove: ({ db, clock }, rowsMax) => deleteAcrossWorkspaces(db, PRUNE, [clock.now(), rowsMax]),
});
