import { lstatSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { pino } from "pino";
import { FolderInUse } from "#kernel/embedded/embedded-database.ts";
import { findRunning } from "#kernel/embedded/running-cluster.ts";
import { isInstalled } from "#kernel/db/setup/owner-connection.ts";
import type { Settings } from "#kernel/settings.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { openDatabase } from "../open-database.ts";

/**
 * Runs work on the database of an installation as its owner. The embedded one is started temporarily. If a server is
 * running, work marked `beside` uses its database, and other work is rejected.
 */
export async function withDatabase<T>(
  settings: Settings,
  work: (owner: pg.ClientConfig) => Promise<T>,
  { beside = false }: { readonly beside?: boolean } = {},
): Promise<T> {
  const cluster = join(settings.dataDir, "postgres");
  if (settings.databaseUrl === undefined && !lstatSync(cluster, { throwIfNoEntry: false })) {
    throw new StartupError(
      `${settings.dataDir} does not contain a database. Set MILLRACE_DATA_DIR to the data folder, or DATABASE_URL to the database.`,
    );
  }
  const database = await openDatabase(settings, pino({ level: "silent" })).catch(
    async (error: unknown) => {
      if (!beside || !(error instanceof FolderInUse)) throw error;
      return { ...(await findRunning(settings.dataDir)), stop: async () => undefined };
    },
  );
  try {
    await assertInstalled(database.connection);
    return await work(database.connection);
  } finally {
    await database.stop();
  }
}

async function assertInstalled(owner: pg.ClientConfig): Promise<void> {
  if (!(await isInstalled(owner))) {
    throw new StartupError(
      "This database does not belong to Millrace yet. Start Millrace on it first.",
    );
  }
}
