import {
  CredentialsRevoked,
  revokeCredentials,
  revokeInWorkspace,
  type User,
  UserActivated,
} from "../../accounts/index.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Identity } from "../protocols/identity.ts";
import * as store from "./member-store.ts";
import { LoginRefused } from "./failure.ts";
import { findRoleId } from "../role.ts";
import type { WorkspaceSso } from "../store.ts";

type ProvisionContext = WriteContext<typeof UserActivated | typeof CredentialsRevoked>;

/** The maximum number of attempts if concurrent first logins of one person conflict. */
const ATTEMPTS_MAX = 3;

/** The person whom the provider authenticated, and the accounts that may be theirs. */
export interface ProvenIdentity {
  readonly identity: Identity;
  /** The account that the same browser was logged in to by password. */
  readonly signedInAs?: string;
  /** The candidate accounts that also belong to other workspaces. */
  readonly sharedIds: ReadonlySet<string>;
}

/**
 * Finds the member whom an identity provider authenticated, or creates one if the workspace allows just-in-time
 * provisioning. A provider may claim any address, so it is matched only with accounts of its own workspace, and
 * accounts that it creates belong to that workspace. Throws before any write if the login is rejected.
 */
export async function provisionMember(
  ctx: ProvisionContext,
  sso: WorkspaceSso,
  proven: ProvenIdentity,
): Promise<User> {
  const { identity } = proven;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const member = await findMember(ctx, identity);
    if (member) return linkMember(ctx, sso, proven, member);
    const user = await createMember(ctx, sso, identity);
    if (user) return user;
  }
  throw new Error("A first login met another one again and again.");
}

/** The account that a login would use. */
export interface ForetoldAccount {
  readonly kind: "member" | "new";
  readonly userId: string | null;
  readonly name: string;
  readonly roles: string[];
}

/** Returns the account that an identity would get, or the reason for rejection, without writing. */
export async function foretellMember(
  ctx: Pick<WriteContext, "tx">,
  sso: WorkspaceSso,
  { identity }: ProvenIdentity,
): Promise<{ readonly account?: ForetoldAccount; readonly refusal?: LoginRefused }> {
  const member = await findMember(ctx, identity);
  const account: ForetoldAccount | undefined = member && {
    kind: "member",
    userId: member.user.id,
    name: member.user.name,
    roles: [...member.roles],
  };
  try {
    if (member) {
      assertAdmitted(sso, identity, member);
      return account ? { account } : {};
    }
    assertProvisioned(sso, identity);
    const roles = [await resolveRole(ctx, sso, identity)];
    return { account: { kind: "new", userId: null, name: identity.name, roles } };
  } catch (refusal) {
    if (refusal instanceof LoginRefused) return { ...(account && { account }), refusal };
    throw refusal;
  }
}

/** By the provider's subject, or else by e-mail address. */
async function findMember(
  { tx }: Pick<WriteContext, "tx">,
  { subject, email }: Identity,
): Promise<store.KnownMember | undefined> {
  const linkedUserId = subject && (await store.findLinkedUser(tx, subject));
  return store.findMember(tx, linkedUserId === undefined ? { email } : { id: linkedUserId });
}

async function linkMember(
  ctx: ProvisionContext,
  sso: WorkspaceSso,
  proven: ProvenIdentity,
  member: store.KnownMember,
): Promise<User> {
  const { user } = member;
  const { subject } = proven.identity;
  assertAdmitted(sso, proven.identity, member);
  const ssoOnly = member.isProvisional && (await claimMember(ctx, sso, proven, user));
  await store.putLink(ctx.tx, { userId: user.id, subject, ssoOnly }, ctx.now);
  return user;
}

/** Rejects a member whom this provider may not admit, or whose linked identity differs. */
function assertAdmitted(
  sso: WorkspaceSso,
  { subject, email }: Identity,
  { user, link, roles, status }: store.KnownMember,
): void {
  assertActive(user, status);
  if (roles.includes("owner") && sso.setUpBy === null) {
    throw new LoginRefused(
      "owner_not_admitted",
      "Single sign-on was not configured by an owner.",
      email,
    );
  }
  // The provider has assigned the address to another person than the linked member.
  if (subject && link?.issuer === subject.issuer && link.subject !== subject.id) {
    throw new LoginRefused("identity_mismatch", "The member is linked to another identity.", email);
  }
}

function assertProvisioned(sso: WorkspaceSso, { email }: Identity): void {
  if (sso.jitProvisioning) return;
  throw new LoginRefused("user_unknown", "No member has this e-mail address.", email);
}

/**
 * Revokes earlier credentials of a provisional account, so that a person who created it in advance keeps no access.
 * Returns true if only the provider opens the workspace from now on. An account that belongs to other workspaces is
 * not changed there.
 */
async function claimMember(
  ctx: ProvisionContext,
  sso: WorkspaceSso,
  { signedInAs, sharedIds }: ProvenIdentity,
  user: User,
): Promise<boolean> {
  if (signedInAs === user.id) return false;
  const workspace = sso.key;
  if (!sharedIds.has(user.id)) {
    await revokeCredentials(ctx, { user, workspaces: [workspace] }, "sso_login");
    return !(await store.setManaged(ctx.tx, user.id));
  }
  const revoked = await revokeInWorkspace(ctx, user.id, workspace);
  const data = { userId: user.id, reason: "sso_login" as const, revoked };
  ctx.emit(CredentialsRevoked, { id: user.id, displayName: user.name }, data);
  return true;
}

/** Undefined if another transaction created the member in the meantime. */
async function createMember(
  ctx: ProvisionContext,
  sso: WorkspaceSso,
  identity: Identity,
): Promise<User | undefined> {
  const { tx, now } = ctx;
  const { email, name, subject } = identity;
  assertProvisioned(sso, identity);
  const role = await resolveRole(ctx, sso, identity);
  const account = { id: newId("usr", now.getTime()), email, name };
  const user = await store.putManagedAccount(tx, account, now);
  assertActive(user, "active");
  if (!(await store.insertMembership(tx, user.id, [role], now))) return undefined;
  await store.putLink(tx, { userId: user.id, subject, ssoOnly: false }, now);
  ctx.emit(UserActivated, { id: user.id, displayName: user.name }, user);
  return user;
}

/** The first existing role that the provider names, otherwise the default role. */
async function resolveRole(
  { tx }: Pick<WriteContext, "tx">,
  sso: WorkspaceSso,
  { roles, email }: Identity,
): Promise<string> {
  for (const nameOrId of [...roles, sso.defaultRole]) {
    const roleId = await findRoleId(tx, nameOrId);
    if (roleId !== undefined) return roleId;
  }
  throw new LoginRefused("role_unknown", `The role ${sso.defaultRole} no longer exists.`, email);
}

function assertActive(user: User, membershipStatus: string): void {
  if (user.status === "active" && membershipStatus === "active") return;
  throw new LoginRefused("user_deactivated", "The account is not active.", user.email);
}
