import { isReserved, parseColumn, parseColumns } from "../columns/parse-fields.ts";
import { columnTypeOf } from "../columns/registry.ts";
import { isComputedDefault } from "../columns/default.ts";
import { quoteIdentifier } from "../sql-names.ts";
import type { Column, Table } from "../table.ts";
import type { NewColumn } from "../columns/new-column.ts";
import { alterColumn } from "./alter-column.ts";
import * as ddl from "./ddl.ts";
import {
  checkTarget,
  columnIn,
  type PlannedChange,
  type PlanContext,
  rejectStep,
  rejectSteps,
  tableLocation,
  tableIn,
} from "./plan-context.ts";
import { renamedInRules } from "./check-rules.ts";
import type { ColumnChange, Step, StepOf } from "./step.ts";

export function addColumn(planning: PlanContext, step: StepOf<"add_column">): PlannedChange {
  const { position } = step;
  const table = tableIn(planning, step.table);
  const { columns, faults } = parseColumns([step.column], { path: "", beside: table.columns });
  rejectSteps(
    faults.map(({ path, message }) => ({ path: path.replace(/^(\/0)?/, "/column"), message })),
  );
  const [read] = columns;
  if (!read) throw new Error("A column was read, and is not there.");
  checkTarget(planning, read, { path: "/column", self: table.slug });
  const lacking = read.required && read.default === null && !columnTypeOf(read).generated;
  const yields = step.optionalIfFilled === true && lacking && planning.filled.has(table.slug);
  const column = yields ? { ...read, required: false } : read;
  planning.tables.set(table.slug, {
    ...table,
    columns: table.columns.toSpliced(position ?? table.columns.length, 0, column),
  });
  return {
    statements: ddl.addColumn(tableLocation(planning, table), column),
    inverse: [{ op: "drop_column", table: table.slug, column: column.name }],
  };
}

export function renameColumn(planning: PlanContext, step: StepOf<"rename_column">): PlannedChange {
  const { from, to } = step;
  const table = tableIn(planning, step.table);
  const column = columnIn(table, from, "/from");
  const isTaken = table.columns.some(
    (other) => other !== column && other.name.toLowerCase() === to.toLowerCase(),
  );
  if (isTaken) rejectStep("/to", "is there already");
  if (isReserved(to)) rejectStep("/to", "is the platform's own");
  const named = (name: string) => (name === from ? to : name);
  planning.tables.set(table.slug, {
    ...table,
    columns: table.columns.map((other) => (other === column ? { ...column, name: to } : other)),
    indexes: table.indexes.map((index) => ({ ...index, columns: index.columns.map(named) })),
    rules: renamedInRules(table.rules, from, to),
    ...(from !== to && renamed(table)),
  });
  return {
    statements: from === to ? [] : ddl.renameColumn(tableLocation(planning, table), column, to),
    inverse: [{ op: "rename_column", table: table.slug, from: to, to: from }],
  };
}

export function alterColumnBy(planning: PlanContext, step: StepOf<"alter_column">): PlannedChange {
  const table = tableIn(planning, step.table);
  const before = columnIn(table, step.column, "/column");
  const after = changed(before, step.change);
  checkTarget(planning, after, { path: "/change", self: table.slug });
  checkConversion(table, before, after);
  planning.tables.set(table.slug, {
    ...table,
    columns: table.columns.map((column) => (column === before ? after : column)),
    ...(before.type !== after.type && renamed(table)),
  });
  return {
    statements: alterColumn(tableLocation(planning, table), before, after),
    inverse: [{ ...step, change: undoing(before, after) }],
  };
}

/** Indexes that name the column go with it, and would come back with it. */
export function dropColumn(planning: PlanContext, step: StepOf<"drop_column">): PlannedChange {
  const table = tableIn(planning, step.table);
  const column = columnIn(table, step.column, "/column");
  const isGone = ({ columns }: { readonly columns: readonly string[] }) =>
    columns.includes(column.name);
  planning.tables.set(table.slug, {
    ...table,
    columns: table.columns.filter((other) => other !== column),
    indexes: table.indexes.filter((index) => !isGone(index)),
    ...renamed(table),
  });
  const back: Step = {
    op: "add_column",
    table: table.slug,
    column,
    position: table.columns.indexOf(column),
    optionalIfFilled: true,
  };
  const indexes = table.indexes.filter(isGone);
  return {
    statements: ddl.dropColumn(tableLocation(planning, table), column.name),
    inverse: [
      back,
      ...indexes.map((index): Step => ({ op: "add_index", table: table.slug, ...index })),
    ],
  };
}

/** From the next revision on, which the change makes, fields are no longer what they were. */
function renamed({ revision }: Table): Pick<Table, "renamedRevision"> {
  return { renamedRevision: revision + 1 };
}

/** The column with a change made to it, read anew. */
function changed(before: Column, change: ColumnChange): Column {
  const retyped = change.type !== undefined && change.type !== before.type;
  const { onDelete, ...said } = change;
  const kept = retyped ? {} : before.options;
  const options = said.options ?? (onDelete === undefined ? kept : { ...kept, onDelete });
  const given: NewColumn = {
    ...before,
    ...said,
    options,
    ...(onDelete !== undefined && said.options !== undefined && { onDelete }),
  };
  // Then it is indexed as a new one of that type is.
  if (retyped && change.indexed === undefined && !before.indexed) delete given.indexed;
  const { column, faults } = parseColumn(given, "/change");
  const inherits = retyped && change.default === undefined && before.default !== null;
  const isLost = faults.some(({ path }) => path === "/change/default");
  if (inherits && (isLost || isComputedDefault(before) !== isComputedDefault(column))) {
    rejectStep(
      "/change/default",
      "must be given anew or be null, since the old one is of another type",
    );
  }
  rejectSteps(faults);
  return column;
}

function checkConversion(table: Table, before: Column, after: Column): void {
  if (before.type === after.type) return;
  const type = columnTypeOf(after);
  if (type.convertFrom(before, after, quoteIdentifier(after.name)) === undefined) {
    rejectStep("/change/type", `is not what a column of type ${before.type} can become`);
  }
  const index = table.indexes.find(({ columns }) => columns.includes(after.name));
  if (index && [type, columnTypeOf(before)].some((one) => one.index === "gin")) {
    rejectStep("/change/type", `is not for the index ${index.name}, which has the column in it`);
  }
}

/** The change that leads back. */
function undoing(before: Column, after: Column): ColumnChange {
  if (before.type !== after.type) {
    const { name: _, ...all } = before;
    return all;
  }
  const { required, unique, indexed, options, description } = before;
  const all = { required, unique, indexed, default: before.default, options, description };
  const differing = Object.entries(all).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(after[key as keyof typeof all]),
  );
  // A change names something, though it changes nothing.
  return differing.length === 0 ? { description } : Object.fromEntries(differing);
}
