import type { FieldError } from "#kernel/operation/failure.ts";
import { columnTypeOf } from "../columns/registry.ts";
import type { Column, TableIndex } from "../table.ts";
import { alterColumnStep } from "./column-steps.ts";
import * as ddl from "./ddl.ts";
import {
  columnIn,
  type PlannedChange,
  type PlanContext,
  rejectStep,
  rejectSteps,
  tableLocation,
  StepErrors,
  SYSTEM_FIELDS,
  tableIn,
} from "./plan-context.ts";
import { INDEXES_MAX, type NewIndex, type TableStepOf, type IndexSelector } from "./step.ts";

const NAME_CHARACTERS_MAX = 63;
const INDEXED = { unique: "unique", index: "indexed" } as const;

/** Adds an index; an unnamed one on a single column belongs to that column. */
export function addIndex(context: PlanContext, step: TableStepOf<"add_index">): PlannedChange {
  const { op: _, table: slug, ...input } = step;
  const table = tableIn(context, slug);
  const [only = "", ...others] = input.columns;
  if (input.name === undefined && others.length === 0 && !SYSTEM_FIELDS.has(only)) {
    columnIn(table, only, "/columns/0");
    return setIndexFlags(context, slug, {
      name: only,
      to: { [input.unique ? "unique" : "indexed"]: true },
    });
  }
  const { index, errors } = parseIndex(input, table);
  rejectSteps(errors);
  context.tables.set(slug, { ...table, indexes: [...table.indexes, index] });
  return {
    statements: [ddl.createIndex(tableLocation(context, table), index, table.columns)],
    inverse: [{ op: "drop_index", table: slug, name: index.name }],
  };
}

export function dropIndex(context: PlanContext, step: TableStepOf<"drop_index">): PlannedChange {
  const { op: _, table: slug, ...selector } = step;
  const table = tableIn(context, slug);
  if (selector.name === undefined && selector.columns === undefined)
    rejectStep("/name", "is required");
  const index = table.indexes.find((candidate) => matchesIndex(candidate, selector));
  if (!index) return dropOwnIndex(context, slug, selector);
  context.tables.set(slug, {
    ...table,
    indexes: table.indexes.filter((candidate) => candidate !== index),
  });
  return {
    statements: [ddl.dropIndex(tableLocation(context, table), index)],
    inverse: [{ op: "add_index", table: slug, ...index }],
  };
}

/** Parses an index of a table with these columns and indexes; paths are within it. */
export function parseIndex(
  { columns: fields, unique = false, name = defaultIndexName(fields, unique) }: NewIndex,
  table: { readonly columns: readonly Column[]; readonly indexes: readonly TableIndex[] },
): { readonly index: TableIndex; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  if (table.indexes.length >= INDEXES_MAX) {
    errors.push({ path: "", message: `exceeds the limit of ${INDEXES_MAX} indexes of a table` });
  }
  if (table.indexes.some((other) => other.name.toLowerCase() === name.toLowerCase())) {
    errors.push({ path: "/name", message: `already exists: ${name}` });
  }
  for (const [position, field] of fields.entries()) {
    const path = `/columns/${position}`;
    const column = table.columns.find((candidate) => candidate.name === field);
    if (!column && (field === "id" || !SYSTEM_FIELDS.has(field))) {
      errors.push({ path, message: "is not a column of this table" });
    } else if (column && columnTypeOf(column).computed) {
      errors.push({ path, message: "is a computed column that is not stored" });
    } else if (column && columnTypeOf(column).index === "gin" && (fields.length > 1 || unique)) {
      errors.push({
        path,
        message: "has a type that can't be combined with other columns in an index",
      });
    }
  }
  return { index: { name, columns: fields, unique }, errors };
}

/** The default name of an index. */
export function defaultIndexName(fields: readonly string[], unique: boolean): string {
  const tail = unique ? "_key" : "_idx";
  return fields.join("_").slice(0, NAME_CHARACTERS_MAX - tail.length) + tail;
}

function matchesIndex(index: TableIndex, { name, columns, unique }: IndexSelector): boolean {
  return (
    (name === undefined || index.name === name) &&
    (columns === undefined || columns.join() === index.columns.join()) &&
    (unique === undefined || index.unique === unique)
  );
}

/** Drops the index of a column; both if the selector matches both. */
function dropOwnIndex(context: PlanContext, slug: string, selector: IndexSelector): PlannedChange {
  const { name, columns = [], unique } = selector;
  const [only = "", ...others] = columns;
  const table = tableIn(context, slug);
  const column = table.columns.find((candidate) => candidate.name === only);
  const ownIndexes =
    column && name === undefined && others.length === 0 ? ddl.ownIndexesOf(column) : [];
  // The word index is an option of its column.
  const purposes = ownIndexes
    .filter((purpose) => purpose !== "words")
    .filter((purpose) => unique === undefined || unique === (purpose === "unique"));
  if (purposes.length === 0)
    rejectStep(name === undefined ? "/columns" : "/name", "is not an index of this table");
  const to = Object.fromEntries(purposes.map((purpose) => [INDEXED[purpose], false]));
  return setIndexFlags(context, slug, { name: only, to });
}

function setIndexFlags(
  context: PlanContext,
  table: string,
  { name, to }: { readonly name: string; readonly to: { unique?: boolean; indexed?: boolean } },
): PlannedChange {
  try {
    return alterColumnStep(context, { op: "alter_column", table, column: name, change: to });
  } catch (error) {
    if (!(error instanceof StepErrors)) throw error;
    // The step names one column, and every error is about it.
    throw new StepErrors(error.errors.map(({ message }) => ({ path: "/columns/0", message })));
  }
}
