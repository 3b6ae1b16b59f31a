import type { DropStmt, Node } from "libpg-query";
import { recordsOf, textsOf } from "#domains/queries/guard/findings.ts";
import { indexNameOf } from "#domains/tables/structure/index-steps.ts";
import type { Step } from "#domains/tables/structure/step.ts";
import type { Table } from "#domains/tables/table.ts";
import type { TableLookup } from "./table-lookup.ts";
import { singleName, rejectSql } from "./sql-error.ts";

/** `drop table` and `drop index`. */
export function dropFrom(
  { removeType, objects = [], missing_ok, concurrent }: DropStmt,
  known: TableLookup,
): Step[] {
  const missingOk = missing_ok ?? false;
  if (removeType !== "OBJECT_TABLE" && removeType !== "OBJECT_INDEX") {
    rejectSql("only tables and indexes can be dropped");
  }
  if (concurrent) rejectSql("CONCURRENTLY is not for a migration, which is one transaction");
  const names = objects.map(nameIn);
  if (removeType === "OBJECT_INDEX") {
    return names.flatMap((name) => dropIndex(name, missingOk, known));
  }
  return names
    .filter((table) => !missingOk || !known.lacks(table))
    .map((table) => ({ op: "drop_table", table }));
}

/** SQL tells the index alone. */
function dropIndex(name: string, missingOk: boolean, known: TableLookup): Step[] {
  // Which table it is of is found out where there are some.
  if (!known.tables) return [];
  const steps = known.tables.flatMap(
    (table) =>
      indexStepFor(table, name, "idx") ??
      indexStepFor(table, name, "key") ??
      uniqueStepFor(table, name) ??
      [],
  );
  if (steps.length > 1) rejectSql(`several tables have an index ${name}; take the step drop_index`);
  if (steps.length === 0 && !missingOk) rejectSql(`there is no index ${name}`);
  return steps;
}

/**
 * The step that drops the index of a table that is called so: by the name that it was given, or by the
 * one that PostgreSQL gives, `orders_total_idx`, to an index of a column that was given none.
 */
export function indexStepFor(table: Table, name: string, tail: "idx" | "key"): Step | undefined {
  const { slug, indexes, columns } = table;
  const given = indexes.find((index) => index.name === name || `${slug}_${index.name}` === name);
  if (given) return { op: "drop_index", table: slug, name: given.name };
  const isUnique = tail === "key";
  const column = columns.find(
    (one) => `${slug}_${one.name}_${tail}` === name && (isUnique ? one.unique : one.indexed),
  );
  return column && { op: "drop_index", table: slug, columns: [column.name], unique: isUnique };
}

/**
 * The same by the name that PostgreSQL gives to a unique index which no constraint has made: that ends as
 * any other index's does, and ours as a constraint's.
 */
function uniqueStepFor({ slug, indexes, columns }: Table, name: string): Step | undefined {
  const isCalled = (fields: readonly string[]) => `${[slug, ...fields].join("_")}_idx` === name;
  const index = indexes.find(
    (one) => one.unique && one.name === indexNameOf(one.columns, true) && isCalled(one.columns),
  );
  if (index) return { op: "drop_index", table: slug, name: index.name };
  const column = columns.find((one) => one.unique && isCalled([one.name]));
  return column && { op: "drop_index", table: slug, columns: [column.name], unique: true };
}

function nameIn(object: Node): string {
  const [list] = recordsOf(object).map(({ List: inner }) => inner);
  const { items } = (list ?? {}) as { items?: unknown };
  return singleName(textsOf(items));
}
