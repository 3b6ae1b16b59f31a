import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, readlink, realpath, rmdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import {
  type Account,
  canAccess,
  isRoot,
  makeTraversable,
  unprivilegedAccount,
} from "./account.ts";
import { StartupError } from "../startup-error.ts";
import { errnoOf } from "./processes.ts";

/** The paths of one database, and their owner. */
export interface DataFolder {
  /** The PostgreSQL data folder without symbolic links, because it is compared with process arguments. */
  readonly cluster: string;
  readonly socketFolder: string;
  /** Part of the title of each PostgreSQL process, used to recognise the processes of this cluster. */
  readonly clusterName: string;
  /** The account that runs PostgreSQL if this process is root. */
  readonly account: Account | undefined;
  /** The copy target for binaries that cannot run in their original folder. */
  readonly cacheFolder: string;
}

/** Root's folder for clusters whose data folder is not accessible to PostgreSQL's account. */
const STATE_FOLDER = "/var/lib/millrace";

/** Determines the location of a data folder's cluster. The folder must be a real path. */
export async function prepareDataFolder(folder: string, password: string): Promise<DataFolder> {
  const inside = join(folder, "postgres");
  const found = await lookAt(inside);
  if (!isRoot()) {
    return placeAt(found === undefined ? inside : await realpath(inside), undefined, folder);
  }
  const stateFolder = join(STATE_FOLDER, `pg-${shortHash(`${folder}\n${password}`)}`);
  const linked = found?.isSymbolicLink() === true ? await readlink(inside) : undefined;
  if (linked?.startsWith(`${STATE_FOLDER}/pg-`) === true) {
    if (linked !== stateFolder) throw movedFolder(folder, linked, stateFolder);
    return placeAt(stateFolder, await accountFor(stateFolder), STATE_FOLDER);
  }
  if (found !== undefined) {
    const cluster = await realpath(inside);
    const account = await accountFor(cluster);
    if (!(await canAccess(account, cluster))) throw closedFolder(cluster, account);
    return placeAt(cluster, account, STATE_FOLDER);
  }
  const account = await unprivilegedAccount();
  if (await canAccess(account, folder)) return placeAt(inside, account, STATE_FOLDER);
  await makeTraversable(STATE_FOLDER);
  // The link shows where the data is, and detects a moved or copied folder.
  await symlink(stateFolder, inside);
  return placeAt(stateFolder, account, STATE_FOLDER);
}

/**
 * Opens the socket folder for its user only. It is in /tmp, because socket paths are limited to about 100
 * bytes. Any user can create a folder or link of that name there first, so the opened folder is checked.
 */
export async function openSocketFolder(place: DataFolder): Promise<void> {
  const user = place.account?.uid ?? process.getuid?.() ?? 0;
  await mkdir(place.socketFolder, { mode: 0o700 }).catch((error: unknown) => {
    if (errnoOf(error) !== "EEXIST") throw error;
  });
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(place.socketFolder, flags).catch((error: unknown) => {
    throw strangeSocketFolder(place.socketFolder, error);
  });
  try {
    const { uid } = await handle.stat();
    if (uid !== user && uid !== process.getuid?.()) throw strangeSocketFolder(place.socketFolder);
    if (place.account !== undefined) await handle.chown(place.account.uid, place.account.gid);
    await handle.chmod(0o700);
  } finally {
    await handle.close();
  }
}

/** Removes the socket folder in /tmp if it is empty. Root must not delete files of another account. */
export async function removeSocketFolder(place: DataFolder): Promise<void> {
  await rmdir(place.socketFolder).catch((error: unknown) => {
    if (errnoOf(error) !== "ENOENT" && errnoOf(error) !== "ENOTEMPTY") throw error;
  });
}

function placeAt(cluster: string, account: Account | undefined, cacheFolder: string): DataFolder {
  const clusterName = `millrace-${shortHash(cluster)}`;
  return { cluster, socketFolder: `/tmp/${clusterName}`, clusterName, account, cacheFolder };
}

/** An existing cluster keeps its owner, which can be an ordinary user even if root starts it. */
async function accountFor(cluster: string): Promise<Account> {
  const found = await lookAt(cluster);
  return found === undefined || found.uid === 0
    ? unprivilegedAccount()
    : { uid: found.uid, gid: found.gid };
}

async function lookAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    return undefined;
  }
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function movedFolder(folder: string, linked: string, expected: string): Error {
  return new StartupError(
    `The data folder ${folder} was moved or copied: its link "postgres" refers to ${linked}, the database of another folder. ` +
      `If it was moved, run: mv ${linked} ${expected} && ln -sfn ${expected} ${join(folder, "postgres")}`,
  );
}

function closedFolder(cluster: string, account: Account): Error {
  return new StartupError(
    `PostgreSQL runs as user ${account.uid}, which can't access the folders above ${cluster}. Grant access (chmod o+x), or start Millrace as the owner of the folder.`,
  );
}

function strangeSocketFolder(path: string, cause?: unknown): Error {
  return new StartupError(
    `${path}, the folder for the database socket, belongs to another user. Remove it.`,
    { cause },
  );
}
