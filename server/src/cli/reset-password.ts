import { randomBytes } from "node:crypto";
import {
  findAccount,
  hashPassword,
  listReleasableUsers,
  listWorkspaceKeys,
  releaseAccount,
  revokeCredentials,
  setPassword,
  type User,
  toAccountEmail,
} from "#domains/identity/accounts/index.ts";
import { PasswordReset } from "#domains/identity/sessions/index.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { NO_WORKSPACE, type Partition } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { performAct, withKernel } from "./kernel.ts";

const PASSWORD_BYTES = 15;

/** `millrace reset-password <email>`: for installations without an SMTP server. */
export async function runResetPassword(
  env: NodeJS.ProcessEnv,
  email: string,
  options: ResetOptions,
): Promise<string[]> {
  return withKernel(env, async (kernel) => {
    const { user, password } = await reset(kernel, email, options);
    return [
      `The new password of ${user.email}, shown only once: ${password}`,
      options.revokeAll
        ? "All sessions, tokens and second factors of the account were revoked."
        : "All sessions of the account were revoked.",
      ...(user.status === "active"
        ? []
        : [`The account is not active (${user.status}), so its user can't sign in yet.`]),
    ];
  });
}

interface ResetOptions {
  /** Revokes all credentials of the account, if another person created or used it. */
  readonly revokeAll: boolean;
  /** The slug of the workspace that owns the account, if several have one for the address. */
  readonly workspace?: string | undefined;
}

async function reset(
  platform: Kernel,
  email: string,
  { revokeAll, workspace }: ResetOptions,
): Promise<{ readonly user: User; readonly password: string }> {
  const address = toAccountEmail(email);
  const account = await findAccount(platform.db, address);
  const user = account?.user ?? (await findReleasableUser(platform, address, workspace));
  if (!user) throw new StartupError(`The account with the e-mail address ${email} does not exist.`);
  const workspaces = await listWorkspaceKeys(platform.db, user.id);
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  const passwordHash = await hashPassword(password);
  const partition: Partition = { workspace: NO_WORKSPACE, environment: "production" };
  await performAct(platform, partition, async (ctx) => {
    if (revokeAll) await revokeCredentials(ctx, { user, workspaces }, "operator");
    await change(ctx, { user, passwordHash, workspaces });
  });
  return { user, password };
}

/**
 * Finds an account that a workspace created and no longer uses. Several workspaces may have one, each for a different
 * person.
 */
async function findReleasableUser(
  { db }: Platform,
  address: string,
  workspace: string | undefined,
): Promise<User | undefined> {
  const all = await listReleasableUsers(db, address);
  const found = all.filter(({ slug }) => workspace === undefined || slug === workspace);
  if (found.length > 1) {
    const slugs = found.map(({ slug }) => slug).join(", ");
    throw new StartupError(
      `Several workspaces have an account for ${address}. Select a workspace with --workspace: ${slugs}.`,
    );
  }
  return found[0];
}

/** Ends all sessions and links of the old password. */
async function change(
  ctx: WriteContext<typeof PasswordReset>,
  {
    user,
    passwordHash,
    workspaces,
  }: {
    readonly user: User;
    readonly passwordHash: string;
    readonly workspaces: readonly string[];
  },
): Promise<void> {
  await releaseAccount(ctx.tx, user.id);
  await setPassword(ctx.tx, user.id, passwordHash, ctx.now);
  await ctx.tx.deleteFrom("sessions").where("user_id", "=", user.id).execute();
  await ctx.tx.deleteFrom("password_resets").where("user_id", "=", user.id).execute();
  // For a user without a workspace, the event is in the log of the home workspace.
  for (const workspace of workspaces.length > 0 ? workspaces : [ctx.services.homeWorkspace]) {
    ctx.switchPartition({ workspace, environment: "production" });
    const data = { userId: user.id, email: user.email };
    ctx.emit(PasswordReset, { id: user.id, displayName: user.name }, data);
  }
}
