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

/** Where the parts of one database lie, and whom they belong to. */
export interface DataFolder {
  /** The PostgreSQL data folder, without symbolic links: it is compared with the arguments of processes. */
  readonly cluster: string;
  readonly socketFolder: string;
  /** Written into the title of each PostgreSQL process, by which we know our own again. */
  readonly clusterName: string;
  /** The account that runs PostgreSQL when we are root. */
  readonly account: Account | undefined;
  /** Where binaries go that cannot be run where they are. */
  readonly cacheFolder: string;
}

/** Root's folder for clusters whose data folder is closed to the account that runs PostgreSQL. */
const STATE_FOLDER = "/var/lib/millrace";

/** Decides where the cluster of a data folder is, or shall be. The folder is a real path. */
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
  // The link tells people where the data is, and us that a folder was moved or copied.
  await symlink(stateFolder, inside);
  return placeAt(stateFolder, account, STATE_FOLDER);
}

/**
 * Opens the socket folder for its user alone. It lies in /tmp, because the path of a socket is limited to some 100
 * bytes; there anybody may have made a folder or link of that name before us, so we look at what we really opened.
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

/** Leaves nothing in /tmp. Only an empty folder goes: as root we delete no file that another account has put there. */
export async function removeSocketFolder(place: DataFolder): Promise<void> {
  await rmdir(place.socketFolder).catch((error: unknown) => {
    if (errnoOf(error) !== "ENOENT" && errnoOf(error) !== "ENOTEMPTY") throw error;
  });
}

function placeAt(cluster: string, account: Account | undefined, cacheFolder: string): DataFolder {
  const clusterName = `millrace-${shortHash(cluster)}`;
  return { cluster, socketFolder: `/tmp/${clusterName}`, clusterName, account, cacheFolder };
}

/** An existing cluster stays with its user, who may be an ordinary one when root starts it for a change. */
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
    `The data folder ${folder} was moved or copied: its link "postgres" leads to ${linked}, the database of another folder. ` +
      `If it was moved, run: mv ${linked} ${expected} && ln -sfn ${expected} ${join(folder, "postgres")}`,
  );
}

function closedFolder(cluster: string, account: Account): Error {
  return new StartupError(
    `PostgreSQL runs as user ${account.uid}, who may not pass through the folders above ${cluster}. ` +
      "Allow it (chmod o+x), or start Millrace as the owner of the folder.",
  );
}

function strangeSocketFolder(path: string, cause?: unknown): Error {
  return new StartupError(
    `${path}, where the database's socket belongs, was made by somebody else. Remove it.`,
    { cause },
  );
}
