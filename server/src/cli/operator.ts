import { findAccount, toAccountEmail } from "#domains/identity/accounts/index.ts";
import { releaseSso } from "#domains/identity/sso/index.ts";
import { grantOperator } from "#domains/installation/index.ts";
import { NO_WORKSPACE } from "#kernel/db/database.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { performAct, withKernel } from "./kernel.ts";

/** `millrace operator <email>`: for an installation from before operators existed, or without any operators. */
export function runGrantOperator(env: NodeJS.ProcessEnv, email: string): Promise<string[]> {
  return withKernel(env, async (kernel) => {
    const account = await findAccount(kernel.db, toAccountEmail(email));
    if (!account)
      throw new StartupError(`The account with the e-mail address ${email} does not exist.`);
    const { user } = account;
    const isNew = await performAct(
      kernel,
      { workspace: NO_WORKSPACE, environment: "production" },
      (ctx) => grantOperator(ctx, user),
    );
    return [`${user.email} is an operator of the installation ${isNew ? "now" : "already"}.`];
  });
}

/** `millrace release-sso <workspace>`: for owners who cannot sign in because their identity provider is unavailable. */
export function runReleaseSso(env: NodeJS.ProcessEnv, slug: string): Promise<string[]> {
  return withKernel(env, async (kernel) => {
    const [row] = await kernel.db.system<{ readonly key: string }>(
      "select key from workspaces where slug = $1",
      [slug],
    );
    if (!row) throw new StartupError(`The workspace ${slug} does not exist.`);
    const isReleased = await performAct(
      kernel,
      { workspace: row.key, environment: "production" },
      (ctx) => releaseSso(ctx, { id: workspaceIdOf(row.key) }),
    );
    return [
      isReleased
        ? `Members of ${slug} can sign in with passwords again. Its single sign-on is still configured.`
        : `The workspace ${slug} does not require single sign-on.`,
    ];
  });
}
