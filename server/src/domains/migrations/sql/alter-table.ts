import type { AlterTableCmd, AlterTableStmt, ColumnDef, Constraint, Node } from "libpg-query";
import { parseColumn } from "#domains/tables/columns/parse-fields.ts";
import { textOf, textsOf } from "#domains/queries/guard/findings.ts";
import type { ColumnChange, Step } from "#domains/tables/structure/step.ts";
import type { Column, Table } from "#domains/tables/table.ts";
import { type CheckFound, checksIn, settled } from "./check-clause.ts";
import {
  columnFrom,
  draftOf,
  referenceOf,
  refuseDeferred,
  withCheck,
} from "./column-definition.ts";
import { defaultFrom } from "./constant.ts";
import { columnMeant, fieldOf } from "./field.ts";
import { indexStepFor } from "./drop.ts";
import { rejectSql, tableNamed } from "./sql-error.ts";
import { type TypeFound, typeNamed } from "./type-name.ts";
import type { TableLookup } from "./table-lookup.ts";

/** `alter table`: its parts in their order, each read against the table as those before it leave it. */
export function alterTableFrom(statement: AlterTableStmt, known: TableLookup): Step[] {
  const { objtype, relation, cmds = [], missing_ok } = statement;
  if (objtype !== "OBJECT_TABLE") rejectSql("only a table can be altered", relation);
  const slug = tableNamed(relation);
  if (missing_ok && known.lacks(slug)) return [];
  const steps: Step[] = [];
  let table = known.table(slug);
  for (const command of cmds) {
    if (!("AlterTableCmd" in command)) continue;
    const place = { slug, table, location: relation?.location ?? 0 };
    for (const step of partOf(command.AlterTableCmd, place)) {
      table = table && tableAfter(table, step);
      append(steps, step);
    }
  }
  return steps;
}

/** The columns as a step leaves them. What is wrong with it is found when it is taken. */
function tableAfter(table: Table, step: Step): Table {
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
  const altered = (column: Column) => ({ ...column, ...step.change });
  return {
    ...table,
    columns: columns.map((one) => (one.name === step.column ? altered(one) : one)),
  };
}

/**
 * Adds a step. What is said of a column's options right after others is one step with them: in between
 * there might be a minimum above a maximum that is about to go.
 */
function append(steps: Step[], step: Step): void {
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

interface Place {
  readonly slug: string;
  /** Undefined when nothing is known of it yet. */
  readonly table: Table | undefined;
  readonly location: number;
}

function partOf(command: AlterTableCmd, place: Place): Step[] {
  const part = PARTS.get(command.subtype ?? "");
  if (!part) rejectSql(`${wordsOf(command.subtype)} is not available here`, place);
  return part(command, place);
}

type Part = (command: AlterTableCmd, place: Place) => Step[];

const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ["AT_AddColumn", addColumn],
  ["AT_DropColumn", dropColumn],
  [
    "AT_ColumnDefault",
    altering(({ def }, column) => ({ default: defaultFrom(def, column?.type ?? "json") })),
  ],
  ["AT_SetNotNull", altering(() => ({ required: true }))],
  ["AT_DropNotNull", altering(() => ({ required: false }))],
  ["AT_AlterColumnType", altering(({ def }, column) => retyped(definitionIn(def), column))],
  ["AT_AddConstraint", ({ def }, place) => addConstraint(constraintIn(def), place)],
  ["AT_DropConstraint", dropConstraint],
]);

/** A part that changes the column which it names. */
function altering(
  changeOf: (command: AlterTableCmd, column: Column | undefined) => ColumnChange,
): Part {
  return (command, place) => {
    const name = columnMeant(place.table, textOf(command.name));
    return [changed(place, name, changeOf(command, columnOf(place, name)))];
  };
}

function changed({ slug, table }: Place, name: string, change: ColumnChange): Step {
  return { op: "alter_column", table: slug, column: columnMeant(table, name), change };
}

function dropColumn({ name, missing_ok }: AlterTableCmd, place: Place): Step[] {
  const column = columnMeant(place.table, textOf(name));
  if (missing_ok && isMissing(place, column)) return [];
  return [{ op: "drop_column", table: place.slug, column }];
}

function addColumn({ def, missing_ok }: AlterTableCmd, place: Place): Step[] {
  const draft = draftOf(definitionIn(def));
  const isThere =
    place.table !== undefined &&
    (fieldOf(draft.name) !== draft.name || !isMissing(place, columnMeant(place.table, draft.name)));
  if (missing_ok && isThere) return [];
  return [{ op: "add_column", table: place.slug, column: columnFrom(draft) }];
}

