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
 * An account may be made by somebody else than the person whose address it has: the sender of an invitation may
 * follow the link themselves, where no mail server takes it to its receiver. It is worth something to them
 * only until its person comes, by a link that was mailed or by single sign-on. Then everything that opened it
 * before ends.
 */
const ENVIRONMENTS: readonly EnvironmentName[] = ["production", "staging", "development"];

/** An account whose holder is known from now on, and all the workspaces that it belongs to. */
export interface Claim {
  readonly user: Pick<User, "id" | "name" | "email">;
  readonly workspaces: readonly string[];
}

/** Marks an address as verified, and ends what opened the account before; false when it was verified already. */
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

/** Marks an address as verified where its reader also knew the account's password, so that nothing ends. */
export async function verifyHolder(
  ctx: WriteContext<typeof EmailVerified>,
  claim: Claim,
): Promise<void> {
  const isFirst = await store.setEmailVerified(ctx.tx, claim.user.id, ctx.now);
  if (isFirst) emitVerified(ctx, claim, "invitation");
}

/** Ends everything that opens an account, in all its workspaces. */
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

/** Ends what an account has in one workspace, and goes on in its production; resolves to counts by kind. */
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

/** An account without a workspace is recorded in the installation's home. */
function auditedIn({ services }: WriteContext<never>, workspaces: readonly string[]) {
  return workspaces.length > 0 ? workspaces : [services.homeWorkspace];
}
