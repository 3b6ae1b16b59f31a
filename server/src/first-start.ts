import {
  addMember,
  checkPassword,
  findAccount,
  hashPassword,
  insertUser,
  UserActivated,
} from "#domains/identity/accounts/index.ts";
import { insertOperator } from "#domains/installation/index.ts";
import { insertWorkspace, WorkspaceCreated } from "#domains/workspaces/index.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { Act } from "#kernel/operation/act.ts";
import { systemCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { NO_WORKSPACE, type Partition } from "#kernel/db/database.ts";
import { sqlStateOf } from "#kernel/db/errors.ts";
import { newId } from "#kernel/schema/id.ts";

const UNIQUE_VIOLATION = "23505";

export interface FirstOwner {
  readonly email: string;
  /** Present if it was generated. Derived from the master key, so that a later start can print it again. */
  readonly password: string | undefined;
}

/** Creates the workspace `default` and its owner. Undefined after the first login or with a configured password. */
export async function firstStart(platform: Platform): Promise<FirstOwner | undefined> {
  const { db, homeWorkspace, settings } = platform;
  const existing = await db.system("select from workspaces where key = $1", [homeWorkspace]);
  const generated = generatePassword(platform);
  if (existing.length > 0) return findUnclaimedOwner(platform, generated);
  const password = settings.adminPassword ?? generated;
  const passwordHash = await hashPassword(password);
  const partition: Partition = { workspace: NO_WORKSPACE, environment: "production" };
  const caller = systemCaller(partition, {
    correlationId: newCorrelationId(platform.clock),
    depth: 0,
  });
  try {
    await db.write(partition, async (session) => {
      const act = new Act({ session, services: platform, caller });
      await createDefaults(act.ctx, passwordHash);
      act.finish();
    });
  } catch (error) {
    // Another node has created the owner and printed the password.
    if (sqlStateOf(error) === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
  const isGenerated = settings.adminPassword === undefined;
  return { email: settings.adminEmail, password: isGenerated ? generated : undefined };
}

/** Derived, not stored. An attacker with the master key and the database has full access anyway. */
function generatePassword({ masterKey, homeWorkspace }: Platform): string {
  return masterKey.derive(`password of the owner of ${homeWorkspace}`).toString("base64url", 0, 15);
}

/** The owner with the generated password, while it is valid and there was no login. */
async function findUnclaimedOwner(
  { db, settings }: Platform,
  password: string,
): Promise<FirstOwner | undefined> {
  const account = await findAccount(db, settings.adminEmail);
  if (!(await checkPassword(password, account?.passwordHash))) return undefined;
  const logins = await db.system("select from users where first_login_at is not null limit 1");
  return logins.length > 0 ? undefined : { email: settings.adminEmail, password };
}

async function createDefaults(
  ctx: WriteContext<typeof WorkspaceCreated | typeof UserActivated>,
  passwordHash: string,
): Promise<void> {
  const { homeWorkspace: key, settings } = ctx.services;
  await insertWorkspace(ctx, { name: "Default", slug: "default", key });
  const user = await insertUser(ctx.tx, {
    id: newId("usr", ctx.now.getTime()),
    email: settings.adminEmail,
    name: "Administrator",
    password_hash: passwordHash,
    created_at: ctx.now,
    updated_at: ctx.now,
  });
  await addMember(ctx, { userId: user.id, roles: ["owner"] });
  await insertOperator(ctx.tx, { userId: user.id, grantedBy: ctx.caller.actor.id, now: ctx.now });
  ctx.emit(UserActivated, { id: user.id, displayName: user.name }, user);
}
