import type { Partition } from "#kernel/db/partition.ts";
import type { ColumnType } from "./columns/column-type.ts";
import { typeOf } from "./columns/registry.ts";
import { quoted } from "./sql-names.ts";
import { tableSql, viewSql } from "./sql-names.ts";
import type { Column, Table } from "./table.ts";

export interface KnownColumn extends Column {
  readonly is: ColumnType;
  /** As a quoted identifier. */
  readonly quoted: string;
}

/** A table with what statements about its records need, worked out once. */
export interface KnownTable extends Table {
  /** `viewSql` of it. */
  readonly view: string;
  /** `tableSql` of it. */
  readonly base: string;
  readonly partition: Partition;
  readonly columns: KnownColumn[];
  readonly byName: ReadonlyMap<string, KnownColumn>;
}

export function know(table: Table, partition: Partition): KnownTable {
  const columns = table.columns.map((column) => ({
    ...column,
    is: typeOf(column),
    quoted: quoted(column.name),
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
