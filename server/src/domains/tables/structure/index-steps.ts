import type { FieldError } from "#kernel/operation/failure.ts";
import { columnTypeOf } from "../columns/registry.ts";
import type { Column, TableIndex } from "../table.ts";
import { alterColumnBy } from "./column-steps.ts";
import * as ddl from "./ddl.ts";
import {
  columnIn,
  type PlannedChange,
  type PlanContext,
  rejectStep,
  rejectSteps,
  tableLocation,
  StepFaults,
  SYSTEM_FIELDS,
  tableIn,
} from "./plan-context.ts";
import { INDEXES_MAX, type NewIndex, type StepOf, type WhichIndex } from "./step.ts";

const NAME_CHARACTERS_MAX = 63;
const INDEXED = { unique: "unique", index: "indexed" } as const;

/** An index of one column without a name is that column's own. */
export function addIndex(planning: PlanContext, step: StepOf<"add_index">): PlannedChange {
  const { op: _, table: slug, ...given } = step;
  const table = tableIn(planning, slug);
  const [only = "", ...others] = given.columns;
  if (given.name === undefined && others.length === 0 && !SYSTEM_FIELDS.has(only)) {
    columnIn(table, only, "/columns/0");
    return flagged(planning, slug, {
      name: only,
      to: { [given.unique ? "unique" : "indexed"]: true },
    });
  }
  const { index, faults } = readIndex(given, table);
  rejectSteps(faults);
  planning.tables.set(slug, { ...table, indexes: [...table.indexes, index] });
  return {
    statements: [ddl.createIndex(tableLocation(planning, table), index, table.columns)],
    inverse: [{ op: "drop_index", table: slug, name: index.name }],
  };
}

export function dropIndex(planning: PlanContext, step: StepOf<"drop_index">): PlannedChange {
  const { op: _, table: slug, ...which } = step;
  const table = tableIn(planning, slug);
  if (which.name === undefined && which.columns === undefined) rejectStep("/name", "is required");
  const index = table.indexes.find((one) => isMeant(one, which));
  if (!index) return dropOwn(planning, slug, which);
  planning.tables.set(slug, { ...table, indexes: table.indexes.filter((one) => one !== index) });
  return {
    statements: [ddl.dropIndex(tableLocation(planning, table), index)],
    inverse: [{ op: "add_index", table: slug, ...index }],
  };
}

/** Reads an index of a table with these columns and indexes; paths are within it. */
export function readIndex(
  { columns: fields, unique = false, name = indexNameOf(fields, unique) }: NewIndex,
  table: { readonly columns: readonly Column[]; readonly indexes: readonly TableIndex[] },
): { readonly index: TableIndex; readonly faults: readonly FieldError[] } {
  const faults: FieldError[] = [];
  if (table.indexes.length >= INDEXES_MAX) {
    faults.push({ path: "", message: `is one more than the ${INDEXES_MAX} that a table may have` });
  }
  if (table.indexes.some((other) => other.name.toLowerCase() === name.toLowerCase())) {
    faults.push({ path: "/name", message: `is there already: ${name}` });
  }
  for (const [position, field] of fields.entries()) {
    const path = `/columns/${position}`;
    const column = table.columns.find((one) => one.name === field);
    if (!column && (field === "id" || !SYSTEM_FIELDS.has(field))) {
      faults.push({ path, message: "is not a column here" });
    } else if (column && columnTypeOf(column).index === "gin" && (fields.length > 1 || unique)) {
      faults.push({ path, message: "is of a type that only has an index of its own" });
    }
  }
  return { index: { name, columns: fields, unique }, faults };
}

/** What an index is called that was given no name. */
export function indexNameOf(fields: readonly string[], unique: boolean): string {
  const tail = unique ? "_key" : "_idx";
  return fields.join("_").slice(0, NAME_CHARACTERS_MAX - tail.length) + tail;
}

function isMeant(index: TableIndex, { name, columns, unique }: WhichIndex): boolean {
  return (
    (name === undefined || index.name === name) &&
    (columns === undefined || columns.join() === index.columns.join()) &&
    (unique === undefined || index.unique === unique)
  );
}

/** The index that a column has by itself; both when both are meant. */
function dropOwn(planning: PlanContext, slug: string, which: WhichIndex): PlannedChange {
  const { name, columns = [], unique } = which;
  const [only = "", ...others] = columns;
  const table = tableIn(planning, slug);
  const column = table.columns.find((one) => one.name === only);
  const own = column && name === undefined && others.length === 0 ? ddl.indexesOf(column) : [];
  const meant = own.filter((purpose) => unique === undefined || unique === (purpose === "unique"));
  if (meant.length === 0)
    rejectStep(name === undefined ? "/columns" : "/name", "is not an index here");
  const to = Object.fromEntries(meant.map((purpose) => [INDEXED[purpose], false]));
  return flagged(planning, slug, { name: only, to });
}

function flagged(
  planning: PlanContext,
  table: string,
  { name, to }: { readonly name: string; readonly to: { unique?: boolean; indexed?: boolean } },
): PlannedChange {
  try {
    return alterColumnBy(planning, { op: "alter_column", table, column: name, change: to });
  } catch (error) {
    if (!(error instanceof StepFaults)) throw error;
    // What is wrong is wrong with the one column that there is.
    throw new StepFaults(error.faults.map(({ message }) => ({ path: "/columns/0", message })));
  }
}
