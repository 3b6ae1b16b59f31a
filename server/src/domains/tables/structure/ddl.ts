/**
 * Builds statements for creating and changing tables. Requests can't inject SQL: statements only contain
 * validated, quoted names, constants, and SQL from column types.
 */
import { readerOf, schemaOf } from "#kernel/db/sql-runner.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { columnTypeOf, isComputed } from "../columns/registry.ts";
import { defaultSql } from "../columns/default.ts";
import { isSearched, wordsSql } from "../columns/text.ts";
import { onDeleteOf, targetOf } from "../columns/reference.ts";
import type { DerivedNamePurpose } from "../derived-name.ts";
import { quotedColumn, quoteIdentifier } from "../sql-names.ts";
import {
  derivedNameSql,
  qualifiedName,
  versionColumn,
  type TableLocation,
  tableSql,
  viewSql,
} from "../sql-names.ts";
import { type Column, SYSTEM_COLUMNS, type Table, type TableIndex } from "../table.ts";

export interface Statement {
  readonly text: string;
  /** The affected fields, for the failure that explains an error. */
  readonly fields?: readonly string[];
  /** True for a statement that is not shown to users. */
  readonly isInternal?: true;
}

/** Formats a statement for users, without the schema of tables. */
export function toPublicSql({ text }: Statement, partition: Partition): string {
  return text.replaceAll(`${quoteIdentifier(schemaOf(partition))}.`, "");
}

/**
 * Every change of a record writes `updated_at`. If no index contains it and the page has space, PostgreSQL does a
 * HOT update: it stores the new version in the same page and changes no index, at half the cost. So no index
 * contains it, unless a table defines one.
 */
const FILL_FACTOR_PERCENT = 90;

export function createTable(partition: Partition, table: Table): Statement[] {
  const location = { partition, table };
  const relation = tableSql(location);
  const stored = table.columns.filter((column) => !isComputed(column));
  const lines = [
    `id text collate "C" default public.new_record_id()`,
    "created_at timestamptz(3) not null default now()",
    "updated_at timestamptz(3) not null default now()",
    `created_by text collate "C" not null default 'system'`,
    "revision integer not null default 1",
    ...stored.map(columnSql),
    `constraint ${derivedNameSql(location, "key", "id")} primary key (id)`,
    ...stored.flatMap((column) => constraintClauses(location, column)),
  ];
  return [
    {
      text: `create table ${relation} (\n  ${lines.join(",\n  ")}\n) with (fillfactor = ${FILL_FACTOR_PERCENT})`,
    },
    ...policyStatements(location),
    {
      text: `create index ${derivedNameSql(location, "index", "createdAt")} on ${relation} (${quotedColumn("createdAt")}, id)`,
    },
    ...stored.flatMap((column) => createIndexes(location, column)),
    ...table.indexes.map((index) => createIndex(location, index, table.columns)),
  ];
}

export function dropTable(location: TableLocation): Statement[] {
  return [{ text: `drop table ${tableSql(location)}` }];
}

export function addColumn(location: TableLocation, column: Column): Statement[] {
  if (isComputed(column)) return [];
  const clauses = [`column ${columnSql(column)}`, ...constraintClauses(location, column)];
  const all = clauses.map((clause) => `add ${clause}`).join(", ");
  return [
    { text: `alter table ${tableSql(location)} ${all}`, fields: [column.name] },
    ...createIndexes(location, column),
  ];
}

export function dropColumn(location: TableLocation, column: Column): Statement[] {
  if (isComputed(column)) return [];
  const { name } = column;
  return [{ text: `alter table ${tableSql(location)} drop column ${quoteIdentifier(name)}` }];
}

