import type { Operation } from "#kernel/operation.ts";
import { exportRecords } from "./csv/exporting.ts";
import { importRecords } from "./csv/import-operation.ts";
import { getRecord, listHistory, listRecords } from "./reading/operations.ts";
import { writeOperations } from "./writing/operations.ts";

export const recordOperations: readonly Operation[] = [
  listRecords,
  getRecord,
  listHistory,
  ...writeOperations,
  exportRecords,
  importRecords,
];
