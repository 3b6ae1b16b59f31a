import type { AlterTableCmd, AlterTableStmt, ColumnDef, Constraint, Node } from "libpg-query";
import { textOf, textsOf } from "../../queries/guard/findings.ts";
import type { ColumnChange, Step } from "../../structure/step.ts";
import type { Column, Table } from "../../table.ts";
import { checksIn, settled } from "./check-clause.ts";
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
import { refuse, tableNamed } from "./refusal.ts";
import { typeNamed } from "./type-name.ts";
import type { Known } from "./known.ts";

/** `alter table`, one step for each of its parts. */
export function alterTableFrom(statement: AlterTableStmt, known: Known): Step[] {
  const { objtype, relation, cmds = [], missing_ok } = statement;
  if (objtype !== "OBJECT_TABLE") refuse("only a table can be altered", relation);
  const slug = tableNamed(relation);
  if (missing_ok && known.lacks(slug)) return [];
  const place = { slug, table: known.table(slug), location: relation?.location ?? 0 };
  return cmds.flatMap((command) =>
    "AlterTableCmd" in command ? partOf(command.AlterTableCmd, place) : [],
  );
}

interface Place {
  readonly slug: string;
  /** Undefined when nothing is known of it yet. */
  readonly table: Table | undefined;
  readonly location: number;
}

function partOf(command: AlterTableCmd, place: Place): Step[] {
  const part = PARTS.get(command.subtype ?? "");
  if (!part) refuse(`${wordsOf(command.subtype)} is not available here`, place);
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
    refuse('texts are ordered by their characters, which is COLLATE "C"', collClause);
  }
  if (using) refuseOtherThanCast(using, column);
  const { type, options } = typeNamed(typeName);
  if (type === "autonumber") refuse("a column begins to count by a step of alter_column", typeName);
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
    refuse(
      "USING may only cast the column itself",
      Object.values(using)[0] as { location?: number },
    );
}

function addConstraint(constraint: Constraint, place: Place): Step[] {
  refuseDeferred(constraint);
  const add = CONSTRAINTS.get(constraint.contype ?? "");
  return add ? add(constraint, place) : refuse("this constraint is not available here", constraint);
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

function checked({ raw_expr }: Constraint, place: Place): Step[] {
  return checksIn(raw_expr).map(({ column: name, ...check }) => {
    const before = columnOf(place, columnMeant(place.table, name));
    const { type, options } = withCheck(
      before ?? { type: check.type === undefined ? "integer" : "text", options: {} },
      check,
    );
    return changed(place, name, { type, options: settled(type, options) });
  });
}

function referring(constraint: Constraint, place: Place): Step[] {
  const [name = "", ...others] = textsOf(constraint.fk_attrs);
  if (others.length > 0) refuse("a reference is one column", constraint);
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
  return refuse(
    `${slug} has no unique constraint ${name}; other ones belong to their columns`,
    place,
  );
}

function constraintIn(def: Node | undefined): Constraint {
  return def && "Constraint" in def ? def.Constraint : refuse("a constraint must be defined");
}

function definitionIn(def: Node | undefined): ColumnDef {
  return def && "ColumnDef" in def ? def.ColumnDef : refuse("a column must be defined");
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
