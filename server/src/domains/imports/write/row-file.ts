/** The rows of an import as lines of JSON, readable from any position. */
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { openPartitionFile } from "#domains/files/index.ts";
import type { Cell, SourceRow } from "../source/source-row.ts";

export interface RowBatch {
  readonly rows: readonly SourceRow[];
  /** The start of the next batch. Null after the last. */
  readonly next: number | null;
}

/** The maximum number of rows, records and events in memory. The heap grows to a multiple of them. */
const BATCH_ROWS = 1_000;
const BATCH_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** Reads rows from a position, fewer if they are long. */
export async function readRowBatch(
  platform: Platform,
  partition: Partition,
  { fileId, position }: { readonly fileId: string; readonly position: number },
): Promise<RowBatch> {
  const { file, read } = await openPartitionFile(platform, partition, fileId);
  const rows: SourceRow[] = [];
  let at = position;
  let rest: Uint8Array = Buffer.alloc(0);
  if (position >= file.size) return { rows, next: null };
  for await (const chunk of read({ from: position, to: file.size })) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      const [line, cells] = JSON.parse(bytes.toString("utf8", start, end)) as [number, Cell[]];
      rows.push({ line, cells });
      at += end + 1 - start;
      start = end + 1;
      if (rows.length >= BATCH_ROWS || at - position > BATCH_BYTES)
        return { rows, next: at < file.size ? at : null };
    }
    rest = bytes.subarray(start);
  }
  return { rows, next: null };
}
