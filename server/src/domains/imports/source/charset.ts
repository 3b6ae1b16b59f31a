/** Detects the encoding of a text file: by its byte order mark, or by UTF-8 validity. */
import { splitBytes } from "./source-row.ts";

export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];

const HEAD_BYTES = 4_096;

/**
 * Detects an encoding. A file that is not completely valid UTF-8 is read as Windows-1252, a superset of Latin-1 in
 * which every byte sequence is valid.
 */
export async function detectEncoding(content: AsyncIterable<Uint8Array>): Promise<Encoding> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  for await (const chunk of splitBytes(content)) {
    if (isFirst) {
      const marked = encodingOfHead(chunk);
      if (marked) return marked;
      isFirst = false;
    }
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      return "windows-1252";
    }
  }
  try {
    decoder.decode();
  } catch {
    return "windows-1252";
  }
  return "utf-8";
}

/** The encoding shown by the first bytes: by a byte order mark, or by zero bytes between Latin letters. */
function encodingOfHead(bytes: Uint8Array): Encoding | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const head = bytes.subarray(0, HEAD_BYTES);
  const zeros = [0, 0];
  for (const [index, byte] of head.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > head.length / 4 && even === 0) return "utf-16le";
  return even > head.length / 4 && odd === 0 ? "utf-16be" : undefined;
}

/** Decodes a file as a stream, without the byte order mark. */
export async function* decodeText(
  content: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of splitBytes(content)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
