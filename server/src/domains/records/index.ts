import { ExecutorPoint } from "#domains/runs/index.ts";
import { ColumnFollowerPoint } from "#domains/tables/index.ts";
import { viewFollower } from "./views/renamed-column.ts";
import { NodeTypePoint, ReferenceCheckPoint } from "#domains/workflows/index.ts";
import { FileOwnerPoint } from "#kernel/contributions/file-owner.ts";
import { SearchSourcePoint } from "#kernel/contributions/search-source.ts";
import { ReportSourcePoint } from "#kernel/contributions/report-source.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { checkRecordNodes } from "./check-references.ts";
import { commentEvents } from "./comments/comment.ts";
import { commentOperations } from "./comments/operations.ts";
import { exportRecords } from "./csv/export-records.ts";
import { importRecords } from "./csv/import-operation.ts";
import { recordFileOwner } from "./files/record-files.ts";
import { recordVisibility } from "./event-visibility.ts";
import { recordEvents } from "./events.ts";
import * as permissions from "./permissions.ts";
import { getRecord, listHistory, listRecords } from "./read/operations.ts";
import { previewRecords } from "./read/preview.ts";
import { getRecordAccess } from "./read/record-holders.ts";
import { recordSearch } from "./read/search-source.ts";
import { summarizeRecords } from "./read/summary.ts";
import { recordsExecutor } from "./record-step.ts";
import { recordsSource } from "./report-source.ts";
import { cellHistory } from "./restore/cell-history.ts";
import { recordInverse } from "./restore/record-inverse.ts";
import { restoreRecord } from "./restore/restore-record.ts";
import { formOperations } from "./forms/operations.ts";
import { viewVisibility } from "./views/hidden-filters.ts";
import { viewOperations } from "./views/operations.ts";
import { tableViews, TableViewsOwn } from "./views/view.ts";
import { findSimilar } from "./vectors/find-similar.ts";
import { copyVectorsJob, findUncopied } from "./vectors/vector-copies.ts";
import { embedRecords, markVectors, vectorFollower, vectorReader } from "./vectors/vector-job.ts";
import { applyRecordChanges } from "./write/apply-changes.ts";
import { editRecords } from "./write/edit-records.ts";
import { listRecordIds } from "./read/list-ids.ts";
import { writeOperations } from "./write/operations.ts";

export const records = domain({
  name: "records",
  summary: "The records of tables.",
  tag: "tables",
  permissions: [...Object.values(permissions), TableViewsOwn],
  events: [...recordEvents, ...commentEvents, ...Object.values(tableViews.events)],
  operations: [
    listRecords,
    listRecordIds,
    getRecord,
    listHistory,
    cellHistory,
    restoreRecord,
    ...commentOperations,
    summarizeRecords,
    previewRecords,
    getRecordAccess,
    findSimilar,
    ...writeOperations,
    editRecords,
    applyRecordChanges,
    exportRecords,
    importRecords,
    ...viewOperations,
    ...formOperations,
  ],
  readers: [vectorReader],
  jobs: [embedRecords, markVectors, copyVectorsJob, findUncopied],
  contributions: [
    contribute(ExecutorPoint, recordsExecutor),
    contribute(ReferenceCheckPoint, checkRecordNodes),
    contribute(NodeTypePoint, recordsExecutor.type),
    contribute(EventVisibilityPoint, recordVisibility),
    contribute(ReportSourcePoint, recordsSource),
    contribute(SearchSourcePoint, recordSearch),
    contribute(FileOwnerPoint, recordFileOwner),
    contribute(InversePoint, recordInverse),
    contribute(ColumnFollowerPoint, viewFollower, vectorFollower),
    contribute(EventVisibilityPoint, viewVisibility),
  ],
});

// Lines of files as records, and back, for imports.
export { revertRecords } from "./lines/revert-records.ts";
export {
  type InvalidLine,
  type RecordLine,
  writeLines,
  type WrittenLines,
} from "./lines/write-lines.ts";
export { fieldsOfHeader, formatHeader } from "./csv/header.ts";
export { rollBackAfter } from "./csv/import-records.ts";
export { RecordCreated, RecordDeleted, RecordUpdated } from "./events.ts";
export { RecordsRead, RecordsWrite } from "./permissions.ts";
export { changesBetween, type RecordInput, type TableRecord } from "./record.ts";
export { findKeyColumn } from "./write/upsert-records.ts";
