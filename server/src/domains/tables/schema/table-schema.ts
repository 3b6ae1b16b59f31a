import type { Partition } from "#kernel/db/partition.ts";
import { asStored, type ColumnSchema } from "../columns/column-type.ts";
import { linkTargetOf, onDeleteOf, refersToUsers, targetOf } from "../columns/reference.ts";
import { columnTypeOf } from "../columns/registry.ts";
import { quoteIdentifier, tableSql, versionColumn, viewSql } from "../sql-names.ts";
import type { Table } from "../table.ts";

/** A table with everything that statements about its records need, resolved once. */
export interface TableSchema extends Table {
  readonly partition: Partition;
  /** The quoted view that the application reads and writes through. */
  readonly view: string;
  /** The table itself, quoted; for its owner and its reader. */
  readonly base: string;
  /** The quoted column of the view that makes PostgreSQL reject statements of an older schema. */
  readonly versionColumn: string;
  /** The columns that are stored. */
  readonly columns: ColumnSchema[];
  /** The stored columns whose API form differs from that of the driver. */
  readonly converted: readonly ColumnSchema[];
  /** The stored columns by name. */
  readonly byName: ReadonlyMap<string, ColumnSchema>;
  /** The computed columns by name. */
  readonly computed: ReadonlyMap<string, ColumnSchema>;
  /** The names of all columns in order. */
  readonly columnNames: readonly string[];
}

export function resolveTable(table: Table, partition: Partition): TableSchema {
  const all = table.columns.map((column) => ({
    ...column,
    columnType: columnTypeOf(column),
    quoted: quoteIdentifier(column.name),
    target: targetOf(column),
    linkTarget: linkTargetOf(column),
    refersToUsers: refersToUsers(column),
    onDelete: onDeleteOf(column),
  }));
  const columns = all.filter(({ columnType }) => !columnType.computed);
  const computed = all.filter(({ columnType }) => columnType.computed);
  const location = { partition, table };
  return {
    ...table,
    partition,
    view: viewSql(location),
    base: tableSql(location),
    versionColumn: versionColumn(table),
    columns,
    converted: columns.filter(({ columnType }) => columnType.show !== asStored),
    byName: indexByName(columns),
    computed: indexByName(computed),
    columnNames: all.map(({ name }) => name),
  };
}

function indexByName(columns: readonly ColumnSchema[]): ReadonlyMap<string, ColumnSchema> {
  return new Map(columns.map((column) => [column.name, column]));
}
