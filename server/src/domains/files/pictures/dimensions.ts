/** The size of an image in pixels, read from its header without decoding. Undefined if unknown. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

type HeaderReader = (head: Buffer) => Dimensions | undefined;

const READERS: Readonly<Record<string, HeaderReader>> = {
  "image/png": (head) => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) }),
  "image/apng": (head) => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) }),
  "image/gif": (head) => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }),
  "image/jpeg": readJpeg,
  "image/webp": readWebp,
};

/** Reads the dimensions from the start of a file of this type. */
export function readDimensions(mediaType: string, head: Uint8Array): Dimensions | undefined {
  const reader = Object.hasOwn(READERS, mediaType) ? READERS[mediaType] : undefined;
  if (!reader) return undefined;
  try {
    const found = reader(Buffer.from(head.buffer, head.byteOffset, head.byteLength));
    const isSize = found && found.width > 0 && found.height > 0;
    return isSize && Math.max(found.width, found.height) < 2 ** 31 ? found : undefined;
  } catch {
    // The data ends inside the header.
    return undefined;
  }
}

/** The segments SOF0 to SOF15 contain the size, except these three. */
const NO_FRAME = new Set([0xc4, 0xc8, 0xcc]);

function readJpeg(head: Buffer): Dimensions | undefined {
  for (let at = 2; at < head.length; at += 2 + head.readUInt16BE(at + 2)) {
    if (head[at] !== 0xff) return undefined;
    const marker = head.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.has(marker)) {
      return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    }
  }
  return undefined;
}

function readWebp(head: Buffer): Dimensions | undefined {
  const kind = head.toString("latin1", 12, 16);
  if (kind === "VP8X")
    return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) };
  if (kind === "VP8 ") {
    return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  }
  if (kind !== "VP8L") return undefined;
  const bits = head.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}
