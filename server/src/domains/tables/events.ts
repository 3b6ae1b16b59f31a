import { changeEvent, diffResource, event, type ResourceRef } from "#kernel/log/event.ts";
import { Table } from "./table.ts";

const resource = "table";

export const TableCreated = event("table.created", {
  resource,
  summary: "A table was made.",
  data: Table,
});

export const TableUpdated = changeEvent("table.updated", {
  resource,
  summary:
    "A table was changed: its columns, indexes, rules or name. Records have no events of it.",
  data: Table,
});

export const TableDropped = event("table.dropped", {
  resource,
  summary: "A table was dropped, and its records with it.",
  data: Table,
});

export const tableEvents = [TableCreated, TableUpdated, TableDropped];

/** How events name a table. */
export function tableRef({ id, name }: Table): ResourceRef {
  return { id, displayName: name };
}

/** A table as events tell it. */
export function tableEventData({ revision: _, renamedRevision: __, shape: ___, ...table }: Table) {
  return table;
}

/** What `table.updated` says. */
export function tableChangeData({
  before,
  after,
}: {
  readonly before: Table;
  readonly after: Table;
}) {
  return [tableRef(after), diffResource(tableEventData(before), tableEventData(after))] as const;
}
