/** Parses table columns and record fields into canonical form. */
import { Compile, type Validator } from "typebox/compile";
import type { Principal } from "#kernel/access/caller.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import { type Column, COLUMNS_MAX, FIELD_ERRORS_MAX } from "../table.ts";
import type { NewColumn } from "./new-column.ts";
import { columnTypeOf } from "./registry.ts";
import type { ColumnSchema, ColumnType, Json } from "./column-type.ts";
import { resolveDefault, isComputedDefault } from "./default.ts";
import { refersToUsers } from "./reference.ts";
import { titleFromName } from "./naming/column-title.ts";
import { isReserved } from "./naming/reserved-names.ts";

/** A record's own fields by their names. */
export type RecordFields = Readonly<Record<string, Json>>;

/**
 * Parses the columns of a new table, or additional columns of an existing one. Fills in defaults; error paths start
 * with `path`.
 */
export function parseColumns(
  inputs: readonly NewColumn[],
  { path, beside = [] }: { readonly path: string; readonly beside?: readonly Column[] },
): { readonly columns: readonly Column[]; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const taken = new Set(beside.map(({ name }) => name.toLowerCase()));
  if (inputs.length + beside.length > COLUMNS_MAX) {
    errors.push({ path, message: `exceeds the limit of ${COLUMNS_MAX} columns of a table` });
  }
  const columns = inputs.map((input, index) => {
    const at = `${path}/${index}`;
    const parsed = parseColumn(input, at);
    errors.push(...parsed.errors);
    const name = input.name.toLowerCase();
    if (taken.has(name)) errors.push({ path: `${at}/name`, message: "already exists" });
    taken.add(name);
    return parsed.column;
  });
  return { columns, errors: errors.slice(0, FIELD_ERRORS_MAX) };
}

/** Parses one column; use the result only if there are no errors. */
export function parseColumn(
  input: NewColumn,
  path: string,
): { readonly column: Column; readonly errors: readonly FieldError[] } {
  const type = columnTypeOf(input);
  const { options, errors } = parseOptions(input);
  const column: Column = {
    name: input.name,
    title: input.title ?? titleFromName(input.name),
    type: input.type,
    // The database always fills it.
    required: (type.generated === true && !type.computed) || (input.required ?? false),
    unique: input.unique ?? false,
    // References are followed in both directions, and deletions look them up.
    indexed: input.indexed ?? INDEXED_TYPES.has(input.type),
    default: input.default ?? null,
    options,
    description: input.description ?? "",
  };
  const found = [...checkName(input.name), ...checkTitle(column.title), ...errors];
  // A value can only be parsed by valid options.
  if (errors.length === 0) {
    found.push(...(type.check?.(column) ?? []));
    const { value, error } = parseDefault(column, type);
    column.default = value;
    if (error !== undefined) found.push({ path: "/default", message: error });
  }
  return { column, errors: found.map((error) => ({ ...error, path: path + error.path })) };
}

const INDEXED_TYPES: ReadonlySet<string> = new Set(["reference", "user", "links"]);

function checkName(name: string): FieldError[] {
  return isReserved(name) ? [{ path: "/name", message: "is a reserved name" }] : [];
}

function checkTitle(title: string): FieldError[] {
  return title.trim() === "" ? [{ path: "/title", message: "must have a visible character" }] : [];
}

/** The options, including the alternative spelling of `onDelete`, with their defaults. */
function parseOptions({ type: name, options = {}, onDelete }: NewColumn): {
  options: Record<string, unknown>;
  errors: readonly FieldError[];
} {
  const type = columnTypeOf({ type: name });
  const all: Record<string, unknown> = { ...options };
  if (onDelete !== undefined) {
    if (name !== "reference") {
      return {
        options: all,
        errors: [{ path: "/onDelete", message: "is only allowed for references" }],
      };
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
  const { default: value } = column;
  if (value === null || isComputedDefault(column)) return { value };
  const parsed = type.parse(value, column);
  return "error" in parsed ? { value: null, error: parsed.error } : { value: parsed.value };
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
  readonly principal: Principal | undefined;
}

export type ParsedFields =
  | { readonly values: RecordFields }
  | { readonly errors: readonly FieldError[] };

/**
 * Parses record fields. Creating a record sets every column not filled by the database, using the input, the
 * default or null. An update only contains input fields.
 */
export function parseFields(
  schema: {
    readonly columns: readonly ColumnSchema[];
    readonly byName: ReadonlyMap<string, ColumnSchema>;
    readonly computed: ReadonlyMap<string, ColumnSchema>;
  },
  body: Readonly<Record<string, unknown>>,
  context: FieldsContext,
): ParsedFields {
  const isNew = context.for === "create";
  const values: Record<string, Json> = {};
  const errors: FieldError[] = [];
  let namedCount = 0;
  for (const column of schema.columns) {
    const { name, columnType } = column;
    // Not only by property access: a column may be named `constructor`.
    const isNamed = Object.hasOwn(body, name);
    if (isNamed) namedCount += 1;
    if (columnType.generated) {
      if (isNamed) errors.push({ path: `/${name}`, message: "is set by the platform" });
      continue;
    }
    if (!isNamed && !isNew) continue;
    const value = isNamed ? body[name] : resolveDefault(column, context);
    if (value === null || value === undefined) {
      if (column.required) errors.push({ path: `/${name}`, message: "is required" });
      else values[name] = null;
      continue;
    }
    // A default was parsed when it was saved.
    const parsed = isNamed ? columnType.parse(value, column) : { value: value as Json };
    if ("error" in parsed) errors.push({ path: `/${name}`, message: parsed.error });
    else values[name] = parsed.value;
  }
  const names = Object.keys(body);
  if (namedCount < names.length) errors.push(...unknownFieldErrors(names, schema));
  return errors.length > 0 ? { errors: errors.slice(0, FIELD_ERRORS_MAX) } : { values };
}

function unknownFieldErrors(
  names: readonly string[],
  { byName, computed }: Record<"byName" | "computed", ReadonlyMap<string, unknown>>,
): FieldError[] {
  return names
    .filter((name) => !byName.has(name))
    .slice(0, FIELD_ERRORS_MAX)
    .map((name) => ({
      path: jsonPointer("", name),
      message: computed.has(name)
        ? "is calculated"
        : isReserved(name)
          ? "is set by the platform"
          : "is not a field of this table",
    }));
}
