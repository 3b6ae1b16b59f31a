/** What people say of columns and write into them, read into its one canonical form. */
import { Compile, type Validator } from "typebox/compile";
import type { Principal } from "#kernel/access/caller.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import type { TableSchema } from "../schema/table-schema.ts";
import { type Column, COLUMNS_MAX, FIELD_ERRORS_MAX, SYSTEM_COLUMNS } from "../table.ts";
import type { NewColumn } from "./new-column.ts";
import { columnTypeOf } from "./registry.ts";
import type { ColumnType, Json } from "./column-type.ts";
import { resolveDefault, isComputedDefault } from "./default.ts";
import { refersToUsers } from "./reference.ts";

/** A record's own fields by their names. */
export type RecordFields = Readonly<Record<string, Json>>;

/** PostgreSQL's own in every table; what events have beside the fields; and words that mean something else in a condition. */
const POSTGRES_COLUMNS = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];
const EVENT_FIELDS = ["tableSlug", "tableId", "tableRevision"];
const CONDITION_WORDS = ["and", "or", "not"];
const RESERVED_NAMES: ReadonlySet<string> = new Set(
  [
    ...SYSTEM_COLUMNS.flat(),
    "revision",
    ...EVENT_FIELDS,
    "table_slug",
    ...POSTGRES_COLUMNS,
    ...CONDITION_WORDS,
  ].map((name) => name.toLowerCase()),
);

/**
 * Reads the columns of a table, or further ones beside those that it has: with everything said, or
 * everything that is wrong, each with its path below `path`.
 */
export function parseColumns(
  given: readonly NewColumn[],
  place: { readonly path: string; readonly beside?: readonly Column[] },
): { readonly columns: readonly Column[]; readonly errors: readonly FieldError[] } {
  const { path, beside = [] } = place;
  const errors: FieldError[] = [];
  const taken = new Set(beside.map(({ name }) => name.toLowerCase()));
  if (given.length + beside.length > COLUMNS_MAX) {
    errors.push({ path, message: `must leave the table with at most ${COLUMNS_MAX} columns` });
  }
  const columns = given.map((column, index) => {
    const at = `${path}/${index}`;
    const read = parseColumn(column, at);
    errors.push(...read.errors);
    const name = column.name.toLowerCase();
    if (taken.has(name)) errors.push({ path: `${at}/name`, message: "is there already" });
    taken.add(name);
    return read.column;
  });
  return { columns, errors: errors.slice(0, FIELD_ERRORS_MAX) };
}

/** Reads one column; the result is to be used only when there are no faults. */
export function parseColumn(
  given: NewColumn,
  path: string,
): { readonly column: Column; readonly errors: readonly FieldError[] } {
  const type = columnTypeOf(given);
  const { options, errors } = parseOptions(given);
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
  const found = [...checkName(given.name), ...errors];
  // Only what has the right options can be asked what it makes of a value.
  if (errors.length === 0) {
    found.push(...(type.check?.(column) ?? []));
    const { value, error } = parseDefault(column, type);
    column.default = value;
    if (error !== undefined) found.push({ path: "/default", message: error });
  }
  return { column, errors: found.map((error) => ({ ...error, path: path + error.path })) };
}

/** Whether no column of a table may have this name. */
export function isReserved(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase());
}

function checkName(name: string): FieldError[] {
  return isReserved(name) ? [{ path: "/name", message: "is the platform's own" }] : [];
}

/** The options with the other spelling of `onDelete` among them, and their defaults. */
function parseOptions({ type: name, options = {}, onDelete }: NewColumn): {
  options: Record<string, unknown>;
  errors: readonly FieldError[];
} {
  const type = columnTypeOf({ type: name });
  const all: Record<string, unknown> = { ...options };
  if (onDelete !== undefined) {
    if (name !== "reference") {
      return { options: all, errors: [{ path: "/onDelete", message: "is for references only" }] };
    }
    const other = all["onDelete"];
    if (other !== undefined && other !== onDelete) {
      const message = "differs from `options.onDelete`";
      return { options: all, errors: [{ path: "/onDelete", message }] };
    }
    all["onDelete"] = onDelete;
  }
  const validator = optionValidatorOf(type);
  if (!validator.Check(all)) {
    const errors = fieldErrors(validator.Errors(all));
    return {
      options: all,
      errors: errors.map(({ path, message }) => ({ path: `/options${path}`, message })),
    };
  }
  const toRecords = name === "reference" && !refersToUsers({ type: name, options: all });
  return { options: toRecords ? { onDelete: "restrict", ...all } : all, errors: [] };
}

function parseDefault(column: Column, type: ColumnType): { value: unknown; error?: string } {
  const { default: given } = column;
  if (given === null || isComputedDefault(column)) return { value: given };
  const read = type.parse(given, column);
  return "error" in read ? { value: null, error: read.error } : { value: read.value };
}

const optionValidators = new WeakMap<ColumnType, Validator>();

function optionValidatorOf(type: ColumnType): Validator {
  let validator = optionValidators.get(type);
  if (!validator) optionValidators.set(type, (validator = Compile(type.options)));
  return validator;
}

interface FieldsContext {
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
  writing: FieldsContext,
): { readonly values: RecordFields } | { readonly errors: readonly FieldError[] } {
  const isNew = writing.for === "create";
  const values: Record<string, Json> = {};
  const errors: FieldError[] = [];
  let namedCount = 0;
  for (const column of columns) {
    const { name, columnType } = column;
    // Not by a look-up alone: a column may be called `constructor`.
    const isNamed = Object.hasOwn(body, name);
    if (isNamed) namedCount += 1;
    if (columnType.generated) {
      if (isNamed) errors.push({ path: `/${name}`, message: "is filled by the platform" });
      continue;
    }
    if (!isNamed && !isNew) continue;
    const given = isNamed ? body[name] : resolveDefault(column, writing);
    if (given === null || given === undefined) {
      if (column.required) errors.push({ path: `/${name}`, message: "is required" });
      else values[name] = null;
      continue;
    }
    // A default was read when it was saved.
    const read = isNamed ? columnType.parse(given, column) : { value: given as Json };
    if ("error" in read) errors.push({ path: `/${name}`, message: read.error });
    else values[name] = read.value;
  }
  const names = Object.keys(body);
  if (namedCount < names.length) errors.push(...unknownFieldErrors(names, byName));
  return errors.length > 0 ? { errors: errors.slice(0, FIELD_ERRORS_MAX) } : { values };
}

function unknownFieldErrors(
  names: readonly string[],
  known: ReadonlyMap<string, unknown>,
): FieldError[] {
  return names
    .filter((name) => !known.has(name))
    .slice(0, FIELD_ERRORS_MAX)
    .map((name) => ({
      path: jsonPointer("", name),
      message: isReserved(name) ? "is filled by the platform" : "is not a field of this table",
    }));
}
