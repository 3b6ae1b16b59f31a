import type { FormState, Piece } from "./formats.ts";

export const BEGINNING: FormState = { rows: 0, crc: 0, plainBytes: 0, packedBytes: 0 };

/** A piece of a file that is plain text, behind those before it. */
export function textPiece(text: string, before: FormState, rows: number): Piece {
  const bytes = Buffer.from(text);
  const plainBytes = before.plainBytes + bytes.length;
  return { bytes, state: { ...before, rows: before.rows + rows, plainBytes } };
}
