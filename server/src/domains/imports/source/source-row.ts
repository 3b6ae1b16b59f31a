/** Rows of a file, whatever its format: cells in the order of its columns. */
import { failure } from "#kernel/operation/failure.ts";

/** A number or a truth value where the format itself says so; else the text as it stands there. */
export type Cell = string | number | boolean | null;

export interface SourceRow {
  /** The line, row or item of the file, from 1. */
  readonly line: number;
  readonly cells: readonly Cell[];
}

/** The rows of a file, a bounded number at a time. */
export type RowBatches = AsyncIterable<readonly SourceRow[]>;

export const LINES_MAX = 2_000_000;
export const CELLS_MAX = 500;
export const ROW_CHARACTERS_MAX = 1_048_576;

export const UnreadableFile = failure("file_unreadable", 422, "The file can't be read as a table.");

/** A file that can't be read; the message is for the person who sent it. */
export class SourceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SourceError";
  }
}

/** A text of its own: one that was cut out of a longer text keeps all of that in memory. */
export function detachText(text: string): string {
  return Buffer.from(text).toString();
}

/** Bytes in parts that are worked on in one turn of the event loop. */
export async function* splitBytes(
  content: AsyncIterable<Uint8Array>,
  bytesMax = 65_536,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    for (let start = 0; start < chunk.length; start += bytesMax) {
      yield chunk.subarray(start, start + bytesMax);
    }
  }
}
