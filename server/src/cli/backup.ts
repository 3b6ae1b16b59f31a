import { existsSync, lstatSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { startBackup, type Source } from "#kernel/embedded/backup/base-backup.ts";
import type { Manifest } from "#kernel/embedded/backup/manifest.ts";
import { restoreBackup } from "#kernel/embedded/backup/restore.ts";
import { verifyBackup } from "#kernel/embedded/backup/verify.ts";
import { checkBackup, refuseExisting, writeBackup } from "#kernel/embedded/backup/archive.ts";
import { FolderInUse, startEmbedded } from "#kernel/embedded/embedded-database.ts";
import { errnoOf } from "#kernel/embedded/processes.ts";
import { findRunning } from "#kernel/embedded/running-cluster.ts";
import { masterKeyFile } from "#kernel/access/crypto.ts";
import { readSettings, type Settings } from "#kernel/settings.ts";
import { StartupError } from "#kernel/startup-error.ts";

/** `millrace backup <path> [--with-key]`: copies the embedded database, running or not. */
export async function runBackup(
  env: NodeJS.ProcessEnv,
  path: string,
  { withKey }: { readonly withKey: boolean },
): Promise<string[]> {
  const settings = readSettings(env);
  const target = resolve(path);
  requireEmbedded(settings);
  const keyFile = masterKeyFile(settings.dataDir);
  if (withKey && !existsSync(keyFile)) {
    throw new StartupError(
      `${keyFile} does not exist: the key is in MILLRACE_MASTER_KEY. Store that key securely.`,
    );
  }
  await refuseExisting(target);
  await withRunning(settings.dataDir, (source) =>
    explainRefusal(target, () => writeBackup(target, startBackup(source, { withKey }))),
  );
  // Read again from its final place.
  const manifest = await checkBackup(target);
  return [
    `${target} (${await readSize(target, manifest)}) contains all data up to ${manifest.completeUpTo}.`,
    ...(withKey
      ? [
          "It contains the MASTER KEY: anyone with the file can read the secrets. Store it securely.",
        ]
      : [
          `It is WITHOUT THE MASTER KEY. Without the key, a restored database does not start, and its secrets`,
          `can't be decrypted. Store a copy of ${existsSync(keyFile) ? keyFile : "MILLRACE_MASTER_KEY"} in another place now.`,
        ]),
  ];
}

/** `millrace backup --verify <backup>`: restores it, starts it, reads it, and cleans up. */
export async function runVerify(path: string): Promise<string[]> {
  const { manifest, migrations, tables, rows, events, keyFits } = await verifyBackup(resolve(path));
  if (keyFits === false)
    throw new StartupError("The key in the backup does not match its database.");
  return [
    `The backup of ${manifest.completeUpTo} is intact: PostgreSQL ${manifest.postgresql} restored it, and all rows were read.`,
    `${migrations} migrations, ${tables} tables, ${rows} rows, ${events} events in the log.`,
    keyFits ? "Its master key matches." : "It does not contain the master key.",
  ];
}

/** `millrace restore <backup> [--data-dir <folder>]`: restores into an empty folder. */
export async function runRestore(
  env: NodeJS.ProcessEnv,
  path: string,
  folder: string | undefined,
): Promise<string[]> {
  const settings = readSettings(env);
  const target = folder === undefined ? settings.dataDir : resolve(folder);
  if (settings.databaseUrl !== undefined) throw notEmbedded();
  const { manifest, cluster, hasKey } = await explainRefusal(target, () =>
    restoreBackup(resolve(path), target),
  );
  return [
    `All data up to ${manifest.completeUpTo} is restored to ${target} (the database is in ${cluster}).`,
    ...(hasKey
      ? []
      : [
          "It has no master key: copy the file master.key of the old data folder to it, or set MILLRACE_MASTER_KEY.",
        ]),
    "Stop the old installation before you start Millrace on it. Otherwise both run the same workflows and send the same messages.",
  ];
}

/** Uses the running server of the folder, or starts one temporarily. */
async function withRunning(
  dataDir: string,
  work: (source: Source) => Promise<void>,
): Promise<void> {
  const database = await startEmbedded({ folder: dataDir, log: () => undefined }).catch(
    (error: unknown) => {
      if (error instanceof FolderInUse) return undefined;
      if (errnoOf(error) === "EACCES") return undefined;
      throw error;
    },
  );
  if (!database) return work(await findRunning(dataDir));
  try {
    const folder = await realpath(dataDir);
    const cluster = await realpath(join(folder, "postgres"));
    await work({ folder, cluster, connection: database.connection });
  } finally {
    await database.stop();
  }
}

/** Explains file system errors in one sentence. */
async function explainRefusal<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = REASONS[String(errnoOf(error))];
    if (reason === undefined || !(error instanceof Error)) throw error;
    throw new StartupError(`${path}: ${reason} (${error.message})`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; no files were kept",
  EDQUOT: "the disk quota is used up; no files were kept",
  EACCES: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "the folder does not exist",
  ENOTDIR: "a file exists with the name of the folder",
};

function requireEmbedded({ databaseUrl, dataDir }: Settings): void {
  if (databaseUrl !== undefined) throw notEmbedded();
  if (!lstatSync(join(dataDir, "postgres"), { throwIfNoEntry: false })) {
    throw new StartupError(
      `${dataDir} does not contain a database. Set MILLRACE_DATA_DIR to the data folder.`,
    );
  }
}

function notEmbedded(): StartupError {
  return new StartupError(
    "DATABASE_URL is set, but this command is for the embedded database. For a server, use pg_dump and pg_restore, see docs/guide/backup.md.",
  );
}

async function readSize(path: string, { files }: Manifest): Promise<string> {
  const found = await stat(path);
  const bytes = Object.values(files).reduce((sum, { size }) => sum + size, 0);
  const retained = found.isDirectory() ? bytes : found.size;
  return `${megabytes(retained)}, ${Object.keys(files).length} files of ${megabytes(bytes)}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
