/** Reads entries of a ZIP file by random access, with a limit for the unpacked size. */
import { createInflateRaw } from "node:zlib";
import { Readable } from "node:stream";
import type { ByteSpan } from "#kernel/blob-store/blob-store.ts";
import { SourceError } from "./source-row.ts";

/** The content of a file with random access. */
export interface RandomAccess {
  readonly size: number;
  readonly read: (span?: ByteSpan) => AsyncIterable<Uint8Array>;
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packedBytes: number;
  readonly headerAt: number;
}

const TAIL_BYTES = 65_557;
const DIRECTORY_BYTES_MAX = 4 * 1024 * 1024;
const ENTRIES_MAX = 10_000;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const HEADER_SIGNATURE = 0x04034b50;
/** The maximum compression ratio: spreadsheets with equal cells reach 100. */
const RATIO_MAX = 200;
const RATIO_FREE_BYTES = 16 * 1024 * 1024;
const NOT_A_ZIP = "The file is not a spreadsheet: it is not a complete ZIP file.";

export class ZipFile {
  readonly #file: RandomAccess;
  readonly #entries: ReadonlyMap<string, ZipEntry>;

  private constructor(file: RandomAccess, entries: readonly ZipEntry[]) {
    this.#file = file;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }

  static async open(file: RandomAccess): Promise<ZipFile> {
    const tailAt = Math.max(0, file.size - TAIL_BYTES);
    const tail = await readSpan(file, { from: tailAt, to: file.size });
    const end = findEnd(tail);
    if (end === undefined) throw new SourceError(NOT_A_ZIP);
    const [bytes, from] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
    if (bytes > DIRECTORY_BYTES_MAX || from + bytes > file.size) throw new SourceError(NOT_A_ZIP);
    return new ZipFile(file, parseDirectory(await readSpan(file, { from, to: from + bytes })));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Unpacks an entry's content as a stream. */
  async *read(name: string, bytesMax: number): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name);
    if (!entry)
      throw new SourceError(
        `The spreadsheet does not have the part ${name.slice(0, 100).toWellFormed()}.`,
      );
    const { headerAt, packedBytes, method } = entry;
    const header = await readSpan(this.#file, {
      from: headerAt,
      to: Math.min(this.#file.size, headerAt + 30),
    });
    if (header.length < 30 || header.readUInt32LE(0) !== HEADER_SIGNATURE)
      throw new SourceError(NOT_A_ZIP);
    const from = headerAt + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
    const packed = this.#file.read({ from, to: Math.min(this.#file.size, from + packedBytes) });
    // An entry can declare more bytes than the file has.
    const there = Math.min(packedBytes, Math.max(0, this.#file.size - from));
    const limit = Math.min(bytesMax, RATIO_FREE_BYTES + there * RATIO_MAX);
    let unpacked = 0;
    try {
      for await (const chunk of method === 0 ? packed : inflate(packed)) {
        unpacked += chunk.length;
        if (unpacked > limit) throw new SourceError("The uncompressed spreadsheet is too large.");
        yield chunk;
      }
    } catch (error) {
      if (error instanceof SourceError || !isZlibError(error)) throw error;
      throw new SourceError("The spreadsheet is damaged: a part can't be uncompressed.");
    }
  }
}

function inflate(packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const inflater = createInflateRaw();
  const source = Readable.from(packed, { objectMode: false });
  source.on("error", (error) => inflater.destroy(error));
  inflater.on("close", () => source.destroy());
  return source.pipe(inflater) as AsyncIterable<Uint8Array>;
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

async function readSpan(file: RandomAccess, span: ByteSpan): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(file.read(span)));
}

function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === END_SIGNATURE) return at;
  }
  return undefined;
}

function parseDirectory(directory: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length && entries.length < ENTRIES_MAX;) {
    if (directory.readUInt32LE(at) !== ENTRY_SIGNATURE) throw new SourceError(NOT_A_ZIP);
    const nameBytes = directory.readUInt16LE(at + 28);
    const next =
      at + 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    const method = directory.readUInt16LE(at + 10);
    if ((directory.readUInt16LE(at + 8) & 1) === 1)
      throw new SourceError("The spreadsheet is protected by a password.");
    if (method !== 0 && method !== 8) throw new SourceError(NOT_A_ZIP);
    entries.push({
      name: directory.toString("utf8", at + 46, at + 46 + nameBytes).replace(/^\//, ""),
      method,
      packedBytes: directory.readUInt32LE(at + 20),
      headerAt: directory.readUInt32LE(at + 42),
    });
    at = next;
  }
  return entries;
}
