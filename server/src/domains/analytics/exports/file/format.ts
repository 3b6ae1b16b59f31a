import type { FormatState, FileChunk } from "./formats.ts";

export const INITIAL_STATE: FormatState = { rows: 0, crc: 0, plainBytes: 0, packedBytes: 0 };

/** A piece of a file that is plain text, behind those before it. */
export function textChunk(text: string, before: FormatState, rows: number): FileChunk {
  const bytes = Buffer.from(text);
  const plainBytes = before.plainBytes + bytes.length;
  return { bytes, state: { ...before, rows: before.rows + rows, plainBytes } };
}
