/**
 * The plain `ustar` archive format, limited to the needs of a backup: files with short paths and sizes far
 * below 8 GB (PostgreSQL files are at most 1 GB). Any `tar` can list and unpack it.
 */
import { damagedBackup, type BackupEntry, isBackupPath } from "./backup-entry.ts";

const BLOCK_BYTES = 512;
const SIZE_MAX = 0o77777777777;

/** The bytes of an archive with these entries. */
export async function* packTar(entries: AsyncIterable<BackupEntry>): AsyncGenerator<Buffer> {
  const mtime = Math.floor(Date.now() / 1_000);
  for await (const { path, size, content } of entries) {
    yield buildHeader(path, size, mtime);
    let left = size;
    for await (const chunk of content) {
      left -= chunk.length;
      yield chunk;
    }
    if (left !== 0) throw new Error(`${path} has another length than it said.`);
    if (size % BLOCK_BYTES !== 0) yield Buffer.alloc(BLOCK_BYTES - (size % BLOCK_BYTES));
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

/** The entries of our archive. All other content is reported as damage. */
export async function* unpackTar(
  source: AsyncIterable<Buffer>,
  backup: string,
): AsyncGenerator<BackupEntry> {
  const bytes = new Bytes(source, backup);
  for (;;) {
    const header = await bytes.take(BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return;
    const path = header.toString("latin1", 0, 100).replace(/\0.*$/s, "");
    const size = Number.parseInt(header.toString("latin1", 124, 135), 8);
    const sum = Number.parseInt(header.toString("latin1", 148, 154), 8);
    if (sum !== checksumOf(header) || !isBackupPath(path) || !(size >= 0)) {
      throw damagedBackup(backup, "the file is not a Millrace archive, or it is damaged");
    }
    let taken = 0;
    const content = (async function* () {
      for await (const chunk of bytes.stream(size)) {
        taken += chunk.length;
        yield chunk;
      }
    })();
    yield { path, size, content };
    if (taken !== size) throw new Error(`${path} was not read to its end.`);
    await bytes.take((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
  }
}

function buildHeader(path: string, size: number, mtime: number): Buffer {
  if (!isBackupPath(path) || size > SIZE_MAX)
    throw new Error(`${path} can't be put into a backup.`);
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");
  header.write(path, 0, "latin1");
  header.write(octal(0o600, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(mtime, 11), 136);
  header.write("0", 156);
  header.write("ustar\x0000", 257, "latin1");
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148, "latin1");
  return header;
}

/** Computes the header checksum. The checksum field counts as blanks. */
function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

/** Splits a stream into chunks of given lengths. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>;
  readonly #backup: string;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>, backup: string) {
    this.#source = source[Symbol.asyncIterator]();
    this.#backup = backup;
  }

  async take(length: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.stream(length)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async *stream(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0;) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#source.next();
        if (done === true) throw damagedBackup(this.#backup, "the archive is truncated");
        this.#rest = value;
      }
      const chunk = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }
}
