import { changeEvent, diffResource, event, type ResourceRef } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { RecordedTable, type Table } from "./table.ts";

const resource = "table";

export const TableCreated = event("table.created", {
  resource,
  summary: "A table was created.",
  data: RecordedTable,
});

export const TableUpdated = changeEvent("table.updated", {
  resource,
  summary:
    "The columns, indexes, rules or the name of a table were changed. No events are appended for its records.",
  data: RecordedTable,
});

export const TableDropped = event("table.dropped", {
  resource,
  summary: "A table and its records were deleted.",
  data: RecordedTable,
});

export const tableEvents = [TableCreated, TableUpdated, TableDropped];
export type TableEvent = (typeof tableEvents)[number];

export function tableRef({ id, name }: Table): ResourceRef {
  return { id, displayName: name };
}

export function tableEventData({ revision: _, renamedRevision: __, shape: ___, ...table }: Table) {
  return table;
}

/** A table before and after a change. */
export interface TableUpdate {
  readonly before: Table;
  readonly after: Table;
}

/** The resource and data of `table.updated`. */
export function tableUpdateData({ before, after }: TableUpdate) {
  return [tableRef(after), diffResource(tableEventData(before), tableEventData(after))] as const;
}

export interface TableChanges {
  readonly dropped: readonly Table[];
  readonly created: readonly Table[];
  readonly updated: readonly TableUpdate[];
}

/** Emits one event per table, regardless of the number of steps. */
export function emitTableChanges(ctx: WriteContext<TableEvent>, changes: TableChanges): void {
  for (const table of changes.dropped) {
    ctx.emit(TableDropped, tableRef(table), tableEventData(table));
  }
  for (const table of changes.created) {
    ctx.emit(TableCreated, tableRef(table), tableEventData(table));
  }
  for (const update of changes.updated) ctx.emit(TableUpdated, ...tableUpdateData(update));
}
