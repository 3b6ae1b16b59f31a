import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import { parseColumns } from "../columns/parse-fields.ts";
import { linkTargetOf, targetOf, USERS } from "../columns/reference.ts";
import { SlugTaken, type Table, type TableIndex } from "../table.ts";
import { addInverse, dropColumn } from "./column-steps.ts";
import * as ddl from "./ddl.ts";
import { TableReferenced } from "./failures.ts";
import { parseIndex } from "./index-steps.ts";
import {
  checkTarget,
  type PlannedChange,
  type PlanContext,
  rejectStep,
  rejectSteps,
  tableLocation,
  tableIn,
} from "./plan-context.ts";
import type { NewIndex, TableStepOf } from "./step.ts";

export function createTable(
  context: PlanContext,
  step: TableStepOf<"create_table">,
): PlannedChange {
  const { table: slug, name = slug, description = "", rules = [] } = step;
  if (isReservedSlug(slug)) rejectStep("/table", "is reserved");
  if (context.tables.has(slug)) throw new Failure(SlugTaken);
  const normalized = foldOwnIndexes(step);
  const { columns, errors } = parseColumns(normalized.columns, { path: "/columns" });
  rejectSteps(errors);
  for (const [index, column] of columns.entries()) {
    checkTarget(context, column, { path: `/columns/${index}`, self: slug });
  }
  const table: Table = {
    ...context.newTable(),
    slug,
    name,
    description,
    columns: [...columns],
    indexes: [],
    rules,
  };
  table.indexes = parseIndexes(normalized.indexes, table);
  context.tables.set(slug, table);
  for (const [index, column] of columns.entries()) {
    addInverse(context, { slug, column, path: `/columns/${index}` });
  }
  return {
    statements: ddl.createTable(context.partition, table),
    inverse: [{ op: "drop_table", table: slug }],
  };
}

/** Changes only the definition of a table, not the structure of the database. */
export function alterTable(context: PlanContext, step: TableStepOf<"alter_table">): PlannedChange {
  const { op: _, table: slug, ...change } = step;
  const table = tableIn(context, slug);
  context.tables.set(slug, { ...table, ...change });
  const { name, description, rules } = table;
  const before = { name, description, rules };
  return {
    statements: [],
    inverse: [
      {
        op: "alter_table",
        table: slug,
        ...Object.fromEntries(Object.entries(before).filter(([key]) => key in change)),
      },
    ],
  };
}

/**
 * Drops a table that only later-dropped tables refer to. Those lose their references first, so that the inverse
 * works in any order, including cycles.
 */
export function dropTable(
  context: PlanContext,
  step: TableStepOf<"drop_table">,
  droppedLater: ReadonlySet<string>,
): PlannedChange {
  const table = tableIn(context, step.table);
  const references = [...context.tables.values()].flatMap(({ slug, columns }) =>
    slug === table.slug
      ? []
      : columns
          .filter((column) => (targetOf(column) ?? linkTargetOf(column)) === table.slug)
          .map((column) => ({ table: slug, column: column.name })),
  );
  const blocking = references.filter(({ table: slug }) => !droppedLater.has(slug));
  if (blocking.length > 0) {
    const names = blocking.map(({ table: slug, column }) => `${slug}.${column}`);
    throw new Failure(TableReferenced, {
      detail: `The table ${table.slug} is referred to by ${names.join(", ")}.`,
    });
  }
  const cutReferences = references.map((item) =>
    dropColumn(context, { op: "drop_column", ...item }),
  );
  context.tables.delete(table.slug);
  const { slug, name, description, columns, indexes, rules } = table;
  return {
    statements: [
      ...cutReferences.flatMap(({ statements }) => statements),
      ...ddl.dropTable(tableLocation(context, table)),
    ],
    inverse: [
      { op: "create_table", table: slug, name, description, columns, indexes, rules },
      ...cutReferences.toReversed().flatMap(({ inverse }) => inverse),
    ],
  };
}

/** Moves unnamed indexes of one column into their columns; the others keep their positions. */
export function foldOwnIndexes({ columns, indexes = [] }: TableStepOf<"create_table">) {
  const indexesByPosition = new Map<number, NewIndex>();
  const flags = new Map<string, { unique?: boolean; indexed?: boolean }>();
  for (const [position, index] of indexes.entries()) {
    const [only = "", ...others] = index.columns;
    const isOwn = others.length === 0 && columns.some(({ name }) => name === only);
    if (!isOwn || index.name !== undefined) indexesByPosition.set(position, index);
    else flags.set(only, { ...flags.get(only), [index.unique ? "unique" : "indexed"]: true });
  }
  return {
    columns: columns.map((column) => ({ ...column, ...flags.get(column.name) })),
    indexes: indexesByPosition,
  };
}

/** Parses each index against the table with those before it. */
function parseIndexes(normalized: ReadonlyMap<number, NewIndex>, table: Table): TableIndex[] {
  const errors: FieldError[] = [];
  const indexes: TableIndex[] = [];
  for (const [position, item] of normalized) {
    const parsed = parseIndex(item, { columns: table.columns, indexes });
    indexes.push(parsed.index);
    for (const { path, message } of parsed.errors) {
      errors.push({ path: `/indexes/${position}${path}`, message });
    }
  }
  rejectSteps(errors);
  return indexes;
}

/** Users in references, and words of routes below a table's. */
const RESERVED_SLUGS = new Set([USERS, "bulk", "import", "export"]);

function isReservedSlug(slug: string): boolean {
  // PostgreSQL's own names begin with `pg_`, and it calls a sequence after its column, with `_seq` at the end.
  return slug.startsWith("pg_") || /_seq\d*$/.test(slug) || RESERVED_SLUGS.has(slug);
}
