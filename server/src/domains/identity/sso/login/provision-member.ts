import { type User, UserActivated } from "../../accounts/index.ts";
import { newId } from "#kernel/schema/id.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Identity } from "../protocols/identity.ts";
import * as store from "./member-store.ts";
import { LoginRefused } from "./failure.ts";
import { findRole } from "../role.ts";
import type { Place } from "../store.ts";

type Admitting = WriteContext<typeof UserActivated>;

/** How often two first logins of the same person may come in each other's way. */
const ATTEMPTS_MAX = 3;

/**
 * The member whom an identity provider vouches for, made if the workspace wants that. Refuses before
 * it writes anything.
 */
export async function provisionMember(
  ctx: Admitting,
  place: Place,
  identity: Identity,
): Promise<User> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const known = await find(ctx, identity);
    if (known?.membership) return welcomeBack(ctx, identity, known, known.membership.status);
    const user = await welcome(ctx, place, identity, known?.user);
    if (user) return user;
  }
  throw new Error("A first login met another one again and again.");
}

/** By the provider's own name for them, or else by address. */
async function find({ tx }: Admitting, identity: Identity): Promise<store.Known | undefined> {
  const { subject, email } = identity;
  const linked = subject && (await store.userLinkedTo(tx, subject));
  return store.findKnown(tx, linked === undefined ? { email } : { id: linked });
}

async function welcomeBack(
  ctx: Admitting,
  identity: Identity,
  { user, link }: store.Known,
  status: string,
): Promise<User> {
  assertActive(user, status);
  const { subject } = identity;
  // The address has a new holder at the provider: a person of that name, not the one we know.
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

/** Undefined when somebody else made them meanwhile. */
async function welcome(
  ctx: Admitting,
  place: Place,
  identity: Identity,
  existing: User | undefined,
): Promise<User | undefined> {
  const { tx, now } = ctx;
  const { email, name, subject } = identity;
  if (!place.jitProvisioning) {
    throw new LoginRefused("user_unknown", "Nobody with this address is a member.", email);
  }
  if (existing) assertActive(existing, "active");
  const role = await roleFor(ctx, place, identity);
  const made = { id: newId("usr", now.getTime()), email, name };
  const user = existing ?? (await store.insertAccount(tx, made, now));
  if (!user || !(await store.insertMembership(tx, user.id, [role], now))) return undefined;
  await store.putLink(tx, { userId: user.id, subject, adopted: true }, now);
  ctx.emit(UserActivated, { id: user.id, displayName: user.name }, user);
  return user;
}

/** What the provider says, when that is a role here; otherwise the workspace's default. */
async function roleFor(
  { tx, services }: Admitting,
  place: Place,
  { roles, email }: Identity,
): Promise<string> {
  for (const named of [...roles, place.defaultRole]) {
    const role = await findRole(tx, services, named);
    if (role) return role.id;
  }
  throw new LoginRefused("role_unknown", `There is no role ${place.defaultRole} any more.`, email);
}

function assertActive(user: User, membershipStatus: string): void {
  if (user.status === "active" && membershipStatus === "active") return;
  throw new LoginRefused("user_deactivated", "The account is not active.", user.email);
}
