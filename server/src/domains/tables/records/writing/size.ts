import type { Fault } from "#kernel/operation/failure.ts";
import type { TableRecord } from "#domains/records/table-record.ts";

/** Every list, event and export holds whole records, so none may grow without end. */
export const RECORD_CHARACTERS_MAX = 1_048_576;

/** How much there is in a record, in characters: near enough, and quickly found. */
export function storedSize(record: TableRecord): number {
  let size = 0;
  for (const name in record) {
    const value = record[name];
    if (typeof value === "string") size += value.length;
    else if (typeof value === "object" && value !== null) size += JSON.stringify(value).length;
    else size += 1;
  }
  return size;
}

export function faultsOfSize(size: number, path: string): Fault[] {
  if (size <= RECORD_CHARACTERS_MAX) return [];
  const message = `must hold at most ${RECORD_CHARACTERS_MAX} characters in all its fields together`;
  return [{ path, message }];
}
