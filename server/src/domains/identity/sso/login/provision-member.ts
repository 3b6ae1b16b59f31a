import { type User, UserActivated } from "../../accounts/index.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Identity } from "../protocols/identity.ts";
import * as store from "./member-store.ts";
import { LoginRefused } from "./failure.ts";
import { findRole } from "../role.ts";
import type { WorkspaceSso } from "../store.ts";

type ProvisionContext = WriteContext<typeof UserActivated>;

/** How often concurrent first logins of one person may conflict. */
const ATTEMPTS_MAX = 3;

/**
 * Finds the member whom an identity provider authenticated, or creates one if the workspace allows it
 * (just-in-time provisioning). Refuses before it writes anything.
 */
export async function provisionMember(
  ctx: ProvisionContext,
  sso: WorkspaceSso,
  identity: Identity,
): Promise<User> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const known = await findKnownAccount(ctx, identity);
    if (known?.membership) return linkMember(ctx, identity, known, known.membership.status);
    const user = await createMember(ctx, sso, identity, known?.user);
    if (user) return user;
  }
  throw new Error("A first login met another one again and again.");
}

/** By the provider's subject, or else by e-mail address. */
async function findKnownAccount(
  { tx }: ProvisionContext,
  identity: Identity,
): Promise<store.KnownAccount | undefined> {
  const { subject, email } = identity;
  const linkedUserId = subject && (await store.findLinkedUser(tx, subject));
  return store.findAccount(tx, linkedUserId === undefined ? { email } : { id: linkedUserId });
}

async function linkMember(
  ctx: ProvisionContext,
  identity: Identity,
  { user, link }: store.KnownAccount,
  status: string,
): Promise<User> {
  assertActive(user, status);
  const { subject } = identity;
  // The provider has given the address to another person than the member whom we know.
  if (subject && link?.issuer === subject.issuer && link.subject !== subject.id) {
    throw new LoginRefused(
      "identity_mismatch",
      "Another identity has this member.",
      identity.email,
    );
  }
  await store.putLink(ctx.tx, { userId: user.id, subject, adopted: false }, ctx.now);
  return user;
}

/** Undefined when another transaction created the member meanwhile. */
async function createMember(
  ctx: ProvisionContext,
  sso: WorkspaceSso,
  identity: Identity,
  existing: User | undefined,
): Promise<User | undefined> {
  const { tx, now } = ctx;
  const { email, name, subject } = identity;
  if (!sso.jitProvisioning) {
    throw new LoginRefused("user_unknown", "Nobody with this address is a member.", email);
  }
  if (existing) assertActive(existing, "active");
  const role = await resolveRole(ctx, sso, identity);
  const account = { id: newId("usr", now.getTime()), email, name };
  const user = existing ?? (await store.insertAccount(tx, account, now));
  if (!user || !(await store.insertMembership(tx, user.id, [role], now))) return undefined;
  await store.putLink(tx, { userId: user.id, subject, adopted: true }, now);
  ctx.emit(UserActivated, { id: user.id, displayName: user.name }, user);
  return user;
}

/** The first role that the provider names and the workspace has, or else its default. */
async function resolveRole(
  { tx, services }: ProvisionContext,
  sso: WorkspaceSso,
  { roles, email }: Identity,
): Promise<string> {
  for (const nameOrId of [...roles, sso.defaultRole]) {
    const role = await findRole(tx, services, nameOrId);
    if (role) return role.id;
  }
  throw new LoginRefused("role_unknown", `There is no role ${sso.defaultRole} any more.`, email);
}

function assertActive(user: User, membershipStatus: string): void {
  if (user.status === "active" && membershipStatus === "active") return;
  throw new LoginRefused("user_deactivated", "The account is not active.", user.email);
}