/** Renames a column, and the indexes and constraints whose names are derived from its name. */
export function renameColumn(location: TableLocation, column: Column, to: string): Statement[] {
  if (isComputed(column)) return [];
  const relation = tableSql(location);
  const derivedNames = (purpose: DerivedNamePurpose) =>
    [
      derivedNameSql(location, purpose, column.name),
      derivedNameSql(location, purpose, to),
    ] as const;
  const schema = quoteIdentifier(schemaOf(location.partition));
  const indexes = ownIndexesOf(column).map((purpose): Statement => {
    const [old, now] = derivedNames(purpose);
    return { text: `alter index ${schema}.${old} rename to ${now}`, isInternal: true };
  });
  const constraints = (["check", "reference"] as const)
    .filter((purpose) => constraintSql(location, column, purpose) !== undefined)
    .map((purpose): Statement => {
      const [old, now] = derivedNames(purpose);
      return {
        text: `alter table ${relation} rename constraint ${old} to ${now}`,
        isInternal: true,
      };
    });
  const old = {
    text: `alter table ${relation} ${dropCheck(location, column)}`,
    isInternal: true,
  } as const;
  return [
    ...(assumedConditionSql(column) === undefined ? [] : [old]),
    {
      text: `alter table ${relation} rename column ${quoteIdentifier(column.name)} to ${quoteIdentifier(to)}`,
    },
    ...indexes,
    ...constraints,
  ];
}

export function createIndex(
  location: TableLocation,
  { name, columns: fields, unique }: TableIndex,
  columns: readonly Column[],
): Statement {
  const on = `${derivedNameSql(location, "several", name)} on ${tableSql(location)}`;
  const names = fields.map(quotedColumn).join(", ");
  if (unique) return { text: `create unique index ${on} (${names})`, fields };
  const isGin = columns.some((column) => fields.includes(column.name) && hasGin(column));
  // The id comes last, because it is the last sort key of every list.
  return {
    text: `create index ${on} ${isGin ? `using gin (${names})` : `(${names}, id)`}`,
    fields,
  };
}

/** An index on the expression of a formula. */
export function createFormulaIndex(location: TableLocation, name: string, sql: string): Statement {
  const index = derivedNameSql(location, "index", name);
  return {
    text: `create index ${index} on ${tableSql(location)} ((${sql}), id)`,
    fields: [name],
  };
}

export function dropFormulaIndex(location: TableLocation, name: string): Statement {
  return { text: `drop index ${qualifiedName(location, "index", name)}` };
}

export function renameFormulaIndex(location: TableLocation, from: string, to: string): Statement {
  const old = qualifiedName(location, "index", from);
  const now = derivedNameSql(location, "index", to);
  return { text: `alter index ${old} rename to ${now}`, isInternal: true };
}

export function dropIndex(location: TableLocation, { name }: TableIndex): Statement {
  return { text: `drop index ${qualifiedName(location, "several", name)}` };
}

/** The indexes that follow from a column definition. */
export function createIndexes(
  location: TableLocation,
  column: Column,
  purposes: readonly IndexPurpose[] = ownIndexesOf(column),
): Statement[] {
  const relation = tableSql(location);
  const name = quoteIdentifier(column.name);
  const kinds: Readonly<Record<IndexPurpose, (index: string) => string>> = {
    unique: (index) => `create unique index ${index} on ${relation} (${name})`,
    index: (index) =>
      `create index ${index} on ${relation} ${hasGin(column) ? `using gin (${name})` : `(${name}, id)`}`,
    words: (index) => `create index ${index} on ${relation} using gin (${wordsSql(name)})`,
  };
  return purposes.map((purpose) => ({
    text: kinds[purpose](derivedNameSql(location, purpose, column.name)),
    fields: [column.name],
  }));
}

/** The purposes of the indexes that follow from a column definition. */
export function ownIndexesOf(column: Column): IndexPurpose[] {
  const { unique, indexed } = column;
  return [
    ...(unique ? (["unique"] as const) : []),
    ...(indexed ? (["index"] as const) : []),
    ...(isSearched(column) ? (["words"] as const) : []),
  ];
}

export type IndexPurpose = "unique" | "index" | "words";

