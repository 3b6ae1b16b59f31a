import type { WriteContext } from "#kernel/contract.ts";
import {
  type AccountCredential,
  AccountCredentialPoint,
} from "#kernel/contributions/account-credential.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import * as store from "./store.ts";
import { CredentialsRevoked, EmailVerified, type User } from "./user.ts";

/**
 * An account may have been created by another person than the owner of its address: without a mail server, the
 * sender of an invitation can follow the link themselves. Such an account is useful to them only until the owner of
 * the address arrives by a mailed link or by single sign-on. Then all earlier credentials end.
 */
const ENVIRONMENTS: readonly EnvironmentName[] = ["production", "staging", "development"];

/** An account whose holder is now verified, and all workspaces of the account. */
export interface Claim {
  readonly user: Pick<User, "id" | "name" | "email">;
  readonly workspaces: readonly string[];
}

/**
 * Marks an address as verified, and revokes all earlier credentials of the account; false if it was already
 * verified.
 */
export async function verifyEmail(
  ctx: WriteContext<typeof CredentialsRevoked | typeof EmailVerified>,
  claim: Claim,
  by: "invitation" | "reset",
): Promise<boolean> {
  const { user } = claim;
  if (!(await store.setEmailVerified(ctx.tx, user.id, ctx.now))) return false;
  await revokeCredentials(ctx, claim, "email_verified");
  emitVerified(ctx, claim, by);
  return true;
}

/**
 * Marks an address as verified without revoking anything, because the reader of the mail also knew the password.
 */
export async function verifyHolder(
  ctx: WriteContext<typeof EmailVerified>,
  claim: Claim,
): Promise<void> {
  const isFirst = await store.setEmailVerified(ctx.tx, claim.user.id, ctx.now);
  if (isFirst) emitVerified(ctx, claim, "invitation");
}

/** Revokes all credentials of an account, in all its workspaces. */
export async function revokeCredentials(
  ctx: WriteContext<typeof CredentialsRevoked>,
  { user, workspaces }: Claim,
  reason: "email_verified" | "sso_login" | "operator",
): Promise<void> {
  const own = await revokeKinds(ctx, user.id, "account");
  for (const workspace of auditedIn(ctx, workspaces)) {
    const revoked = { ...own, ...(await revokeInWorkspace(ctx, user.id, workspace)) };
    const data = { userId: user.id, reason, revoked };
    ctx.emit(CredentialsRevoked, { id: user.id, displayName: user.name }, data);
  }
}

/**
 * Revokes the credentials of an account in one workspace, and switches to its production environment; resolves to
 * counts by kind.
 */
export async function revokeInWorkspace(
  ctx: WriteContext<never>,
  userId: string,
  workspace: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const environment of ENVIRONMENTS) {
    ctx.switchPartition({ workspace, environment });
    const revoked = await revokeKinds(ctx, userId, "environment");
    for (const [kind, count] of Object.entries(revoked)) counts[kind] = (counts[kind] ?? 0) + count;
  }
  ctx.switchPartition({ workspace, environment: "production" });
  return { ...counts, ...(await revokeKinds(ctx, userId, "workspace")) };
}

async function revokeKinds(
  ctx: WriteContext<never>,
  userId: string,
  scope: AccountCredential["scope"],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const credential of contributionsTo(AccountCredentialPoint, ctx.services.contributions)) {
    if (credential.scope !== scope) continue;
    const count = await credential.revoke(ctx, userId);
    if (count > 0) counts[credential.kind] = count;
  }
  return counts;
}

function emitVerified(
  ctx: WriteContext<typeof EmailVerified>,
  { user, workspaces }: Claim,
  by: "invitation" | "reset",
): void {
  for (const workspace of auditedIn(ctx, workspaces)) {
    ctx.switchPartition({ workspace, environment: "production" });
    const data = { userId: user.id, email: user.email, by };
    ctx.emit(EmailVerified, { id: user.id, displayName: user.name }, data);
  }
}

/** An account without a workspace is recorded in the installation's home workspace. */
function auditedIn({ services }: WriteContext<never>, workspaces: readonly string[]) {
  return workspaces.length > 0 ? workspaces : [services.homeWorkspace];
}
