import { randomBytes, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chown, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { StartupError } from "../startup-error.ts";
import type { Account } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { cannotExecute, launch } from "./launch.ts";
import type { DataFolder } from "./data-folder.ts";
import { errnoOf } from "./processes.ts";

/** The superuser of the private cluster. */
export const OWNER_ROLE = "millrace";

const DIAGNOSTICS_CHARS_MAX = 8_000;

/** The options of a new cluster. */
export interface NewCluster {
  readonly password: string;
  /** initdb waits for the disk. Tests disable it. */
  readonly sync: boolean;
}

/** The common prefix of initdb's draft folders for this cluster. */
export function draftPrefix(cluster: string): string {
  return `${cluster}.init-`;
}

/** The owner's password of a data folder. A new folder gets a random one. */
export async function readOrCreatePassword(folder: string): Promise<string> {
  const file = join(folder, "postgres.password");
  const known = await readIfThere(file);
  if (known !== undefined) return known;
  if ((await readIfThere(join(folder, "postgres", "PG_VERSION"))) !== undefined) {
    throw new StartupError(
      `${file} is missing. The database in this folder can't be opened without it.`,
    );
  }
  // The password must be durable before a cluster uses it.
  const password = randomBytes(24).toString("base64url");
  const draft = `${file}.draft`;
  await rm(draft, { force: true });
  await writePrivate(draft, password);
  await rename(draft, file);
  await syncFolder(folder);
  return password;
}

/**
 * Creates the cluster unless it exists. initdb works in a draft folder that is renamed when complete, so a kill
 * leaves either no cluster or a complete one. The draft name is new each time, because an initdb that outlived
 * its parent may still write to an older draft.
 */
export async function ensureCluster(
  place: DataFolder,
  binaries: Binaries,
  options: NewCluster,
): Promise<void> {
  await removeDrafts(place.cluster);
  const version = (await readIfThere(join(place.cluster, "PG_VERSION")))?.trim();
  if (version === undefined) {
    await refuseStrangeFolder(place.cluster);
    const draft = `${draftPrefix(place.cluster)}${randomUUID()}`;
    await mkdir(draft, { mode: 0o700 });
    await initialise(draft, place.account, { binaries, ...options });
    await rename(draft, place.cluster);
    await syncFolder(dirname(place.cluster));
  } else if (Number(version) !== binaries.majorVersion) {
    throw new StartupError(
      `The data in ${place.cluster} was written by PostgreSQL ${version}, but this release of Millrace includes PostgreSQL ${binaries.majorVersion}. Dump it with the release that wrote it (pg_dumpall) and restore it into a new folder.`,
    );
  }
}

async function initialise(
  draft: string,
  account: Account | undefined,
  options: NewCluster & { readonly binaries: Binaries },
): Promise<void> {
  const passwordFile = `${draft}.password`;
  await writePrivate(passwordFile, options.password, account);
  if (account !== undefined) await chown(draft, account.uid, account.gid);
  try {
    await runInitdb(join(options.binaries.root, "bin", "initdb"), account, [
      "-D",
      draft,
      `--username=${OWNER_ROLE}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      // The builtin provider sorts the same on every machine, independent of its C library.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      "--data-checksums",
      "--no-instructions",
      options.sync ? "--sync-method=fsync" : "--no-sync",
    ]);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function runInitdb(file: string, account: Account | undefined, args: string[]) {
  const child = await launch({
    file,
    args,
    account,
    signalOnOurDeath: "KILL",
    ownGroup: false,
  });
  let diagnostics = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    diagnostics = (diagnostics + text).slice(-DIAGNOSTICS_CHARS_MAX);
  });
  const result = await new Promise<number | string | null>((resolve, reject) => {
    child.once("error", (error) => reject(cannotExecute(file, error)));
    child.once("close", (code, killedBy) => resolve(code ?? killedBy));
  });
  if (result !== 0)
    throw new Error(`initdb could not make the database (${result}): ${diagnostics}`);
}

async function removeDrafts(cluster: string): Promise<void> {
  const parent = dirname(cluster);
  const prefix = basename(draftPrefix(cluster));
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    // A process of the killed initdb may write a last file during the deletion; retries handle it.
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

/** A folder with files but without PG_VERSION was not created by Millrace and must not be replaced. */
async function refuseStrangeFolder(cluster: string): Promise<void> {
  const entries = await readdir(cluster).catch((error: unknown) => {
    if (errnoOf(error) !== "ENOENT") throw error;
    return [];
  });
  if (entries.length > 0) {
    throw new StartupError(
      `${cluster} is not empty, and it is not a PostgreSQL data folder. Move it to another place.`,
    );
  }
}

/** Writes a durable new file that only its owner can read. */
export async function writePrivate(path: string, text: string, reader?: Account): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(text);
    if (reader !== undefined) await handle.chown(reader.uid, reader.gid);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes renames in the folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The text of a file, or undefined if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    return undefined;
  }
}
