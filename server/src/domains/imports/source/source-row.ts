/** Rows of a file in any format: cells in column order. */
import { failure } from "#kernel/operation/failure.ts";

/** A number or boolean if the format has such types, otherwise the unchanged text. */
export type Cell = string | number | boolean | null;

export interface SourceRow {
  /** The line, row or item in the file, starting at 1. */
  readonly line: number;
  readonly cells: readonly Cell[];
}

/** The rows of a file in batches of limited size. */
export type RowBatches = AsyncIterable<readonly SourceRow[]>;

export const LINES_MAX = 2_000_000;
export const CELLS_MAX = 500;
export const ROW_CHARACTERS_MAX = 1_048_576;

export const UnreadableFile = failure("file_unreadable", 422, "The file can't be read as a table.");

/** A file that can't be read. The message is for the user who uploaded it. */
export class SourceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SourceError";
  }
}

/** A copy of a text: a substring would keep the whole original text in memory. */
export function detachText(text: string): string {
  return Buffer.from(text).toString();
}

/** Splits bytes into parts that are processed in one event loop turn each. */
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
