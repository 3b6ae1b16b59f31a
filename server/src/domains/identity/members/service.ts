import {
  getMember,
  lockMember,
  lockOwners,
  type MemberRow,
  listMemberships,
  removeMember,
  renameUser,
  revokeInWorkspace,
  updateMembership,
} from "#domains/identity/accounts/index.ts";
import { LastOwner } from "#domains/identity/roles/index.ts";
import { deleteSessions } from "#domains/identity/sessions/index.ts";
import { assertOwnerInPerson, userIdOf, type WorkspaceRef } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { diffResource } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { InvitationRevoked, UserActivated, UserDeactivated, UserUpdated } from "./events.ts";
import { revokeInvitationsSentBy } from "./invitation-service.ts";
import { assertCanManage } from "./reporting-line.ts";
import { type Member, SharedAccount } from "./events.ts";

type In<C> = C & { readonly workspace: WorkspaceRef };
type LeaveEvents = typeof UserDeactivated | typeof InvitationRevoked;
type UpdateContext = In<WriteContext<LeaveEvents | typeof UserActivated | typeof UserUpdated>>;

export async function updateMember(
  ctx: UpdateContext,
  userId: string,
  change: { status?: Member["status"]; name?: string; managerId?: string | null },
  elsewhere: number,
): Promise<MemberRow> {
  const { managerId } = change;
  if (managerId) await assertCanManage(ctx, { managerId, userId });
  const owners = await lockOwners(ctx.tx);
  const before = await lockMember(ctx.tx, userId);
  ctx.expectRevision(before.revision);
  assertMayManage(ctx, before);
  if (change.status === "deactivated" && before.status === "active")
    assertNotLastOwner(owners, userId);
  if (change.name !== undefined && change.name !== before.name) {
    // The name belongs to the account, so one workspace must not change it for the others.
    if (elsewhere > 0 && userIdOf(ctx.caller) !== userId) throw new Failure(SharedAccount);
    await renameUser(ctx.tx, userId, change.name, ctx.now);
  }
  const membership = { ...before, ...change };
  await updateMembership(ctx.tx, userId, membership, ctx.now);
  if (change.status === "deactivated") await endAccess(ctx, userId);
  const after = await getMember(ctx.tx, userId);
  const ref = { id: userId, displayName: after.name };
  const hasChanged = after.name !== before.name || after.managerId !== before.managerId;
  if (hasChanged || after.status === before.status) {
    ctx.emit(UserUpdated, ref, diffResource(toMember(before), toMember(after)));
  }
  if (after.status !== before.status) {
    const { id, email, name } = after;
    if (after.status === "active") {
      ctx.emit(UserActivated, ref, { id, email, name, status: "active" });
    } else ctx.emit(UserDeactivated, ref, toMember(after));
  }
  return after;
}

/** Ends the membership, and the member's tokens and invitations in this workspace. */
export async function remove(
  ctx: In<WriteContext<LeaveEvents>>,
  userId: string,
  elsewhere: number,
): Promise<void> {
  const owners = await lockOwners(ctx.tx);
  const member = await lockMember(ctx.tx, userId);
  ctx.expectRevision(member.revision);
  assertMayManage(ctx, member);
  assertNotLastOwner(owners, userId);
  await endAccess(ctx, userId);
  await removeMember(ctx.tx, userId);
  if (elsewhere === 0) await deleteSessions(ctx.tx, userId);
  const removed = { ...toMember(member), status: "deactivated" as const };
  ctx.emit(UserDeactivated, { id: userId, displayName: member.name }, removed);
}

/** Revokes what the member sent and created here; it is not restored if they return. */
async function endAccess(
  ctx: In<WriteContext<typeof InvitationRevoked>>,
  userId: string,
): Promise<void> {
  await revokeInvitationsSentBy(ctx, userId);
  await revokeInWorkspace(ctx, userId, ctx.workspace.key);
}

/** Counts the account's other workspaces, outside the transaction, which sees only its own. */
export async function membershipsElsewhere(
  { db }: Platform,
  userId: string,
  workspace: WorkspaceRef | undefined,
): Promise<number> {
  const rows = await listMemberships(db, userId);
  return rows.filter((row) => row.workspace !== workspace?.key).length;
}

/** Throws unless the caller may manage a member: only owners in person manage owners. */
export function assertMayManage({ caller }: WriteContext<never>, member: MemberRow): void {
  if (member.roles.includes("owner")) assertOwnerInPerson(caller);
}

function assertNotLastOwner(owners: readonly string[], userId: string): void {
  if (owners.length === 1 && owners[0] === userId) throw new Failure(LastOwner);
}

export function toMember({ revision: _, roles, ...member }: MemberRow): Member {
  return { ...member, roles: [...roles] };
}
