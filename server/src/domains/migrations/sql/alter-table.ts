import type { AlterTableCmd, AlterTableStmt, ColumnDef, Constraint, Node } from "libpg-query";
import {
  parseColumn,
  type ColumnChange,
  type TableStep,
  type Column,
  type Table,
} from "#domains/tables/index.ts";
import { textOf, textsOf } from "#domains/queries/index.ts";
import { type ColumnCheck, parseChecks, resolveBounds } from "./check-clause.ts";
import {
  toColumn,
  parseColumnDefinition,
  parseReference,
  rejectDeferred,
  withCheck,
} from "./column-definition.ts";
import { parseDefault } from "./constant.ts";
import { resolveColumnName, toFieldName } from "./field.ts";
import { indexStepFor } from "./drop.ts";
import { rejectSql, tableSlug } from "./sql-error.ts";
import { type ParsedType, toColumnType } from "./type-name.ts";
import type { TableLookup } from "./table-lookup.ts";

/** Translates `alter table`: its commands in order, each against the table after the previous ones. */
export function alterTableFrom(statement: AlterTableStmt, known: TableLookup): TableStep[] {
  const { objtype, relation, cmds = [], missing_ok } = statement;
  if (objtype !== "OBJECT_TABLE") rejectSql("only tables can be altered", relation);
  const slug = tableSlug(relation);
  if (missing_ok && known.isMissing(slug)) return [];
  const steps: TableStep[] = [];
  let table = known.table(slug);
  for (const command of cmds) {
    if (!("AlterTableCmd" in command)) continue;
    const context = { slug, table, location: relation?.location ?? 0 };
    for (const step of toSteps(command.AlterTableCmd, context)) {
      table = table && tableAfter(table, step);
      append(steps, step);
    }
  }
  return steps;
}

/** The table after a step. Errors in the step are found when it runs. */
function tableAfter(table: Table, step: TableStep): Table {
  const { columns, indexes } = table;
  if (step.op === "add_column") {
    return { ...table, columns: [...columns, parseColumn(step.column, "").column] };
  }
  if (step.op === "drop_column") {
    return {
      ...table,
      columns: columns.filter(({ name }) => name !== step.column),
      indexes: indexes.filter((index) => !index.columns.includes(step.column)),
    };
  }
  if (step.op !== "alter_column") return table;
  const { title: _, ...change } = step.change;
  const applyChange = (column: Column) => ({ ...column, ...change });
  return {
    ...table,
    columns: columns.map((column) => (column.name === step.column ? applyChange(column) : column)),
  };
}

/**
 * Adds a step. Consecutive changes of a column's options become one step, because an intermediate state might be
 * invalid, such as a minimum above the old maximum.
 */
function append(steps: TableStep[], step: TableStep): void {
  const last = steps.at(-1);
  if (last?.op === "alter_column" && step.op === "alter_column" && last.column === step.column) {
    const { type } = step.change;
    if (type !== undefined && type === last.change.type) {
      steps.splice(-1, 1, { ...step, change: { ...last.change, ...step.change } });
      return;
    }
  }
  steps.push(step);
}

interface AlterContext {
  readonly slug: string;
  /** Undefined if nothing is known about it yet. */
  readonly table: Table | undefined;
  readonly location: number;
}

function toSteps(command: AlterTableCmd, context: AlterContext): TableStep[] {
  const handler = COMMANDS.get(command.subtype ?? "");
  if (!handler) rejectSql(`${subtypeName(command.subtype)} is not available`, context);
  return handler(command, context);
}

type CommandHandler = (command: AlterTableCmd, context: AlterContext) => TableStep[];

const COMMANDS: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ["AT_AddColumn", addColumn],
  ["AT_DropColumn", dropColumn],
  [
    "AT_ColumnDefault",
    alterWith(({ def }, column) => ({ default: parseDefault(def, column?.type ?? "json") })),
  ],
  ["AT_SetNotNull", alterWith(() => ({ required: true }))],
  ["AT_DropNotNull", alterWith(() => ({ required: false }))],
  ["AT_AlterColumnType", alterWith(({ def }, column) => retypeColumn(definitionIn(def), column))],
  ["AT_AddConstraint", ({ def }, context) => addConstraint(constraintIn(def), context)],
  ["AT_DropConstraint", dropConstraint],
]);

/** A command that changes the named column. */
function alterWith(
  changeOf: (command: AlterTableCmd, column: Column | undefined) => ColumnChange,
): CommandHandler {
  return (command, context) => {
    const name = resolveColumnName(context.table, textOf(command.name));
    return [alterColumnStep(context, name, changeOf(command, findColumn(context, name)))];
  };
}

function alterColumnStep(
  { slug, table }: AlterContext,
  name: string,
  change: ColumnChange,
): TableStep {
  return { op: "alter_column", table: slug, column: resolveColumnName(table, name), change };
}

function dropColumn({ name, missing_ok }: AlterTableCmd, context: AlterContext): TableStep[] {
  const column = resolveColumnName(context.table, textOf(name));
  if (missing_ok && isMissing(context, column)) return [];
  return [{ op: "drop_column", table: context.slug, column }];
}

function addColumn({ def, missing_ok }: AlterTableCmd, context: AlterContext): TableStep[] {
  const definition = parseColumnDefinition(definitionIn(def));
  const isThere =
    context.table !== undefined &&
    (toFieldName(definition.name) !== definition.name ||
      !isMissing(context, resolveColumnName(context.table, definition.name)));
  if (missing_ok && isThere) return [];
  return [{ op: "add_column", table: context.slug, column: toColumn(definition) }];
}

