import { ExecutorPoint } from "#domains/runs/index.ts";
import { NodeTypePoint, ReferenceCheckPoint } from "#domains/workflows/index.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { checkRecordNodes } from "./check-references.ts";
import { exportRecords } from "./csv/export-records.ts";
import { importRecords } from "./csv/import-operation.ts";
import { recordVisibility } from "./event-visibility.ts";
import { recordEvents } from "./events.ts";
import * as permissions from "./permissions.ts";
import { getRecord, listHistory, listRecords } from "./read/operations.ts";
import { summarizeRecords } from "./read/summary.ts";
import { recordsExecutor } from "./record-step.ts";
import { recordsSource } from "./report-source.ts";
import { viewOperations } from "./views/operations.ts";
import { tableViews, TableViewsOwn } from "./views/view.ts";
import { editRecords } from "./write/edit-records.ts";
import { writeOperations } from "./write/operations.ts";

export const records = domain({
  name: "records",
  summary: "The records of tables.",
  tag: "tables",
  permissions: [...Object.values(permissions), TableViewsOwn],
  events: [...recordEvents, ...Object.values(tableViews.events)],
  operations: [
    listRecords,
    getRecord,
    listHistory,
    summarizeRecords,
    ...writeOperations,
    editRecords,
    exportRecords,
    importRecords,
    ...viewOperations,
  ],
  contributions: [
    contribute(ExecutorPoint, recordsExecutor),
    contribute(ReferenceCheckPoint, checkRecordNodes),
    contribute(NodeTypePoint, recordsExecutor.type),
    contribute(EventVisibilityPoint, recordVisibility),
    contribute(ReportSourcePoint, recordsSource),
  ],
});
