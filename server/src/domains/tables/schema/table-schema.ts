import type { Partition } from "#kernel/db/partition.ts";
import type { ColumnType } from "../columns/column-type.ts";
import { columnTypeOf } from "../columns/registry.ts";
import { quoteIdentifier } from "../sql-names.ts";
import { tableSql, viewSql } from "../sql-names.ts";
import type { Column, Table } from "../table.ts";

export interface ColumnSchema extends Column {
  readonly columnType: ColumnType;
  /** As a quoted identifier. */
  readonly quoted: string;
}

/** A table with what statements about its records need, worked out once. */
export interface TableSchema extends Table {
  /** `viewSql` of it. */
  readonly view: string;
  /** `tableSql` of it. */
  readonly base: string;
  readonly partition: Partition;
  readonly columns: ColumnSchema[];
  readonly byName: ReadonlyMap<string, ColumnSchema>;
}

export function resolveTable(table: Table, partition: Partition): TableSchema {
  const columns = table.columns.map((column) => ({
    ...column,
    columnType: columnTypeOf(column),
    quoted: quoteIdentifier(column.name),
  }));
  const site = { partition, table };
  return {
    ...table,
    partition,
    view: viewSql(site),
    base: tableSql(site),
    columns,
    byName: new Map(columns.map((column) => [column.name, column])),
  };
}
