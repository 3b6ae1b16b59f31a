/** Parses and validates imported items. */
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import Type from "typebox";
import type { CsvFile, CsvRow } from "#kernel/csv/parse-csv.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { isObject, type ObjectSchema } from "../classes/schema.ts";
import type { ItemInput } from "../items/item-change.ts";
import { itemFields } from "../items/item.ts";
import type { ItemKey } from "../items/store.ts";
import { parseCell } from "./cell.ts";

/** A valid item of an import. */
export interface ImportRow {
  /** Its position: `/items/16`, or `line 17`. */
  readonly path: string;
  readonly itemKey: ItemKey;
  readonly input: ItemInput;
}

/** The valid rows, and the errors of invalid rows. */
export interface ValidatedRows {
  readonly valid: readonly ImportRow[];
  readonly skipped: number;
  readonly errors: readonly FieldError[];
}

const { key: _, ...others } = itemFields;
const ImportItem = object({
  key: Type.String({ minLength: 1, maxLength: 200 }),
  name: Type.Optional(others.name),
  class: Type.Optional(others.class),
  status: Type.Optional(others.status),
  description: Type.Optional(others.description),
  attributes: Type.Optional(others.attributes),
  ownerId: Type.Optional(others.ownerId),
  teamId: Type.Optional(others.teamId),
});
const validator = new Validator(ImportItem, "body");

/** Fields set by the platform. Ignored, so that an export can be imported. */
const IGNORED_FIELDS: ReadonlySet<string> = new Set(["id", "createdBy", "createdAt", "updatedAt"]);

/** An item of an import before validation, or the error that prevents it. */
export type RawImportRow = { readonly path: string } & (
  | { readonly raw: unknown }
  | { readonly error: string }
);

/** Validates each item. Items without a class get `defaultClass`. */
export async function validateRows(
  all: readonly RawImportRow[],
  defaultClass: string | undefined,
): Promise<ValidatedRows> {
  const valid: ImportRow[] = [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const turn = new TurnTimer();
  for (const row of all) {
    if (turn.isOver()) await turn.next();
    const parsed = parseRow(row, defaultClass);
    if ("errors" in parsed) {
      errors.push(...parsed.errors);
      continue;
    }
    const name = itemKeyText(parsed.itemKey);
    if (seen.has(name)) {
      const message = "is already the key of an earlier item of this class";
      errors.push({ path: `${row.path}/key`, message });
      continue;
    }
    seen.add(name);
    valid.push(parsed);
  }
  return { valid, skipped: all.length - valid.length, errors };
}

/** A text unique per class and key. */
export function itemKeyText({ class: itemClass, key }: ItemKey): string {
  return `${itemClass} ${key}`;
}

function parseRow(
  row: RawImportRow,
  defaultClass: string | undefined,
): ImportRow | { readonly errors: readonly FieldError[] } {
  const { path } = row;
  if ("error" in row) return { errors: [{ path, message: row.error }] };
  const { raw } = row;
  const known = isObject(raw)
    ? Object.fromEntries(Object.entries(raw).filter(([name]) => !IGNORED_FIELDS.has(name)))
    : raw;
  const checked = validator.check(known);
  if ("errors" in checked) {
    return {
      errors: checked.errors.map(({ path: at, message }) => ({ path: path + at, message })),
    };
  }
  // It was just validated against this type.
  const input = checked.value as ItemInput & { readonly key: string };
  const itemClass = input.class ?? defaultClass;
  if (itemClass === undefined) {
    return { errors: [{ path: `${path}/class`, message: "is required" }] };
  }
  return {
    path,
    itemKey: { class: itemClass, key: input.key },
    input: { ...input, class: itemClass },
  };
}

const ATTRIBUTE_PREFIX = "attributes.";
/** An empty cell clears these fields, and leaves other fields unchanged. */
const CLEARABLE_FIELDS: ReadonlySet<string> = new Set(["ownerId", "teamId"]);

/** Lists the classes named in the rows of a file. */
export function classNamesIn(
  { header, rows }: CsvFile,
  defaultClass: string | undefined,
): string[] {
  const column = header.indexOf("class");
  const named = column === -1 ? [] : rows.flatMap(({ cells }) => cells[column] ?? []);
  return [...new Set([...named, ...(defaultClass === undefined ? [] : [defaultClass])])];
}

/** Checks the names of columns. */
export function headerErrors({ header }: CsvFile): readonly FieldError[] {
  return header.flatMap((name, index) => {
    const path = `line 1/${name}`;
    if (header.indexOf(name) < index) return [{ path, message: "appears twice" }];
    const isKnown =
      name in ImportItem.properties ||
      IGNORED_FIELDS.has(name) ||
      (name.startsWith(ATTRIBUTE_PREFIX) && name.length > ATTRIBUTE_PREFIX.length);
    return isKnown ? [] : [{ path, message: "is not a field of items" }];
  });
}

/** Converts a CSV row to its JSON form. */
export function csvToRawRow(
  header: readonly string[],
  { line, cells }: CsvRow,
  schemaOf: (itemClass: string | null) => ObjectSchema | undefined,
): RawImportRow {
  const path = `line ${line}`;
  if (cells.length > header.length) return { path, error: "has more cells than line 1" };
  const itemClass = cells[header.indexOf("class")] ?? null;
  const properties = schemaOf(itemClass)?.properties ?? {};
  const item: [string, unknown][] = [];
  const attributes: [string, unknown][] = [];
  for (const [index, column] of header.entries()) {
    const cell = cells[index] ?? null;
    if (column.startsWith(ATTRIBUTE_PREFIX)) {
      const name = column.slice(ATTRIBUTE_PREFIX.length);
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      attributes.push([name, cell === null ? null : parseCell(cell, schema)]);
    } else if (column === "attributes") {
      const whole = cell === null ? {} : parseCell(cell, undefined);
      if (isObject(whole)) attributes.push(...Object.entries(whole));
      else item.push([column, whole]);
    } else if (cell !== null || CLEARABLE_FIELDS.has(column)) item.push([column, cell]);
  }
  const isWrong = item.some(([column]) => column === "attributes");
  if (attributes.length > 0 && !isWrong) item.push(["attributes", Object.fromEntries(attributes)]);
  return { path, raw: Object.fromEntries(item) };
}