/** Returns the check or foreign key without its name, or undefined. */
export function constraintSql(
  { partition }: TableLocation,
  column: Column,
  purpose: "check" | "reference",
): string | undefined {
  if (purpose === "check") {
    const condition = isEnforced(column) ? conditionSql(column) : undefined;
    return condition === undefined ? undefined : `check (${condition})`;
  }
  const name = quoteIdentifier(column.name);
  const target = targetOf(column);
  if (target === undefined) return undefined;
  const other = `${quoteIdentifier(schemaOf(partition))}.${quoteIdentifier(target)}`;
  return `foreign key (${name}) references ${other} (id) on delete ${ON_DELETE[onDeleteOf(column)]}`;
}

/** The condition on a column's values, whether or not a constraint enforces it. */
export function conditionSql(
  column: Column,
  name = quoteIdentifier(column.name),
): string | undefined {
  return columnTypeOf(column).constraint?.(column, name);
}

function isEnforced(column: Column): boolean {
  return columnTypeOf(column).isEnforced?.(column) ?? false;
}

/** The condition on a column's values that no constraint enforces. */
export function assumedConditionSql(column: Column, name?: string): string | undefined {
  return isEnforced(column) ? undefined : conditionSql(column, name);
}

/**
 * Drops the check of a column. Tables of an earlier release may have one where the condition is no longer a
 * constraint.
 */
export function dropCheck(location: TableLocation, { name }: Pick<Column, "name">): string {
  return `drop constraint if exists ${derivedNameSql(location, "check", name)}`;
}

const ON_DELETE = { restrict: "restrict", set_null: "set null", cascade: "cascade" } as const;

function columnSql(column: Column): string {
  const defaultValue = defaultSql(column);
  return [
    quoteIdentifier(column.name),
    columnTypeOf(column).sqlType(column),
    ...(column.required ? ["not null"] : []),
    ...(defaultValue === undefined ? [] : [`default ${defaultValue}`]),
  ].join(" ");
}

function constraintClauses(location: TableLocation, column: Column): string[] {
  return (["check", "reference"] as const).flatMap((purpose) => {
    const sql = constraintSql(location, column, purpose);
    return sql === undefined
      ? []
      : [`constraint ${derivedNameSql(location, purpose, column.name)} ${sql}`];
  });
}

function hasGin(column: Column): boolean {
  return columnTypeOf(column).index === "gin";
}

/**
 * The view that the application reads and writes instead of the table. Like the policy on the table it
 * has rows only while the session is in the table's partition, and takes none otherwise. But under a
 * policy PostgreSQL uses no index for operators that might leak hidden rows, such as those of numbers,
 * lists and JSON. The view's condition is evaluated once for each statement.
 */
export function createView(partition: Partition, table: Table): Statement {
  const location = { partition, table };
  const names = [...SYSTEM_COLUMNS.map(([, name]) => name), "revision"];
  const stored = table.columns.filter((column) => !isComputed(column));
  const ownColumns = stored.map(({ name }) => quoteIdentifier(name));
  const all = [...names, ...ownColumns, `true as ${versionColumn(table)}`].join(", ");
  return {
    text:
      `create view ${viewSql(location)} as select ${all} from ${tableSql(location)} ` +
      `where ${inPartitionSql(location)} with local check option`,
    isInternal: true,
  };
}

export function dropView(location: TableLocation): Statement {
  return { text: `drop view ${viewSql(location)}`, isInternal: true };
}

/** Row level security: the application sees rows while it is in the partition, and the reader role always. */
function policyStatements(location: TableLocation): Statement[] {
  const relation = tableSql(location);
  return [
    `alter table ${relation} enable row level security`,
    // In this form it is evaluated once, and the planner does not estimate that few rows meet it.
    `create policy tenant on ${relation} to millrace_app ` +
      `using ((select case when ${inPartitionSql(location)} then true end) is not null)`,
    `create policy reading on ${relation} for select to ${quoteIdentifier(readerOf(location.partition))} using (true)`,
  ].map((text) => ({ text, isInternal: true as const }));
}

function inPartitionSql({ partition: { workspace, environment } }: TableLocation): string {
  if (!/^[0-9a-f-]{36}$/.test(workspace)) throw new Error("A workspace's key is a uuid.");
  return (
    `current_setting('millrace.workspace') = '${workspace}' ` +
    `and current_setting('millrace.environment') = '${environment}'`
  );
}
