import { pino } from "pino";
import { findAccount } from "#domains/identity/accounts/index.ts";
import { grantOperator } from "#domains/installation/index.ts";
import { systemCaller } from "#kernel/access/caller.ts";
import { loadMasterKey } from "#kernel/access/crypto.ts";
import { NO_WORKSPACE, type Partition } from "#kernel/db/database.ts";
import { prepareDatabase } from "#kernel/db/setup/prepare-database.ts";
import { Kernel } from "#kernel/kernel.ts";
import { Act } from "#kernel/operation/act.ts";
import { newId } from "#kernel/schema/id.ts";
import { readSettings } from "#kernel/settings.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { domains } from "../app.ts";
import { withDatabase } from "./database.ts";

/** `millrace operator <email>`: for an installation from before there were operators, or whose last one has left. */
export async function runGrantOperator(env: NodeJS.ProcessEnv, email: string): Promise<string[]> {
  const settings = readSettings(env);
  return withDatabase(
    settings,
    async (owner) => {
      const masterKey = loadMasterKey(settings.masterKey, settings.dataDir);
      const database = await prepareDatabase(owner, masterKey);
      const log = pino({ level: "silent" });
      const kernel = await Kernel.open({ database, settings, masterKey, domains, log });
      try {
        return [await grant(kernel, email)];
      } finally {
        await kernel.close();
      }
    },
    { beside: true },
  );
}

async function grant(platform: Kernel, email: string): Promise<string> {
  const account = await findAccount(platform.db, email.toLowerCase());
  if (!account) throw new StartupError(`There is no account with the e-mail address ${email}.`);
  const partition: Partition = { workspace: NO_WORKSPACE, environment: "production" };
  const caller = systemCaller(partition, { correlationId: newId("cor"), depth: 0 });
  const isNew = await platform.db.write(partition, async (session) => {
    const act = new Act({ session, services: platform, caller });
    const granted = await grantOperator(act.ctx, account.user);
    act.finish();
    return granted;
  });
  return isNew
    ? `${account.user.email} is an operator of the installation now.`
    : `${account.user.email} is an operator of the installation already.`;
}
