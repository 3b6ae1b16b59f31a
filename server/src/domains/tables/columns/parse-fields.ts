/** What people say of columns and write into them, read into its one canonical form. */
import { Compile, type Validator } from "typebox/compile";
import type { Principal } from "#kernel/access/caller.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import type { TableSchema } from "../table-schema.ts";
import { type Column, COLUMNS_MAX, FAULTS_MAX, SYSTEM_COLUMNS } from "../table.ts";
import type { NewColumn } from "./new-column.ts";
import { columnTypeOf } from "./registry.ts";
import type { ColumnType, Json } from "./column-type.ts";
import { defaultOf, isComputedDefault } from "./default.ts";
import { toUsers } from "./reference.ts";

/** A record's own fields by their names. */
export type RecordFields = Readonly<Record<string, Json>>;

/** PostgreSQL's own in every table; what events have beside the fields; and words that mean something else in a condition. */
const TAKEN = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];
const IN_EVENTS = ["tableSlug", "tableId", "tableRevision"];
const WORDS = ["and", "or", "not"];
const RESERVED: ReadonlySet<string> = new Set(
  [...SYSTEM_COLUMNS.flat(), "revision", ...IN_EVENTS, "table_slug", ...TAKEN, ...WORDS].map(
    (name) => name.toLowerCase(),
  ),
);

/**
 * Reads the columns of a table, or further ones beside those that it has: with everything said, or
 * everything that is wrong, each with its path below `path`.
 */
export function parseColumns(
  given: readonly NewColumn[],
  place: { readonly path: string; readonly beside?: readonly Column[] },
): { readonly columns: readonly Column[]; readonly faults: readonly FieldError[] } {
  const { path, beside = [] } = place;
  const faults: FieldError[] = [];
  const taken = new Set(beside.map(({ name }) => name.toLowerCase()));
  if (given.length + beside.length > COLUMNS_MAX) {
    faults.push({ path, message: `must leave the table with at most ${COLUMNS_MAX} columns` });
  }
  const columns = given.map((one, index) => {
    const at = `${path}/${index}`;
    const read = parseColumn(one, at);
    faults.push(...read.faults);
    const name = one.name.toLowerCase();
    if (taken.has(name)) faults.push({ path: `${at}/name`, message: "is there already" });
    taken.add(name);
    return read.column;
  });
  return { columns, faults: faults.slice(0, FAULTS_MAX) };
}

/** Reads one column; the result is to be used only when there are no faults. */
export function parseColumn(
  given: NewColumn,
  path: string,
): { readonly column: Column; readonly faults: readonly FieldError[] } {
  const type = columnTypeOf(given);
  const { options, faults } = readOptions(given);
  const column: Column = {
    name: given.name,
    type: given.type,
    // What the database fills is always there.
    required: type.generated === true || (given.required ?? false),
    unique: given.unique ?? false,
    // References are followed from both ends, and a delete looks for them.
    indexed: given.indexed ?? given.type === "reference",
    default: given.default ?? null,
    options,
    description: given.description ?? "",
  };
  const found = [...nameFaults(given.name), ...faults];
  // Only what has the right options can be asked what it makes of a value.
  if (faults.length === 0) {
    found.push(...(type.check?.(column) ?? []));
    const { value, fault } = readDefault(column, type);
    column.default = value;
    if (fault !== undefined) found.push({ path: "/default", message: fault });
  }
  return { column, faults: found.map((fault) => ({ ...fault, path: path + fault.path })) };
}

/** Whether no column of a table may have this name. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}

function nameFaults(name: string): FieldError[] {
  return isReserved(name) ? [{ path: "/name", message: "is the platform's own" }] : [];
}

/** The options with the other spelling of `onDelete` among them, and their defaults. */
function readOptions({ type: name, options = {}, onDelete }: NewColumn): {
  options: Record<string, unknown>;
  faults: readonly FieldError[];
} {
  const type = columnTypeOf({ type: name });
  const all: Record<string, unknown> = { ...options };
  if (onDelete !== undefined) {
    if (name !== "reference") {
      return { options: all, faults: [{ path: "/onDelete", message: "is for references only" }] };
    }
    const other = all["onDelete"];
    if (other !== undefined && other !== onDelete) {
      const message = "differs from `options.onDelete`";
      return { options: all, faults: [{ path: "/onDelete", message }] };
    }
    all["onDelete"] = onDelete;
  }
  const shape = shapeOf(type);
  if (!shape.Check(all)) {
    const faults = fieldErrors(shape.Errors(all));
    return {
      options: all,
      faults: faults.map(({ path, message }) => ({ path: `/options${path}`, message })),
    };
  }
  const toRecords = name === "reference" && !toUsers({ type: name, options: all });
  return { options: toRecords ? { onDelete: "restrict", ...all } : all, faults: [] };
}

function readDefault(column: Column, type: ColumnType): { value: unknown; fault?: string } {
  const { default: given } = column;
  if (given === null || isComputedDefault(column)) return { value: given };
  const read = type.read(given, column);
  return "fault" in read ? { value: null, fault: read.fault } : { value: read.value };
}

const shapes = new WeakMap<ColumnType, Validator>();

function shapeOf(type: ColumnType): Validator {
  let shape = shapes.get(type);
  if (!shape) shapes.set(type, (shape = Compile(type.options)));
  return shape;
}

interface Writing {
  readonly for: "create" | "update";
  readonly now: Date;
  readonly person: Principal | undefined;
}

/**
 * Reads the fields of a record that is made or changed. A new one gets every column that the database
 * does not fill, with its default or null where nothing was said; a changed one those that are named.
 */
export function parseFields(
  { columns, byName }: Pick<TableSchema, "columns" | "byName">,
  body: Readonly<Record<string, unknown>>,
  writing: Writing,
): { readonly values: RecordFields } | { readonly faults: readonly FieldError[] } {
  const isNew = writing.for === "create";
  const values: Record<string, Json> = {};
  const faults: FieldError[] = [];
  let seen = 0;
  for (const column of columns) {
    const { name, columnType } = column;
    // Not by a look-up alone: a column may be called `constructor`.
    const said = Object.hasOwn(body, name);
    if (said) seen += 1;
    if (columnType.generated) {
      if (said) faults.push({ path: `/${name}`, message: "is filled by the platform" });
      continue;
    }
    if (!said && !isNew) continue;
    const given = said ? body[name] : defaultOf(column, writing);
    if (given === null || given === undefined) {
      if (column.required) faults.push({ path: `/${name}`, message: "is required" });
      else values[name] = null;
      continue;
    }
    // A default was read when it was saved.
    const read = said ? columnType.read(given, column) : { value: given as Json };
    if ("fault" in read) faults.push({ path: `/${name}`, message: read.fault });
    else values[name] = read.value;
  }
  const names = Object.keys(body);
  if (seen < names.length) faults.push(...strangers(names, byName));
  return faults.length > 0 ? { faults: faults.slice(0, FAULTS_MAX) } : { values };
}

function strangers(names: readonly string[], known: ReadonlyMap<string, unknown>): FieldError[] {
  return names
    .filter((name) => !known.has(name))
    .slice(0, FAULTS_MAX)
    .map((name) => ({
      path: jsonPointer("", name),
      message: isReserved(name) ? "is filled by the platform" : "is not a field of this table",
    }));
}
