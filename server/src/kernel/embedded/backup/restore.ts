import { randomUUID } from "node:crypto";
import { chown, lstat, mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { filesFolder } from "../../blob-store/files-folder.ts";
import { StartupError } from "../../startup-error.ts";
import { isRoot } from "../account.ts";
import { findBinaries } from "../binaries.ts";
import { syncFolder, writePrivate } from "../cluster.ts";
import { claimFolder } from "../folder-lock.ts";
import { type DataFolder, prepareDataFolder } from "../data-folder.ts";
import {
  damagedBackup,
  type BackupEntry,
  isBackupPath,
  textEntry,
  readEntryText,
} from "./backup-entry.ts";
import { verifyAgainstManifest, type Manifest } from "./manifest.ts";
import { readBackup } from "./archive.ts";
import { syncTree, writeEntry } from "./write-files.ts";

/** A restored backup and its location. */
export interface Restored {
  readonly manifest: Manifest;
  readonly cluster: string;
  /** True if the data folder now has a master key. */
  readonly hasKey: boolean;
}

const PASSWORD = "postgres.password";
const KEY = "master.key";
const CLUSTER = "postgres/";
/** The name pattern of files that a killed restore leaves in the data folder. */
const DRAFT = /^(?:postgres|files)\.restore-/;
const FILES = "files/";

/**
 * Restores a backup into an empty data folder. The cluster gets its final name only after all files match the
 * manifest, so a failed restore leaves nothing. The next start recovers it on a new timeline.
 */
export async function restoreBackup(backup: string, into: string): Promise<Restored> {
  await mkdir(into, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  const folder = await realpath(into);
  await using claim = new AsyncDisposableStack();
  claim.defer(await claimFolder(folder));
  const hadKey = await requireEmpty(folder);
  await using undo = new AsyncDisposableStack();
  const { place, draft, files, password, key, manifest } = await extract(backup, folder, undo);
  await requireVersion(manifest);
  await complete(draft, manifest, place);
  await rename(draft, place.cluster);
  await syncFolder(dirname(place.cluster));
  await placeFiles(files, folder);
  undo.move();
  if (key !== undefined && !hadKey) await writePrivate(join(folder, KEY), key);
  // The password is written last, because the folder does not start without it.
  await writePrivate(join(folder, PASSWORD), password);
  await syncFolder(folder);
  return { manifest, cluster: place.cluster, hasKey: hadKey || key !== undefined };
}

interface Extracted {
  readonly place: DataFolder;
  readonly draft: string;
  /** The draft folder of file contents. */
  readonly files: string;
  readonly password: string;
  readonly key: string | undefined;
  readonly manifest: Manifest;
}

async function extract(
  backup: string,
  folder: string,
  undo: AsyncDisposableStack,
): Promise<Extracted> {
  let begun: Omit<Extracted, "key" | "manifest"> | undefined;
  let key: string | undefined;
  let manifest: Manifest | undefined;
  for await (const entry of verifyAgainstManifest(
    readBackup(backup),
    backup,
    (read) => (manifest = read),
  )) {
    if (!begun) begun = await begin(backup, folder, { entry, undo });
    else if (entry.path === KEY) key = await readEntryText(entry);
    else if (entry.path.startsWith(FILES)) {
      const file = join(begun.files, entry.path.slice(FILES.length));
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeEntry(file, entry);
    } else {
      const file = join(begun.draft, entry.path.slice(CLUSTER.length));
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeEntry(file, entry, begun.place.account);
    }
  }
  if (!begun || !manifest) throw damagedBackup(backup, "the backup is empty");
  return { ...begun, key, manifest };
}

/** Reads the password first, because it determines the place of the cluster. */
async function begin(
  backup: string,
  folder: string,
  { entry, undo }: { readonly entry: BackupEntry; readonly undo: AsyncDisposableStack },
): Promise<Omit<Extracted, "key" | "manifest">> {
  if (entry.path !== PASSWORD) throw damagedBackup(backup, `${PASSWORD} is missing`);
  const password = await readEntryText(entry);
  undo.defer(() => removeLink(folder));
  const place = await prepareDataFolder(folder, password);
  await requireNone(place.cluster);
  const draft = `${place.cluster}.restore-${randomUUID()}`;
  undo.defer(() => rm(draft, { recursive: true, force: true }));
  await mkdir(draft, { mode: 0o700 });
  const files = join(folder, `files.restore-${randomUUID()}`);
  undo.defer(() => rm(files, { recursive: true, force: true }));
  return { place, draft, files, password };
}

/** True if the folder contains the master key. All other content is rejected. */
async function requireEmpty(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  for (const name of names.filter((one) => DRAFT.test(one))) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
  const others = names.filter((name) => name !== "owner" && name !== KEY && !DRAFT.test(name));
  if (others.length > 0) {
    throw new StartupError(
      `${folder} is not empty (${others.slice(0, 3).join(", ")}). ` +
        `The target folder of a restore must be empty. It can contain ${KEY}.`,
    );
  }
  return names.includes(KEY);
}

async function requireNone(cluster: string): Promise<void> {
  const there = await lstat(cluster).catch(() => undefined);
  if (there)
    throw new StartupError(`${cluster} already contains a database. Move it to another folder.`);
}

async function requireVersion({ postgresql }: Manifest): Promise<void> {
  const { majorVersion } = await findBinaries();
  if (Number.parseInt(postgresql, 10) === majorVersion) return;
  throw new StartupError(
    `The backup was made with PostgreSQL ${postgresql}, but this release of Millrace includes PostgreSQL ${majorVersion}. Restore it with the release that created it.`,
  );
}

/** Creates the empty folders, sets the owner of all files, and writes the recovery signal. */
async function complete(draft: string, manifest: Manifest, { account }: DataFolder): Promise<void> {
  for (const path of manifest.folders.filter((one) => isBackupPath(`${CLUSTER}${one}`))) {
    await mkdir(join(draft, path), { recursive: true, mode: 0o700 });
  }
  // PostgreSQL then starts a new timeline, by which Millrace detects the restore to an earlier time.
  await writeEntry(join(draft, "recovery.signal"), textEntry("", ""), account);
  if (account !== undefined) {
    const inside = await readdir(draft, { recursive: true, withFileTypes: true });
    for (const entry of inside.filter((one) => one.isDirectory())) {
      await chown(join(entry.parentPath, entry.name), account.uid, account.gid);
    }
    await chown(draft, account.uid, account.gid);
  }
  await syncTree(draft);
}

/** Moves the file contents to their place, if the backup has any. */
async function placeFiles(draft: string, folder: string): Promise<void> {
  if (!(await lstat(draft).catch(() => undefined))) return;
  await syncTree(draft);
  await rename(draft, filesFolder(folder));
}

/** If the cluster is in another folder, a link to it was created. */
async function removeLink(folder: string): Promise<void> {
  const link = join(folder, "postgres");
  const there = await lstat(link).catch(() => undefined);
  if (there?.isSymbolicLink()) await rm(link);
}
