/** A ZIP file that is written while its entries are read: sizes and checksums follow each entry. */
import { Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";
import { DocumentError } from "../work/task.ts";

export interface ZipEntry {
  readonly name: string;
  readonly content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

interface WrittenEntry {
  readonly name: Buffer;
  readonly at: number;
  readonly sum: number;
  readonly packed: number;
  readonly size: number;
}

const VERSION = 20;
/** The sizes follow the content, and names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
const BYTES_MAX = 0xffff_fffe;
/** The first of January 1980, so that a ZIP file of the same content has the same bytes. */
const DAY = 0x0021;

export async function* writeZip(entries: Iterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const written: WrittenEntry[] = [];
  let at = 0;
  for (const { name, content } of entries) {
    const label = Buffer.from(name);
    const header = Buffer.concat([number32(0x04034b50), common(0, 0, 0, label.length), label]);
    yield header;
    const counts = { sum: 0, size: 0, packed: 0 };
    for await (const chunk of deflate(measure(content, counts))) {
      counts.packed += chunk.length;
      yield chunk;
    }
    if (at + counts.packed > BYTES_MAX || counts.size > BYTES_MAX)
      throw new DocumentError("The files are larger than 4 GiB, the limit for a ZIP file.");
    const { sum, size, packed } = counts;
    yield Buffer.concat([0x08074b50, sum, packed, size].map(number32));
    written.push({ name: label, at, sum, packed, size });
    at += header.length + packed + 16;
  }
  const directory = Buffer.concat(written.map(directoryEntry));
  yield directory;
  yield Buffer.concat([
    number32(0x06054b50),
    ...[0, 0, written.length, written.length].map(number16),
    number32(directory.length),
    number32(at),
    number16(0),
  ]);
}

function directoryEntry({ name, at, sum, packed, size }: WrittenEntry): Buffer {
  return Buffer.concat([
    number32(0x02014b50),
    number16(VERSION),
    common(sum, packed, size, name.length),
    ...[0, 0, 0].map(number16),
    number32(0),
    number32(at),
    name,
  ]);
}

/** The fields shared by an entry's header and the directory. */
function common(sum: number, packed: number, size: number, nameBytes: number): Buffer {
  return Buffer.concat([
    ...[VERSION, FLAGS, DEFLATED, 0, DAY].map(number16),
    ...[sum, packed, size].map(number32),
    ...[nameBytes, 0].map(number16),
  ]);
}

async function* measure(
  content: ZipEntry["content"],
  counts: { sum: number; size: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    counts.sum = crc32(chunk, counts.sum);
    counts.size += chunk.length;
    yield chunk;
  }
}

function deflate(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const packer = createDeflateRaw();
  const source = Readable.from(content, { objectMode: false });
  source.on("error", (error) => packer.destroy(error));
  packer.on("close", () => source.destroy());
  return source.pipe(packer) as AsyncIterable<Uint8Array>;
}

function number16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
