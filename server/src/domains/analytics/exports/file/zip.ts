/**
 * A ZIP archive written sequentially: complete entries, then one that grows. Its chunks are compressed separately
 * and end on a byte boundary, so that together they form a single stream.
 */
import { constants, crc32, deflateRaw } from "node:zlib";
import { promisify } from "node:util";
import type { FormatState } from "./file-format.ts";

const deflate = promisify(deflateRaw);

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const STORED = 0;
const DEFLATED = 8;
/** Sizes follow the data. */
const STREAMED = 8;
/** 1 January 1980: an archive of the same rows has the same bytes. */
const DATE = 0x21;
/** Larger archives need another format, which few spreadsheets read. */
export const ARCHIVE_BYTES_MAX = 0xffff_ffff;

export interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
}

/** The known entries, and the beginning of the one that grows. */
export function beginArchive(entries: readonly ZipEntry[], growing: string): Buffer {
  const parts = entries.flatMap((entry) => [localHeader(entry), entry.content]);
  return Buffer.concat([...parts, localHeader({ name: growing })]);
}

/** More of the entry that grows. */
export async function compressText(
  state: FormatState,
  text: string,
  { last = false }: { readonly last?: boolean } = {},
): Promise<{ readonly packed: Buffer; readonly state: FormatState }> {
  const plain = Buffer.from(text);
  const finishFlush = last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  const packed = await deflate(plain, { finishFlush });
  return {
    packed,
    state: {
      ...state,
      crc: crc32(plain, state.crc),
      plainBytes: state.plainBytes + plain.length,
      packedBytes: state.packedBytes + packed.length,
    },
  };
}

/** The end of the archive: the sizes of the last entry, and the list of all entries. */
export function endArchive(
  entries: readonly ZipEntry[],
  growing: string,
  state: FormatState,
): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(DESCRIPTOR, 0);
  descriptor.writeUInt32LE(state.crc, 4);
  descriptor.writeUInt32LE(state.packedBytes, 8);
  descriptor.writeUInt32LE(state.plainBytes, 12);
  let offset = 0;
  const list = entries.map((entry) => {
    const header = centralHeader(entry.name, sizesOf(entry), offset);
    offset += localHeader(entry).length + entry.content.length;
    return header;
  });
  list.push(centralHeader(growing, { ...state, method: DEFLATED, flags: STREAMED }, offset));
  const grown = localHeader({ name: growing }).length + state.packedBytes + descriptor.length;
  const listBytes = list.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(list.length, 8);
  end.writeUInt16LE(list.length, 10);
  end.writeUInt32LE(listBytes, 12);
  end.writeUInt32LE(offset + grown, 16);
  return Buffer.concat([descriptor, ...list, end]);
}

interface Sizes {
  readonly crc: number;
  readonly packedBytes: number;
  readonly plainBytes: number;
  readonly method: number;
  readonly flags: number;
}

function sizesOf({ content }: ZipEntry): Sizes {
  const { length } = content;
  return { crc: crc32(content), packedBytes: length, plainBytes: length, method: STORED, flags: 0 };
}

const UNKNOWN: Sizes = { crc: 0, packedBytes: 0, plainBytes: 0, method: DEFLATED, flags: STREAMED };

function localHeader({ name, content }: { name: string; content?: Buffer }): Buffer {
  const sizes = content ? sizesOf({ name, content }) : UNKNOWN;
  const header = Buffer.alloc(30);
  header.writeUInt32LE(LOCAL, 0);
  writeSizes(header, 4, sizes);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name)]);
}

function centralHeader(name: string, sizes: Sizes, offset: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(CENTRAL, 0);
  header.writeUInt16LE(VERSION, 4);
  writeSizes(header, 6, sizes);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, Buffer.from(name)]);
}

function writeSizes(header: Buffer, at: number, sizes: Sizes): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(sizes.flags, at + 2);
  header.writeUInt16LE(sizes.method, at + 4);
  header.writeUInt16LE(DATE, at + 8);
  header.writeUInt32LE(sizes.crc, at + 10);
  header.writeUInt32LE(sizes.packedBytes, at + 14);
  header.writeUInt32LE(sizes.plainBytes, at + 18);
}
