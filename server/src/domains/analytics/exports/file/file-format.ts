/**
 * Writes rows as a file, chunk by chunk. The state between chunks is plain JSON, so that another process can
 * continue the file after a crash.
 */
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";

export interface FileColumn {
  readonly name: string;
  /** The title in the header line; default: the name. */
  readonly title?: string | undefined;
  readonly kind: ConditionFieldKind;
}

/** The progress of a file. */
export interface FormatState {
  /** Rows so far. */
  readonly rows: number;
  /** Bytes so far; for compressed formats the uncompressed bytes, their checksum, and the compressed bytes. */
  readonly plainBytes: number;
  readonly crc: number;
  readonly packedBytes: number;
}

export interface FileChunk {
  readonly bytes: Buffer;
  readonly state: FormatState;
}

export type FileRow = Readonly<Record<string, unknown>>;

export interface FileFormat {
  readonly mediaType: string;
  readonly rowsMax: number;
  readonly begin: (columns: readonly FileColumn[]) => Promise<FileChunk>;
  readonly add: (
    state: FormatState,
    columns: readonly FileColumn[],
    rows: readonly FileRow[],
  ) => Promise<FileChunk>;
  readonly end: (state: FormatState) => Promise<FileChunk>;
}

export const INITIAL_STATE: FormatState = { rows: 0, crc: 0, plainBytes: 0, packedBytes: 0 };

/** The next chunk of a plain text file. */
export function textChunk(text: string, before: FormatState, rows: number): FileChunk {
  const bytes = Buffer.from(text);
  const plainBytes = before.plainBytes + bytes.length;
  return { bytes, state: { ...before, rows: before.rows + rows, plainBytes } };
}
