/** What an import says about items, read item by item. */
import Type from "typebox";
import type { CsvFile, CsvRow } from "#kernel/csv/parse-csv.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { isObject, type ObjectSchema } from "../classes/schema.ts";
import type { ItemInput } from "../items/item-change.ts";
import { fields } from "../items/item.ts";
import type { ItemKey } from "../items/store.ts";
import { valueOfCell } from "./cell.ts";

/** One item of an import that is well-formed. */
export interface ImportRow {
  /** Where it stands: `/items/16`, or `line 17`. */
  readonly path: string;
  readonly is: ItemKey;
  readonly given: ItemInput;
}

/** The candidates, and what is wrong with the others. */
export interface ValidatedRows {
  readonly candidates: readonly ImportRow[];
  readonly skipped: number;
  readonly faults: readonly FieldError[];
}

const { key: _, ...others } = fields;
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
const shape = new Validator(ImportItem, "body");

/** What the platform fills itself is passed over, so that an export can be imported. */
const PASSED_OVER: ReadonlySet<string> = new Set(["id", "createdBy", "createdAt", "updatedAt"]);

const TURN_ITEMS = 500;

/** What is said of one item, not looked at yet, or why it can't even be looked at. */
export type Entry = { readonly path: string } & (
  | { readonly raw: unknown }
  | { readonly fault: string }
);

/** Reads what is said of each item; `defaultClass` is of those that do not name theirs. */
export async function validateRows(
  all: readonly Entry[],
  defaultClass: string | undefined,
): Promise<ValidatedRows> {
  const candidates: ImportRow[] = [];
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, entry] of all.entries()) {
    // Others want to be served too.
    if (index % TURN_ITEMS === TURN_ITEMS - 1) await new Promise(setImmediate);
    const read = readEntry(entry, defaultClass);
    if ("faults" in read) {
      faults.push(...read.faults);
      continue;
    }
    const name = nameOf(read.is);
    if (seen.has(name)) {
      const message = "is the key of an earlier item of this class";
      faults.push({ path: `${entry.path}/key`, message });
      continue;
    }
    seen.add(name);
    candidates.push(read);
  }
  return { candidates, skipped: all.length - candidates.length, faults };
}

/** Tells keys of different classes apart. */
export function nameOf({ class: itemClass, key }: ItemKey): string {
  return `${itemClass} ${key}`;
}

function readEntry(
  entry: Entry,
  defaultClass: string | undefined,
): ImportRow | { readonly faults: readonly FieldError[] } {
  const { path } = entry;
  if ("fault" in entry) return { faults: [{ path, message: entry.fault }] };
  const { raw } = entry;
  const known = isObject(raw)
    ? Object.fromEntries(Object.entries(raw).filter(([name]) => !PASSED_OVER.has(name)))
    : raw;
  const checked = shape.check(known);
  if ("faults" in checked) {
    return {
      faults: checked.faults.map(({ path: at, message }) => ({ path: path + at, message })),
    };
  }
  // It has just passed the schema, of which this is the type.
  const given = checked.value as ItemInput & { readonly key: string };
  const itemClass = given.class ?? defaultClass;
  if (itemClass === undefined) {
    return { faults: [{ path: `${path}/class`, message: "is required" }] };
  }
  return {
    path,
    is: { class: itemClass, key: given.key },
    given: { ...given, class: itemClass },
  };
}

const ATTRIBUTE = "attributes.";
/** An empty cell takes these away; of all others it says nothing. */
const CLEARED: ReadonlySet<string> = new Set(["ownerId", "teamId"]);

/** The classes that the rows of a file name. */
export function classesIn({ header, rows }: CsvFile, defaultClass: string | undefined): string[] {
  const place = header.indexOf("class");
  const named = place === -1 ? [] : rows.flatMap(({ cells }) => cells[place] ?? []);
  return [...new Set([...named, ...(defaultClass === undefined ? [] : [defaultClass])])];
}

/** What is wrong with the names of columns. */
export function headerFaults({ header }: CsvFile): readonly FieldError[] {
  return header.flatMap((name, index) => {
    const path = `line 1/${name}`;
    if (header.indexOf(name) < index) return [{ path, message: "is named twice" }];
    const isKnown =
      name in ImportItem.properties ||
      PASSED_OVER.has(name) ||
      (name.startsWith(ATTRIBUTE) && name.length > ATTRIBUTE.length);
    return isKnown ? [] : [{ path, message: "is not a field of items" }];
  });
}

/** A row as the object that JSON would have. */
export function entryOfRow(
  header: readonly string[],
  { line, cells }: CsvRow,
  schemaOf: (itemClass: string | null) => ObjectSchema | undefined,
): Entry {
  const path = `line ${line}`;
  if (cells.length > header.length) return { path, fault: "has more cells than line 1" };
  const itemClass = cells[header.indexOf("class")] ?? null;
  const properties = schemaOf(itemClass)?.properties ?? {};
  const item: [string, unknown][] = [];
  const attributes: [string, unknown][] = [];
  for (const [index, column] of header.entries()) {
    const cell = cells[index] ?? null;
    if (column.startsWith(ATTRIBUTE)) {
      const name = column.slice(ATTRIBUTE.length);
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      attributes.push([name, cell === null ? null : valueOfCell(cell, schema)]);
    } else if (column === "attributes") {
      const whole = cell === null ? {} : valueOfCell(cell, undefined);
      if (isObject(whole)) attributes.push(...Object.entries(whole));
      else item.push([column, whole]);
    } else if (cell !== null || CLEARED.has(column)) item.push([column, cell]);
  }
  const isWrong = item.some(([column]) => column === "attributes");
  if (attributes.length > 0 && !isWrong) item.push(["attributes", Object.fromEntries(attributes)]);
  return { path, raw: Object.fromEntries(item) };
}
