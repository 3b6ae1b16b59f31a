import { open, stat } from "node:fs/promises";
import { StartupError } from "../../startup-error.ts";
import { errnoOf } from "../processes.ts";

/** A file that is written to or read from a backup. Its content must be consumed before the next entry is requested. */
export interface BackupEntry {
  /** The path in the backup, with slashes. */
  readonly path: string;
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

const CHUNK_BYTES = 1 << 20;

/** The allowed paths of entries. None can lead outside the restore folder. */
const PATH =
  /^(?:manifest\.json|master\.key|postgres\.password|(?:postgres|files)(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)+)$/;

/** True if a backup can contain the path. */
export function isBackupPath(path: string): boolean {
  return path.length <= 100 && PATH.test(path);
}

/** A small entry from memory. */
export function textEntry(path: string, text: string): BackupEntry {
  const bytes = Buffer.from(text);
  return { path, size: bytes.length, content: once(bytes) };
}

/**
 * Opens a file with its current length. The file can change or disappear while it is read: added bytes are
 * ignored and missing bytes are filled with zeros, because the write-ahead log repairs both. Returns undefined
 * if the file no longer exists.
 */
export async function fileEntry(path: string, file: string): Promise<BackupEntry | undefined> {
  const found = await stat(file).catch(unlessGone);
  return found && { path, size: found.size, content: readExactly(file, found.size) };
}

/** The whole content of a small entry. */
export async function readEntryText({ content }: BackupEntry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The error for a damaged backup, for operators. */
export function damagedBackup(backup: string, why: string): StartupError {
  return new StartupError(`The backup ${backup} is damaged and can't be restored: ${why}.`);
}

async function* readExactly(file: string, size: number): AsyncGenerator<Buffer> {
  const handle = await open(file, "r").catch(unlessGone);
  try {
    for (let left = size; left > 0;) {
      const chunkBytes = Math.min(left, CHUNK_BYTES);
      const buffer = Buffer.alloc(chunkBytes);
      const bytesRead = (await handle?.read(buffer, 0, chunkBytes, null))?.bytesRead ?? 0;
      // Past the end of the file, the chunk contains the zeros of Buffer.alloc.
      const chunk = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead);
      left -= chunk.length;
      yield chunk;
    }
  } finally {
    await handle?.close();
  }
}

function unlessGone(error: unknown): undefined {
  if (errnoOf(error) !== "ENOENT") throw error;
  return undefined;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
