import { randomBytes } from "node:crypto";
import {
  addMember,
  checkPassword,
  findAccount,
  getMember,
  hashPassword,
  insertUser,
  lockMember,
  lockOwners,
  type MemberRow,
  membershipsOf,
  removeMember,
  renameUser,
  setStatus,
  type User,
} from "#domains/identity/accounts/index.ts";
import { assertGrantable, LastOwner } from "#domains/identity/roles/index.ts";
import { type Caller, type Outside, personOf, type WorkspaceRef } from "#kernel/caller.ts";
import { sha256 } from "#kernel/crypto.ts";
import { changeOf } from "#kernel/event.ts";
import { Failure, Forbidden } from "#kernel/failure.ts";
import { publicUrl } from "#kernel/mail.ts";
import { newId } from "#kernel/id.ts";
import type { WriteContext } from "#kernel/operation.ts";
import { UserActivated, UserDeactivated, UserInvited, UserUpdated } from "./events.ts";
import {
  AlreadyMember,
  BadInvitation,
  type Member,
  SharedAccount,
  WrongPassword,
} from "./member.ts";
import * as store from "./store.ts";

const INVITATION_MS = 7 * 24 * 3_600_000;

export async function invite(
  ctx: WriteContext<typeof UserInvited> & { readonly workspace: WorkspaceRef },
  draft: { email: string; name?: string | undefined; roleIds?: string[] | undefined },
) {
  const { tx, now, caller, services } = ctx;
  const email = draft.email.toLowerCase();
  const roleIds = draft.roleIds ?? ["member"];
  const held = heldBy(caller, ctx.workspace);
  for (const roleId of roleIds) await assertGrantable(tx, services, roleId, held);
  if (await store.isMember(tx, email)) throw new Failure(AlreadyMember);
  const token = `mri_${randomBytes(32).toString("base64url")}`;
  const expires = new Date(now.getTime() + INVITATION_MS);
  const id = newId("inv", now.getTime());
  await store.putInvitation(tx, {
    id,
    email,
    name: draft.name ?? "",
    role_ids: roleIds,
    token_hash: sha256(token),
    invited_by: caller.actor.id,
    created_at: now,
    expires_at: expires,
  });
  const shown = { id, email, name: draft.name ?? "", roleIds, expiresAt: expires.toISOString() };
  ctx.emit(UserInvited, { id, displayName: email }, shown);
  return { ...shown, token, url: `${publicUrl(services)}/invitations?token=${token}` };
}

export interface Acceptance {
  readonly invitation: store.InvitationRow;
  readonly account: User | undefined;
  readonly passwordHash: string;
}

