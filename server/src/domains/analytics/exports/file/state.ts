import type { FormState, Piece } from "./form.ts";

export const BEGINNING: FormState = { rows: 0, crc: 0, plainBytes: 0, packedBytes: 0 };

/** A piece of a file that is plain text. */
export function textPiece(text: string, rows: number): Piece {
  return { bytes: Buffer.from(text), state: { ...BEGINNING, rows } };
}
