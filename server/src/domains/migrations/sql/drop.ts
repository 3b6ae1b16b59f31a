import type { DropStmt, Node } from "libpg-query";
import { recordsOf, textsOf } from "#domains/queries/index.ts";
import { defaultIndexName, type TableStep, type Table } from "#domains/tables/index.ts";
import type { TableLookup } from "./table-lookup.ts";
import { singleName, rejectSql } from "./sql-error.ts";

/** Translates `drop table` and `drop index`. */
export function translateDrop(
  { removeType, objects = [], missing_ok, concurrent }: DropStmt,
  known: TableLookup,
): TableStep[] {
  const missingOk = missing_ok ?? false;
  if (removeType !== "OBJECT_TABLE" && removeType !== "OBJECT_INDEX") {
    rejectSql("only tables and indexes can be dropped");
  }
  if (concurrent)
    rejectSql("CONCURRENTLY is not available, because a migration is one transaction");
  const names = objects.map(objectName);
  if (removeType === "OBJECT_INDEX") {
    return names.flatMap((name) => dropIndex(name, missingOk, known));
  }
  return names
    .filter((table) => !missingOk || !known.isMissing(table))
    .map((table) => ({ op: "drop_table", table }));
}

/** SQL names only the index, not its table. */
function dropIndex(name: string, missingOk: boolean, known: TableLookup): TableStep[] {
  // Its table is known only if the tables are known.
  if (!known.tables) return [];
  const steps = known.tables.flatMap(
    (table) =>
      indexStepFor(table, name, "idx") ??
      indexStepFor(table, name, "key") ??
      uniqueStepFor(table, name) ??
      [],
  );
  if (steps.length > 1) rejectSql(`several tables have an index ${name}; use the step drop_index`);
  if (steps.length === 0 && !missingOk) rejectSql(`the index ${name} does not exist`);
  return steps;
}

/**
 * The step that drops an index by name: its own, or the name that PostgreSQL gives to an unnamed index,
 * `orders_total_idx`.
 */
export function indexStepFor(
  table: Table,
  name: string,
  tail: "idx" | "key",
): TableStep | undefined {
  const { slug, indexes, columns } = table;
  const named = indexes.find((index) => index.name === name || `${slug}_${index.name}` === name);
  if (named) return { op: "drop_index", table: slug, name: named.name };
  const isUnique = tail === "key";
  const column = columns.find(
    (column) =>
      `${slug}_${column.name}_${tail}` === name && (isUnique ? column.unique : column.indexed),
  );
  return column && { op: "drop_index", table: slug, columns: [column.name], unique: isUnique };
}

/**
 * The step that drops a unique index by the name that PostgreSQL gives to an index without a constraint: its suffix
 * is that of other indexes, while the default name here has that of a constraint.
 */
function uniqueStepFor({ slug, indexes, columns }: Table, name: string): TableStep | undefined {
  const isCalled = (fields: readonly string[]) => `${[slug, ...fields].join("_")}_idx` === name;
  const index = indexes.find(
    (column) =>
      column.unique &&
      column.name === defaultIndexName(column.columns, true) &&
      isCalled(column.columns),
  );
  if (index) return { op: "drop_index", table: slug, name: index.name };
  const column = columns.find((column) => column.unique && isCalled([column.name]));
  return column && { op: "drop_index", table: slug, columns: [column.name], unique: true };
}

function objectName(object: Node): string {
  const [list] = recordsOf(object).map(({ List: inner }) => inner);
  const { items } = (list ?? {}) as { items?: unknown };
  return singleName(textsOf(items));
}