/** The type that is named, with what the column has of its own where it stays of the same type. */
function retyped(
  { typeName, raw_default: using, collClause }: ColumnDef,
  column: Column | undefined,
): ColumnChange {
  if (collClause && textsOf(collClause.collname).join() !== "C") {
    rejectSql('texts are ordered by their characters, which is COLLATE "C"', collClause);
  }
  if (using) refuseOtherThanCast(using, column);
  const { type, options } = typeNamed(typeName);
  if (type === "autonumber")
    rejectSql("a column begins to count by a step of alter_column", typeName);
  const { maxLength: _, scale: __, ...kept } = column?.type === type ? column.options : {};
  return { type, options: { ...kept, ...options } };
}

/** How a value becomes one of the new type is for the types to say. */
function refuseOtherThanCast(using: Node, column: Column | undefined): void {
  const [names] =
    "TypeCast" in using && using.TypeCast.arg && "ColumnRef" in using.TypeCast.arg
      ? [textsOf(using.TypeCast.arg.ColumnRef.fields)]
      : [undefined];
  const isOwn =
    names?.length === 1 && (!column || names[0]?.toLowerCase() === column.name.toLowerCase());
  if (!isOwn)
    rejectSql(
      "USING may only cast the column itself",
      Object.values(using)[0] as { location?: number },
    );
}

function addConstraint(constraint: Constraint, place: Place): Step[] {
  refuseDeferred(constraint);
  const add = CONSTRAINTS.get(constraint.contype ?? "");
  return add
    ? add(constraint, place)
    : rejectSql("this constraint is not available here", constraint);
}

type Add = (constraint: Constraint, place: Place) => Step[];

const CONSTRAINTS: ReadonlyMap<string, Add> = new Map<string, Add>([
  ["CONSTR_NOTNULL", ({ keys }, place) => requiring(textsOf(keys), place)],
  ["CONSTR_CHECK", checked],
  ["CONSTR_FOREIGN", referring],
  ["CONSTR_UNIQUE", keyed],
  ["CONSTR_PRIMARY", keyed],
]);

function requiring(names: readonly string[], place: Place): Step[] {
  return names.map((name) => changed(place, name, { required: true }));
}

/** All that is checked of a column is one step, since that says all of its options. */
function checked(constraint: Constraint, place: Place): Step[] {
  const byColumn = Map.groupBy(checksIn(constraint.raw_expr), ({ column }) =>
    columnMeant(place.table, column),
  );
  return [...byColumn].map(([name, checks]) => {
    const before = place.table ? columnOf(place, name) : assumedFor(checks);
    if (!before) rejectSql(`there is no column ${name} in this table`, constraint);
    const { type, options } = checks.reduce<TypeFound>(withCheck, before);
    return changed(place, name, { type, options: settled(type, options) });
  });
}

/** What a column might be of which nothing is known. */
function assumedFor(checks: readonly CheckFound[]): TypeFound {
  return { type: checks.some(({ type }) => type) ? "text" : "integer", options: {} };
}

function referring(constraint: Constraint, place: Place): Step[] {
  const [name = "", ...others] = textsOf(constraint.fk_attrs);
  if (others.length > 0) rejectSql("a reference is one column", constraint);
  const { type, options } = referenceOf(constraint);
  return [changed(place, name, { type, options: { ...options } })];
}

/** Every table has its key, so that another one is what is unique and required. */
function keyed({ contype, conname, keys }: Constraint, place: Place): Step[] {
  const names = textsOf(keys);
  const isKey = contype === "CONSTR_PRIMARY";
  if (isKey && names.join() === "id") return [];
  const columns = names.map((name) => fieldOf(columnMeant(place.table, name)));
  return [
    ...(isKey ? requiring(names, place) : []),
    {
      op: "add_index",
      table: place.slug,
      columns,
      unique: true,
      ...(conname !== undefined && { name: conname }),
    },
  ];
}

/** What is unique has a name; a check or a reference belongs to its column. */
function dropConstraint({ name = "", missing_ok }: AlterTableCmd, place: Place): Step[] {
  const { slug, table } = place;
  if (!table) return [{ op: "drop_index", table: slug, name }];
  const step = indexStepFor(table, name, "key");
  if (step) return [step];
  if (missing_ok) return [];
  return rejectSql(
    `${slug} has no unique constraint ${name}; other ones belong to their columns`,
    place,
  );
}

function constraintIn(def: Node | undefined): Constraint {
  return def && "Constraint" in def ? def.Constraint : rejectSql("a constraint must be defined");
}

function definitionIn(def: Node | undefined): ColumnDef {
  return def && "ColumnDef" in def ? def.ColumnDef : rejectSql("a column must be defined");
}

function isMissing({ table }: Place, name: string): boolean {
  return table !== undefined && !table.columns.some((column) => column.name === name);
}

function columnOf({ table }: Place, name: string): Column | undefined {
  return table?.columns.find((column) => column.name === name);
}

/** `AT_SetStorage` as `SET STORAGE`. */
function wordsOf(subtype = ""): string {
  return subtype
    .replace(/^AT_/, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase();
}
