import type { Operation } from "#kernel/contract.ts";
import { exportRecords } from "./csv/export-records.ts";
import { importRecords } from "./csv/import-operation.ts";
import { getRecord, listHistory, listRecords } from "./read/operations.ts";
import { writeOperations } from "./write/operations.ts";

export const recordOperations: readonly Operation[] = [
  listRecords,
  getRecord,
  listHistory,
  ...writeOperations,
  exportRecords,
  importRecords,
];
