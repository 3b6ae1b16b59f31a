import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import { parseColumns } from "../columns/parse-fields.ts";
import { targetOf } from "../columns/reference.ts";
import { SlugTaken, type Table, type TableIndex } from "../table.ts";
import { dropColumn } from "./column-steps.ts";
import * as ddl from "./ddl.ts";
import { TableReferenced } from "./failures.ts";
import { readIndex } from "./index-steps.ts";
import {
  checkTarget,
  type PlannedChange,
  type PlanContext,
  rejectStep,
  rejectSteps,
  tableLocation,
  tableIn,
} from "./plan-context.ts";
import { faultOfSlug } from "./slug.ts";
import type { NewIndex, StepOf } from "./step.ts";

export function createTable(planning: PlanContext, step: StepOf<"create_table">): PlannedChange {
  const { table: slug, name = slug, description = "", rules = [] } = step;
  const fault = faultOfSlug(slug);
  if (fault !== undefined) rejectStep("/table", fault);
  if (planning.tables.has(slug)) throw new Failure(SlugTaken);
  const given = withOwnIndexes(step);
  const { columns, faults } = parseColumns(given.columns, { path: "/columns" });
  rejectSteps(faults);
  for (const [index, column] of columns.entries()) {
    checkTarget(planning, column, { path: `/columns/${index}`, self: slug });
  }
  const table: Table = {
    ...planning.blank(),
    slug,
    name,
    description,
    columns: [...columns],
    indexes: [],
    rules,
  };
  table.indexes = readIndexes(given.indexes, table);
  planning.tables.set(slug, table);
  return {
    statements: ddl.createTable(planning.partition, table),
    inverse: [{ op: "drop_table", table: slug }],
  };
}

/** What only we know of a table; nothing of it is in the database's own structure. */
export function alterTable(planning: PlanContext, step: StepOf<"alter_table">): PlannedChange {
  const { op: _, table: slug, ...change } = step;
  const table = tableIn(planning, slug);
  planning.tables.set(slug, { ...table, ...change });
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
 * Drops a table that no other refers to, or only such as are dropped later. Those lose their
 * references first, so that the way back works in any order, and in circles too.
 */
export function dropTable(
  planning: PlanContext,
  step: StepOf<"drop_table">,
  droppedLater: ReadonlySet<string>,
): PlannedChange {
  const table = tableIn(planning, step.table);
  const references = [...planning.tables.values()].flatMap(({ slug, columns }) =>
    slug === table.slug
      ? []
      : columns
          .filter((column) => targetOf(column) === table.slug)
          .map((column) => ({ table: slug, column: column.name })),
  );
  const holding = references.filter(({ table: slug }) => !droppedLater.has(slug));
  if (holding.length > 0) {
    const names = holding.map(({ table: slug, column }) => `${slug}.${column}`);
    throw new Failure(TableReferenced, {
      detail: `The table ${table.slug} is referred to by ${names.join(", ")}.`,
    });
  }
  const cuts = references.map((one) => dropColumn(planning, { op: "drop_column", ...one }));
  planning.tables.delete(table.slug);
  const { slug, name, description, columns, indexes, rules } = table;
  return {
    statements: [
      ...cuts.flatMap(({ statements }) => statements),
      ...ddl.dropTable(tableLocation(planning, table)),
    ],
    inverse: [
      { op: "create_table", table: slug, name, description, columns, indexes, rules },
      ...cuts.toReversed().flatMap(({ inverse }) => inverse),
    ],
  };
}

/** An index of one column without a name is that column's own; the others keep their places. */
export function withOwnIndexes({ columns, indexes = [] }: StepOf<"create_table">) {
  const rest = new Map<number, NewIndex>();
  const own = new Map<string, { unique?: boolean; indexed?: boolean }>();
  for (const [place, index] of indexes.entries()) {
    const [only = "", ...others] = index.columns;
    const isOwn = others.length === 0 && columns.some(({ name }) => name === only);
    if (!isOwn || index.name !== undefined) rest.set(place, index);
    else own.set(only, { ...own.get(only), [index.unique ? "unique" : "indexed"]: true });
  }
  return {
    columns: columns.map((column) => ({ ...column, ...own.get(column.name) })),
    indexes: rest,
  };
}

/** All indexes are read against the table with those before them. */
function readIndexes(given: ReadonlyMap<number, NewIndex>, table: Table): TableIndex[] {
  const faults: FieldError[] = [];
  const indexes: TableIndex[] = [];
  for (const [place, one] of given) {
    const read = readIndex(one, { columns: table.columns, indexes });
    indexes.push(read.index);
    for (const { path, message } of read.faults) {
      faults.push({ path: `/indexes/${place}${path}`, message });
    }
  }
  rejectSteps(faults);
  return indexes;
}
