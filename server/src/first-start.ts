import { randomBytes } from "node:crypto";
import {
  addMember,
  hashPassword,
  insertUser,
  UserActivated,
} from "#domains/identity/accounts/index.ts";
import { insertWorkspace, WorkspaceCreated } from "#domains/workspaces/index.ts";
import { Act } from "#kernel/operation/act.ts";
import { systemCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { NO_WORKSPACE, type Partition } from "#kernel/db/database.ts";
import { sqlStateOf } from "#kernel/db/errors.ts";
import { newId } from "#kernel/schema/id.ts";

const UNIQUE_VIOLATION = "23505";

export interface FirstOwner {
  readonly email: string;
  /** Present when it was generated; shown once and stored nowhere. */
  readonly password: string | undefined;
}

/** Creates the workspace `default` and its owner; undefined when they exist already. */
export async function firstStart(platform: Platform): Promise<FirstOwner | undefined> {
  const { db, homeWorkspace, settings } = platform;
  const existing = await db.system("select from workspaces where key = $1", [homeWorkspace]);
  if (existing.length > 0) return undefined;
  const password = settings.adminPassword ?? randomBytes(15).toString("base64url");
  const passwordHash = await hashPassword(password);
  const partition: Partition = { workspace: NO_WORKSPACE, environment: "production" };
  const caller = systemCaller(partition, { correlationId: newId("cor"), depth: 0 });
  try {
    await db.write(partition, async (session) => {
      const act = new Act({ session, services: platform, caller });
      await createDefaults(act.ctx, passwordHash);
      act.finish();
    });
  } catch (error) {
    // Another node was quicker, and has printed its password.
    if (sqlStateOf(error) === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
  const generated = settings.adminPassword === undefined ? password : undefined;
  return { email: settings.adminEmail, password: generated };
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
  ctx.emit(UserActivated, { id: user.id, displayName: user.name }, user);
}