/** The new type, with the column's options if the type stays the same. */
function retypeColumn(
  { typeName, raw_default: using, collClause }: ColumnDef,
  column: Column | undefined,
): ColumnChange {
  if (collClause && textsOf(collClause.collname).join() !== "C") {
    rejectSql('text columns only support COLLATE "C"', collClause);
  }
  if (using) refuseOtherThanCast(using, column);
  const { type, options } = toColumnType(typeName);
  if (type === "autonumber") rejectSql("use a step alter_column to start a sequence", typeName);
  const { maxLength: _, scale: __, ...current } = column?.type === type ? column.options : {};
  return { type, options: { ...current, ...options } };
}

/** Allows `using` only for a cast: conversions are defined by the column types. */
function refuseOtherThanCast(using: Node, column: Column | undefined): void {
  const [columnNames] =
    "TypeCast" in using && using.TypeCast.arg && "ColumnRef" in using.TypeCast.arg
      ? [textsOf(using.TypeCast.arg.ColumnRef.fields)]
      : [undefined];
  const isOwn =
    columnNames?.length === 1 &&
    (!column || columnNames[0]?.toLowerCase() === column.name.toLowerCase());
  if (!isOwn)
    rejectSql("USING can only cast the column", Object.values(using)[0] as { location?: number });
}

function addConstraint(constraint: Constraint, context: AlterContext): TableStep[] {
  rejectDeferred(constraint);
  const add = CONSTRAINTS.get(constraint.contype ?? "");
  return add ? add(constraint, context) : rejectSql("this constraint is not available", constraint);
}

type Add = (constraint: Constraint, context: AlterContext) => TableStep[];

const CONSTRAINTS: ReadonlyMap<string, Add> = new Map<string, Add>([
  ["CONSTR_NOTNULL", ({ keys }, context) => requireColumns(textsOf(keys), context)],
  ["CONSTR_CHECK", addChecks],
  ["CONSTR_FOREIGN", addReference],
  ["CONSTR_UNIQUE", addKey],
  ["CONSTR_PRIMARY", addKey],
]);

function requireColumns(columnNames: readonly string[], context: AlterContext): TableStep[] {
  return columnNames.map((name) => alterColumnStep(context, name, { required: true }));
}

/** All checks of a column become one step, because it contains all of its options. */
function addChecks(constraint: Constraint, context: AlterContext): TableStep[] {
  const byColumn = Map.groupBy(parseChecks(constraint.raw_expr), ({ column }) =>
    resolveColumnName(context.table, column),
  );
  return [...byColumn].map(([name, checks]) => {
    const before = context.table ? findColumn(context, name) : assumeType(checks);
    if (!before) rejectSql(`the column ${name} does not exist in this table`, constraint);
    const { type, options } = checks.reduce<ParsedType>(withCheck, before);
    return alterColumnStep(context, name, { type, options: resolveBounds(type, options) });
  });
}

/** The type of a column about which nothing is known. */
function assumeType(checks: readonly ColumnCheck[]): ParsedType {
  return { type: checks.some(({ type }) => type) ? "text" : "integer", options: {} };
}

function addReference(constraint: Constraint, context: AlterContext): TableStep[] {
  const [name = "", ...others] = textsOf(constraint.fk_attrs);
  if (others.length > 0) rejectSql("a foreign key can have only one column", constraint);
  const { type, options } = parseReference(constraint);
  return [alterColumnStep(context, name, { type, options: { ...options } })];
}

/** Each table already has a primary key, so another one becomes unique and required. */
function addKey({ contype, conname, keys }: Constraint, context: AlterContext): TableStep[] {
  const columnNames = textsOf(keys);
  const isKey = contype === "CONSTR_PRIMARY";
  if (isKey && columnNames.join() === "id") return [];
  const columns = columnNames.map((name) => toFieldName(resolveColumnName(context.table, name)));
  return [
    ...(isKey ? requireColumns(columnNames, context) : []),
    {
      op: "add_index",
      table: context.slug,
      columns,
      unique: true,
      ...(conname !== undefined && { name: conname }),
    },
  ];
}

/** Only unique constraints have names here; checks and references belong to their columns. */
function dropConstraint(
  { name = "", missing_ok }: AlterTableCmd,
  context: AlterContext,
): TableStep[] {
  const { slug, table } = context;
  if (!table) return [{ op: "drop_index", table: slug, name }];
  const step = indexStepFor(table, name, "key");
  if (step) return [step];
  if (missing_ok) return [];
  return rejectSql(
    `${slug} has no unique constraint ${name}; other constraints belong to their columns`,
    context,
  );
}

function constraintIn(def: Node | undefined): Constraint {
  return def && "Constraint" in def ? def.Constraint : rejectSql("a constraint must be defined");
}

function definitionIn(def: Node | undefined): ColumnDef {
  return def && "ColumnDef" in def ? def.ColumnDef : rejectSql("a column must be defined");
}

function isMissing({ table }: AlterContext, name: string): boolean {
  return table !== undefined && !table.columns.some((column) => column.name === name);
}

function findColumn({ table }: AlterContext, name: string): Column | undefined {
  return table?.columns.find((column) => column.name === name);
}

/** Turns `AT_SetStorage` into `SET STORAGE`. */
function subtypeName(subtype = ""): string {
  return subtype
    .replace(/^AT_/, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}
