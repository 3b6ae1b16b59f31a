/** A backup is stored as an archive (`.tar`, `.tar.gz`, `.tgz`) or as a folder of files. */
import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { StartupError } from "../../startup-error.ts";
import { syncFolder } from "../cluster.ts";
import { errnoOf } from "../processes.ts";
import { damagedBackup, type BackupEntry, fileEntry, isBackupPath } from "./backup-entry.ts";
import { verifyAgainstManifest, MANIFEST, type Manifest } from "./manifest.ts";
import { packTar, unpackTar } from "./tar.ts";
import { syncTree, writeEntry } from "./write-files.ts";

const ARCHIVE = /\.(?:tar|tar\.gz|tgz)$/;
const GZIPPED = /gz$/;
/** The fastest level: a backup consists mostly of half-empty pages, which compress well at any level. */
const GZIP_LEVEL = 1;
const GZIP_MAGIC = Buffer.of(0x1f, 0x8b);

/**
 * Writes a backup. Its file appears when it is complete and durable. Existing files are never replaced, and a
 * failure leaves no files behind.
 */
export async function writeBackup(
  path: string,
  entries: AsyncIterable<BackupEntry>,
): Promise<void> {
  await refuseExisting(path);
  const draft = `${path}.part-${randomUUID()}`;
  try {
    if (ARCHIVE.test(path)) {
      await writeArchive(draft, entries, GZIPPED.test(path));
      // Unlike a rename, a link fails if the name exists now.
      await link(draft, path).catch((error: unknown) => {
        if (errnoOf(error) === "EEXIST") throw alreadyExists(path);
        return rename(draft, path);
      });
    } else {
      await writeFolder(draft, entries);
      await rename(draft, path);
    }
    await syncFolder(dirname(path));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Rejects an existing path before any work is done. */
export async function refuseExisting(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errnoOf(error) !== "ENOENT") throw error;
    return undefined;
  });
  if (found) throw alreadyExists(path);
}

/** The entries of a backup, the password first and the manifest last. */
export async function* readBackup(path: string): AsyncGenerator<BackupEntry> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") throw new StartupError(`The backup ${path} does not exist.`);
    throw error;
  });
  if (found.isDirectory()) yield* readFolder(path);
  else yield* unpackTar(await openArchive(path), path);
}

/** Reads a whole backup and throws unless it is complete. */
export async function checkBackup(path: string): Promise<Manifest> {
  let manifest: Manifest | undefined;
  for await (const { content } of verifyAgainstManifest(
    readBackup(path),
    path,
    (read) => (manifest = read),
  )) {
    for await (const _ of content);
  }
  if (!manifest) throw damagedBackup(path, "manifest.json is missing");
  return manifest;
}

async function writeArchive(
  draft: string,
  entries: AsyncIterable<BackupEntry>,
  gzipped: boolean,
): Promise<void> {
  const source = Readable.from(packTar(entries), { objectMode: false });
  const target = createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true });
  await (gzipped
    ? pipeline(source, createGzip({ level: GZIP_LEVEL }), target)
    : pipeline(source, target));
}

async function writeFolder(draft: string, entries: AsyncIterable<BackupEntry>): Promise<void> {
  await mkdir(draft, { mode: 0o700 });
  for await (const entry of entries) {
    const file = join(draft, entry.path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeEntry(file, entry);
  }
  await syncTree(draft);
}

async function* readFolder(folder: string): AsyncGenerator<BackupEntry> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  // A link could point to any file on this machine.
  const link = names.find((one) => one.isSymbolicLink());
  if (link) throw damagedBackup(folder, `${link.name} is a link`);
  const paths = names
    .filter((one) => !one.isDirectory())
    .map((one) => relative(folder, join(one.parentPath, one.name)))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  for (const path of paths) {
    if (!isBackupPath(path)) throw damagedBackup(folder, `${path} is not part of the backup`);
    const entry = await fileEntry(path, join(folder, path));
    if (entry) yield entry;
  }
}

function rankOf(path: string): number {
  return path === "postgres.password" ? 0 : path === MANIFEST ? 2 : 1;
}

/** Detected by the first bytes, because the file may have been renamed. */
async function openArchive(path: string): Promise<AsyncIterable<Buffer>> {
  const handle = await open(path, "r");
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  await handle.close();
  const source = createReadStream(path);
  if (bytesRead < 2 || !buffer.equals(GZIP_MAGIC)) return source;
  const unzipped = createGunzip();
  source.on("error", (error) => unzipped.destroy(error));
  unzipped.on("close", () => source.destroy());
  source.pipe(unzipped);
  return explainFailure(unzipped, path);
}

async function* explainFailure(
  source: AsyncIterable<Buffer>,
  path: string,
): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    if (String(errnoOf(error)).startsWith("Z_"))
      throw damagedBackup(path, "the archive can't be unpacked");
    throw error;
  }
}

function alreadyExists(path: string): StartupError {
  return new StartupError(
    `${path} already exists. A backup never overwrites files. Choose another name.`,
  );
}
