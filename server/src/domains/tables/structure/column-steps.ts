import { titleFromName } from "../columns/naming/column-title.ts";
import { parseColumn, parseColumns } from "../columns/parse-fields.ts";
import { isReserved } from "../columns/naming/reserved-names.ts";
import { columnTypeOf, isComputed } from "../columns/registry.ts";
import { isComputedDefault } from "../columns/default.ts";
import { linkTargetOf } from "../columns/reference.ts";
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
import { renameInRules } from "../schema/check-rules.ts";
import { pathsOfRules } from "../schema/rule-path.ts";
import { renameInComputed, renamePathsInRules } from "../schema/computed-rename.ts";
import type { ColumnChange, TableStep, TableStepOf } from "./step.ts";

export function addColumn(context: PlanContext, step: TableStepOf<"add_column">): PlannedChange {
  const { position } = step;
  const table = tableIn(context, step.table);
  const { columns, errors } = parseColumns([step.column], { path: "", beside: table.columns });
  rejectSteps(
    errors.map(({ path, message }) => ({ path: path.replace(/^(\/0)?/, "/column"), message })),
  );
  const [parsed] = columns;
  if (!parsed) throw new Error("A column was read, and is not there.");
  checkTarget(context, parsed, { path: "/column", self: table.slug });
  const lacksValue = parsed.required && parsed.default === null && !columnTypeOf(parsed).generated;
  const isRelaxed =
    step.optionalIfFilled === true && lacksValue && context.filledTables.has(table.slug);
  const column = isRelaxed ? { ...parsed, required: false } : parsed;
  context.tables.set(table.slug, {
    ...table,
    columns: table.columns.toSpliced(position ?? table.columns.length, 0, column),
  });
  addInverse(context, { slug: table.slug, column, path: "/column" });
  return {
    statements: ddl.addColumn(tableLocation(context, table), column),
    inverse: [{ op: "drop_column", table: table.slug, column: column.name }],
  };
}

export function renameColumn(
  context: PlanContext,
  step: TableStepOf<"rename_column">,
): PlannedChange {
  const { from, to } = step;
  const table = tableIn(context, step.table);
  const column = columnIn(table, from, "/from");
  const isTaken = table.columns.some(
    (other) => other !== column && other.name.toLowerCase() === to.toLowerCase(),
  );
  if (isTaken) rejectStep("/to", "already exists");
  if (isReserved(to)) rejectStep("/to", "is a reserved name");
  const rename = (name: string) => (name === from ? to : name);
  const tables = new Map(context.tables);
  for (const other of tables.values()) {
    const change = { tables, slug: table.slug, from, to };
    const follower = renameInComputed(other, change);
    const leads = pathsOfRules(other, other.rules).length > 0;
    context.tables.set(
      other.slug,
      leads ? { ...follower, rules: renamePathsInRules(other, change) } : follower,
    );
  }
  const { columns, rules } = tableIn(context, table.slug);
  const renamed = {
    ...columnIn({ columns }, from, "/from"),
    name: to,
    title: titleAfter(column, to),
  };
  context.tables.set(table.slug, {
    ...table,
    columns: columns.map((other) => (other.name === from ? renamed : other)),
    indexes: table.indexes.map((index) => ({ ...index, columns: index.columns.map(rename) })),
    rules: renameInRules(rules, from, to),
    ...(from !== to && bumpRenamedRevision(table)),
  });
  return {
    statements: from === to ? [] : ddl.renameColumn(tableLocation(context, table), column, to),
    inverse: [
      { op: "rename_column", table: table.slug, from: to, to: from },
      ...(titleAfter(renamed, from) === column.title
        ? []
        : [alterTitle(table.slug, from, column.title)]),
    ],
  };
}

/** A derived title follows the name; a custom title is kept. */
function titleAfter({ name, title }: Column, to: string): string {
  return title === titleFromName(name) ? titleFromName(to) : title;
}

const alterTitle = (table: string, column: string, title: string): TableStep => ({
  op: "alter_column",
  table,
  column,
  change: { title },
});

export function alterColumnStep(
  context: PlanContext,
  step: TableStepOf<"alter_column">,
): PlannedChange {
  const table = tableIn(context, step.table);
  const before = columnIn(table, step.column, "/column");
  const after = applyColumnChange(before, step.change);
  checkTarget(context, after, { path: "/change", self: table.slug });
  checkConversion(table, before, after);
  context.tables.set(table.slug, {
    ...table,
    columns: table.columns.map((column) => (column === before ? after : column)),
    ...(before.type !== after.type && bumpRenamedRevision(table)),
  });
  return {
    statements: isComputed(after) ? [] : alterColumn(tableLocation(context, table), before, after),
    inverse: [{ ...step, change: invertChange(before, after) }],
  };
}