/** Everything slow about accepting: whose it is, and the hash of the password. */
export async function examineInvitation(
  outside: Outside,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<Acceptance> {
  const { db, clock } = outside;
  const invitation = await store.findInvitation(db, sha256(token), clock.now());
  if (!invitation) throw new Failure(BadInvitation);
  const account = await findAccount(db, invitation.email);
  // The link proves the address, but an account that exists is opened by its own password alone.
  if (account && !(await checkPassword(password, account.passwordHash))) {
    throw new Failure(WrongPassword);
  }
  const passwordHash = account ? "" : await hashPassword(password);
  return { invitation, account: account?.user, passwordHash };
}

export async function accept(
  ctx: WriteContext<typeof UserActivated>,
  name: string | undefined,
  { invitation, account, passwordHash }: Acceptance,
): Promise<User> {
  ctx.enter({ workspace: invitation.workspace_id, environment: ctx.caller.environment });
  if (!(await store.takeInvitation(ctx.tx, invitation.id))) throw new Failure(BadInvitation);
  const user =
    account ??
    (await insertUser(ctx.tx, {
      id: newId("usr", ctx.now.getTime()),
      email: invitation.email,
      name: name ?? (invitation.name || invitation.email),
      password_hash: passwordHash,
      created_at: ctx.now,
      updated_at: ctx.now,
    }));
  await addMember(ctx, { userId: user.id, roles: invitation.role_ids });
  ctx.actAs({ id: user.id, name: user.name, type: "user" });
  ctx.emit(UserActivated, { id: user.id, displayName: user.name }, user);
  return user;
}

type Changing = WriteContext<typeof UserActivated | typeof UserDeactivated | typeof UserUpdated> & {
  readonly workspace: WorkspaceRef;
};

export async function updateMember(
  ctx: Changing,
  userId: string,
  change: { status?: Member["status"]; name?: string },
  elsewhere: number,
): Promise<MemberRow> {
  const owners = await lockOwners(ctx.tx);
  const before = await lockMember(ctx.tx, userId);
  ctx.expectRevision(before.revision);
  assertMayTouch(ctx, before);
  if (change.status === "deactivated" && before.status === "active") assertNotLast(owners, userId);
  if (change.name !== undefined && change.name !== before.name) {
    // A name is the account's, so one workspace must not change it for the others.
    if (elsewhere > 0 && personOf(ctx.caller) !== userId) throw new Failure(SharedAccount);
    await renameUser(ctx.tx, userId, change.name, ctx.now);
  }
  await setStatus(ctx.tx, userId, change.status ?? before.status, ctx.now);
  if (change.status === "deactivated") await store.endTokens(ctx.tx, userId);
  const after = await getMember(ctx.tx, userId);
  const ref = { id: userId, displayName: after.name };
  if (after.name !== before.name || after.status === before.status) {
    ctx.emit(UserUpdated, ref, changeOf(shown(before), shown(after)));
  }
  if (after.status !== before.status) {
    const { id, email, name } = after;
    if (after.status === "active") {
      ctx.emit(UserActivated, ref, { id, email, name, status: "active" });
    } else ctx.emit(UserDeactivated, ref, shown(after));
  }
  return after;
}

/** Ends the membership, and with it what the person could use in this workspace. */
export async function remove(
  ctx: WriteContext<typeof UserDeactivated> & { readonly workspace: WorkspaceRef },
  userId: string,
  elsewhere: number,
): Promise<void> {
  const owners = await lockOwners(ctx.tx);
  const member = await lockMember(ctx.tx, userId);
  ctx.expectRevision(member.revision);
  assertMayTouch(ctx, member);
  assertNotLast(owners, userId);
  await store.endTokens(ctx.tx, userId);
  await removeMember(ctx.tx, userId);
  if (elsewhere === 0) await store.endSessions(ctx.tx, userId);
  const gone = { ...shown(member), status: "deactivated" as const };
  ctx.emit(UserDeactivated, { id: userId, displayName: member.name }, gone);
}

/** In how many other workspaces a person is; the act itself sees only its own. */
export async function membershipsElsewhere(
  { db }: Outside,
  userId: string,
  workspace: WorkspaceRef | undefined,
): Promise<number> {
  const rows = await membershipsOf(db, userId);
  return rows.filter((row) => row.workspace !== workspace?.key).length;
}

function assertMayTouch(
  { caller, workspace }: { readonly caller: Caller; readonly workspace: WorkspaceRef },
  member: MemberRow,
): void {
  if (member.roles.includes("owner") && !heldBy(caller, workspace).roles.includes("owner")) {
    throw new Failure(Forbidden, { detail: "Only an owner changes or removes an owner." });
  }
}

function assertNotLast(owners: readonly string[], userId: string): void {
  if (owners.length === 1 && owners[0] === userId) throw new Failure(LastOwner);
}

function heldBy({ credential, permissions }: Caller, { key }: WorkspaceRef) {
  const membership = [...(credential?.memberships.values() ?? [])].find(
    ({ workspace }) => workspace.key === key,
  );
  return { roles: membership?.roles ?? [], permissions };
}

function shown({ revision: _, roles, ...member }: MemberRow): Member {
  return { ...member, roles: [...roles] };
}
