import { open, stat } from "node:fs/promises";
import { StartupError } from "../../startup-error.ts";
import { errnoOf } from "../processes.ts";

/** A file of a backup, on its way in or out. Its content must be taken before the next entry is asked for. */
export interface BackupEntry {
  /** With slashes, relative to the backup. */
  readonly path: string;
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

const CHUNK_BYTES = 1 << 20;

/** The entries of a backup: none of them could lead out of the folder that it is restored into. */
const PATH =
  /^(?:manifest\.json|master\.key|postgres\.password|(?:postgres|files)(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)+)$/;

/** True when the path is one that a backup of ours can have. */
export function isBackupPath(path: string): boolean {
  return path.length <= 100 && PATH.test(path);
}

/** A small file, at hand. */
export function textEntry(path: string, text: string): BackupEntry {
  const bytes = Buffer.from(text);
  return { path, size: bytes.length, content: once(bytes) };
}

/**
 * A file as long as it is now. It may change or go while it is read: what is added is left out, and what is missing is
 * made up with zeros, since the log of the database repairs both. Undefined when it has gone already.
 */
export async function fileEntry(path: string, file: string): Promise<BackupEntry | undefined> {
  const found = await stat(file).catch(unlessGone);
  return found && { path, size: found.size, content: readExactly(file, found.size) };
}

/** The whole content of an entry that is known to be small. */
export async function readEntryText({ content }: BackupEntry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Refuses a backup in words for the operator. */
export function damagedBackup(backup: string, why: string): StartupError {
  return new StartupError(`The backup ${backup} is damaged: ${why}. It is of no use.`);
}

async function* readExactly(file: string, size: number): AsyncGenerator<Buffer> {
  const handle = await open(file, "r").catch(unlessGone);
  try {
    for (let left = size; left > 0;) {
      const chunkBytes = Math.min(left, CHUNK_BYTES);
      const buffer = Buffer.alloc(chunkBytes);
      const bytesRead = (await handle?.read(buffer, 0, chunkBytes, null))?.bytesRead ?? 0;
      // At the end of the file the zeros that Buffer.alloc has made.
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
