import { changeEvent, diffResource, event, type ResourceRef } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { RecordedTable, type Table } from "./table.ts";

const resource = "table";

export const TableCreated = event("table.created", {
  resource,
  summary: "A table was made.",
  data: RecordedTable,
});

export const TableUpdated = changeEvent("table.updated", {
  resource,
  summary:
    "A table was changed: its columns, indexes, rules or name. Records have no events of it.",
  data: RecordedTable,
});

export const TableDropped = event("table.dropped", {
  resource,
  summary: "A table was dropped, and its records with it.",
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

/** The tables that steps dropped, created and updated. */
export interface TableChanges {
  readonly dropped: readonly Table[];
  readonly created: readonly Table[];
  readonly updated: readonly TableUpdate[];
}

/** Emits one event for each table, however many steps changed it. */
export function emitTableChanges(ctx: WriteContext<TableEvent>, changes: TableChanges): void {
  for (const table of changes.dropped) {
    ctx.emit(TableDropped, tableRef(table), tableEventData(table));
  }
  for (const table of changes.created) {
    ctx.emit(TableCreated, tableRef(table), tableEventData(table));
  }
  for (const update of changes.updated) ctx.emit(TableUpdated, ...tableUpdateData(update));
}