/** Indexes that name the column are dropped with it, and created again by the inverse. */
export function dropColumn(context: PlanContext, step: TableStepOf<"drop_column">): PlannedChange {
  const table = tableIn(context, step.table);
  const column = columnIn(table, step.column, "/column");
  const includesColumn = ({ columns }: { readonly columns: readonly string[] }) =>
    columns.includes(column.name);
  context.tables.set(table.slug, {
    ...table,
    columns: table.columns.filter((other) => other !== column),
    indexes: table.indexes.filter((index) => !includesColumn(index)),
    ...bumpRenamedRevision(table),
  });
  dropInverse(context, table.slug, column);
  const restore: TableStep = {
    op: "add_column",
    table: table.slug,
    column,
    position: table.columns.indexOf(column),
    optionalIfFilled: true,
  };
  const indexes = table.indexes.filter(includesColumn);
  return {
    statements: ddl.dropColumn(tableLocation(context, table), column),
    inverse: [
      restore,
      ...indexes.map((index): TableStep => ({ op: "add_index", table: table.slug, ...index })),
    ],
  };
}

/** Events before the next revision, which the change makes, have other fields. */
function bumpRenamedRevision({ revision }: Table): Pick<Table, "renamedRevision"> {
  return { renamedRevision: revision + 1 };
}

/** Parses the column with a change applied. */
function applyColumnChange(before: Column, change: ColumnChange): Column {
  const retyped = change.type !== undefined && change.type !== before.type;
  const { onDelete, title = before.title, ...settings } = change;
  const inherited = retyped ? {} : before.options;
  const options =
    settings.options ?? (onDelete === undefined ? inherited : { ...inherited, onDelete });
  const input: NewColumn = {
    ...before,
    ...settings,
    title: title ?? titleFromName(before.name),
    options,
    ...(onDelete !== undefined && settings.options !== undefined && { onDelete }),
  };
  // Then it is indexed as a new one of that type would be.
  if (retyped && change.indexed === undefined && !before.indexed) delete input.indexed;
  const { column, errors } = parseColumn(input, "/change");
  const inherits = retyped && change.default === undefined && before.default !== null;
  const isLost = errors.some(({ path }) => path === "/change/default");
  if (inherits && (isLost || isComputedDefault(before) !== isComputedDefault(column))) {
    rejectStep("/change/default", "must be set again or be null, because the type has changed");
  }
  rejectSteps(errors);
  return column;
}

function checkConversion(table: Table, before: Column, after: Column): void {
  if (before.type === after.type) return;
  // Neither is stored.
  if (isComputed(before) && isComputed(after)) return;
  const type = columnTypeOf(after);
  const isUnstored = isComputed(before) || isComputed(after);
  if (isUnstored || type.convertFrom(before, after, quoteIdentifier(after.name)) === undefined) {
    rejectStep(
      "/change/type",
      `is not a type that a column of type ${before.type} can be converted to`,
    );
  }
  const index = table.indexes.find(({ columns }) => columns.includes(after.name));
  if (index && [type, columnTypeOf(before)].some((columnType) => columnType.index === "gin")) {
    rejectStep(
      "/change/type",
      `can't be used with the index ${index.name}, which contains the column`,
    );
  }
}

/** The change that undoes one. */
function invertChange(before: Column, after: Column): ColumnChange {
  if (before.type !== after.type) {
    const { name: _, title, ...all } = before;
    return { ...all, ...(title !== after.title && { title }) };
  }
  const { title, required, unique, indexed, options, description } = before;
  const all = { title, required, unique, indexed, default: before.default, options, description };
  const changed = Object.entries(all).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(after[key as keyof typeof all]),
  );
  // A change must name some property, though it changes nothing.
  return changed.length === 0 ? { description } : Object.fromEntries(changed);
}

/**
 * Adds the other end of a link column, which `options.inverse` names: a column that lists the records which link to
 * this one. It is computed, so only a definition changes.
 */
export function addInverse(
  { tables }: PlanContext,
  { slug, column, path }: { readonly slug: string; readonly column: Column; readonly path: string },
): void {
  const name = column.options["inverse"];
  const target = tables.get(linkTargetOf(column) ?? "");
  if (typeof name !== "string" || !target) return;
  const known = target.columns.find((other) => other.name.toLowerCase() === name.toLowerCase());
  if (known && isInverse(known, slug, column)) return;
  if (known) rejectStep(`${path}/options/inverse`, `is already a column of ${target.slug}`);
  const input = { name, type: "backlinks", options: { table: slug, column: column.name } } as const;
  const { column: inverse, errors } = parseColumn(input, "");
  if (errors[0]) rejectStep(`${path}/options/inverse`, errors[0].message);
  tables.set(target.slug, { ...target, columns: [...target.columns, inverse] });
}

/** Drops the columns of the other table that list this end. */
function dropInverse({ tables }: PlanContext, slug: string, column: Column): void {
  const target = tables.get(linkTargetOf(column) ?? "");
  if (!target?.columns.some((other) => isInverse(other, slug, column))) return;
  const columns = target.columns.filter((other) => !isInverse(other, slug, column));
  tables.set(target.slug, { ...target, columns });
}

function isInverse(other: Column, slug: string, { name }: Column): boolean {
  const { table, column } = other.options;
  return other.type === "backlinks" && table === slug && column === name;
}
