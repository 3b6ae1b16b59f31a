/** The encoding of a text file: by its byte order mark, else by whether all of it is UTF-8. */
import { splitBytes } from "./source-row.ts";

export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];

const HEAD_BYTES = 4_096;

/**
 * Detects an encoding. A file that is not UTF-8 from its first to its last byte is taken for Windows-1252, of which
 * Latin-1 is a part: every sequence of bytes is one.
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

/** The encoding that the first bytes tell: by their mark, or by the zeros between Latin letters. */
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

/** Decodes a file, part by part; a byte order mark is no part of the text. */
export async function* decodeText(
  content: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of splitBytes(content)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
