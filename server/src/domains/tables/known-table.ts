import { schemaOf } from "#kernel/db/sql-runner.ts";
import type { Partition } from "#kernel/db/partition.ts";
import type { ColumnType } from "./columns/column-type.ts";
import { typeOf } from "./columns/all.ts";
import { quoted } from "./identifier.ts";
import { derivedName } from "./structure/index-name.ts";
import type { Column, Table } from "./table.ts";

export interface KnownColumn extends Column {
  readonly is: ColumnType;
  /** As a quoted identifier. */
  readonly quoted: string;
}

/** A table with what statements about its records need, worked out once. */
export interface KnownTable extends Table {
  /** The view through which the application reads and writes it, quoted: see `createView`. */
  readonly place: string;
  /** The table itself, for who is its owner or its reader. */
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
  const schema = quoted(schemaOf(partition));
  return {
    ...table,
    partition,
    place: `${schema}.${quoted(derivedName(table.id, "view", ""))}`,
    base: `${schema}.${quoted(table.slug)}`,
    columns,
    byName: new Map(columns.map((column) => [column.name, column])),
  };
}
