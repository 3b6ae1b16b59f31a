import { createHash } from "node:crypto";
import { damagedBackup, type BackupEntry, textEntry, readEntryText } from "./backup-entry.ts";

/** The file name of the manifest. */
export const MANIFEST = "manifest.json";

/** The origin of a backup. */
export interface Origin {
  readonly millrace: string;
  /** The full version of the server. */
  readonly postgresql: string;
  readonly platform: string;
  readonly startedAt: string;
  /** The backup contains every transaction acknowledged before this time. */
  readonly completeUpTo: string;
  /** Folders of the cluster, including required empty ones. */
  readonly folders: readonly string[];
}

/** The exact content of a backup with sizes and checksums. */
export interface Manifest extends Origin {
  readonly format: 1;
  readonly files: Readonly<Record<string, { readonly size: number; readonly sha256: string }>>;
}

/** Passes the entries on, followed by a manifest of the entries that actually passed. */
export async function* withManifest(
  entries: AsyncIterable<BackupEntry>,
  origin: () => Origin,
): AsyncGenerator<BackupEntry> {
  const files: Record<string, { size: number; sha256: string }> = {};
  for await (const { path, size, content } of entries) {
    yield {
      path,
      size,
      content: hashEntries(content, (sha256) => (files[path] = { size, sha256 })),
    };
  }
  yield textEntry(MANIFEST, write({ format: 1, ...origin(), files }));
}

/**
 * Passes the files of a backup on. At the end it throws unless they match the manifest exactly, and otherwise
 * returns the manifest. Until then, all results are provisional.
 */
export async function* verifyAgainstManifest(
  entries: AsyncIterable<BackupEntry>,
  backup: string,
  onManifest: (manifest: Manifest) => void,
): AsyncGenerator<BackupEntry> {
  const found = new Map<string, { size: number; sha256: string }>();
  let manifest: Manifest | undefined;
  for await (const entry of entries) {
    const { path, size, content } = entry;
    if (manifest) throw damagedBackup(backup, `${path} comes after the end of the archive`);
    if (path === MANIFEST) manifest = read(await readEntryText(entry), backup);
    else {
      const keep = (sha256: string): unknown => found.set(path, { size, sha256 });
      yield { path, size, content: hashEntries(content, keep) };
    }
  }
  if (!manifest)
    throw damagedBackup(backup, "manifest.json is missing, so the backup is incomplete");
  for (const [path, { size, sha256 }] of Object.entries(manifest.files)) {
    const file = found.get(path);
    if (!file) throw damagedBackup(backup, `${path} is missing`);
    if (file.size !== size || file.sha256 !== sha256) {
      throw damagedBackup(backup, `${path} has changed since the backup`);
    }
    found.delete(path);
  }
  for (const path of found.keys())
    throw damagedBackup(backup, `${path} is not listed in the manifest`);
  onManifest(manifest);
}

async function* hashEntries(
  content: AsyncIterable<Buffer>,
  done: (sha256: string) => unknown,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
  done(hash.digest("hex"));
}

/** Writes the manifest with a checksum in its last line. */
function write(manifest: Manifest): string {
  const text = JSON.stringify(manifest, undefined, 1);
  return `${text}\n${sha256Of(text)}\n`;
}

function read(text: string, backup: string): Manifest {
  const [json = "", sum = ""] = /^([^]*)\n([0-9a-f]{64})\n$/.exec(text)?.slice(1) ?? [];
  if (sum !== sha256Of(json))
    throw damagedBackup(backup, "manifest.json has changed since the backup");
  // The checksum is valid, so only the format version can be unknown.
  const manifest = JSON.parse(json) as Manifest;
  if (manifest.format !== 1)
    throw damagedBackup(backup, "the format belongs to a later version of Millrace");
  return manifest;
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
