/** The mapping of file columns to fields, and how their cells are parsed. */
import type { Schemas } from "../../data/api.ts";
import { type GridColumn, titleOfColumn } from "../column/column.ts";

export type Import = Schemas["Import"];
export type SourceColumn = Schemas["SourceColumn"];
export type ColumnMapping = Schemas["ColumnMapping"];

/** Column types supported by imports. */
export const FILE_TYPES: readonly string[] = [
  "text",
  "integer",
  "decimal",
  "boolean",
  "date",
  "timestamp",
  "enum",
  "multi_enum",
  "reference",
  "duration",
  "email",
  "url",
  "json",
];

/** The initial mapping if the server has none: every column with its guessed type. */
export function firstMapping({ mapping, columns }: Pick<Import, "mapping" | "columns">) {
  return mapping.length > 0 ? mapping : columns.map((_, at) => guessedMapping(columns, at));
}

export function guessedMapping(columns: readonly SourceColumn[], at: number): ColumnMapping {
  const guess = columns[at];
  return {
    column: at,
    field: guess?.field ?? `column${at + 1}`,
    type: guess?.type ?? "text",
    options: guess?.options ?? {},
    // If both date orders are possible, the user decides.
    ...(guess?.dateOrder && !guess.isAmbiguous && { dateOrder: guess.dateOrder }),
    ...(guess?.decimalMark && { decimalMark: guess.decimalMark }),
  };
}

/** Inserts the mapping of one column, or removes it. */
export function putMapping(
  mapping: readonly ColumnMapping[],
  column: number,
  next: ColumnMapping | undefined,
): readonly ColumnMapping[] {
  const others = mapping.filter((one) => one.column !== column);
  return (next ? [...others, next] : others).toSorted((a, b) => a.column - b.column);
}

/** Changes the type of a new column. Choices are the values in the file; references need a table. */
export function withType(mapping: ColumnMapping, type: string, guess: SourceColumn): ColumnMapping {
  const { match: _, ...rest } = mapping;
  const { suggestion } = guess;
  const known = type === guess.type ? guess : type === suggestion?.type ? suggestion : undefined;
  return {
    ...rest,
    type: type as NonNullable<ColumnMapping["type"]>,
    options: known?.options ?? {},
  };
}

/** Derives a table from a file name: `orders 2026.xlsx` becomes `Orders 2026` with the slug `orders_2026`. */
export function toNewTable(fileName: string): { readonly slug: string; readonly name: string } {
  const bare = fileName
    .replace(/\.[a-z]{2,5}$/i, "")
    .replaceAll(/[_-]+/g, " ")
    .trim();
  const name = (bare.charAt(0).toUpperCase() + bare.slice(1)).slice(0, 100) || "Imported";
  return { name, slug: toSlug(name) };
}

export function toSlug(name: string): string {
  const words = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const slug = words.join("_").replace(/^[^a-z]+/, "");
  return slug.slice(0, 50) || "imported";
}

/** Returns whether the user must select the date order of a column. */
export const needsOrder = (
  { dateOrder }: ColumnMapping,
  type: string | undefined,
  guess: SourceColumn | undefined,
): boolean =>
  (type === "date" || type === "timestamp") &&
  guess?.isAmbiguous === true &&
  dateOrder === undefined;

interface MappingContext {
  readonly columns: readonly SourceColumn[];
  /** The slug of an existing table. */
  readonly table: string | null;
  readonly newTable: { readonly name: string } | null;
  /** The columns of that table. */
  readonly fields: readonly Pick<GridColumn, "name" | "title">[];
  readonly typeOf: (field: string) => string | undefined;
}

/** Returns why the import can't be validated yet; undefined if it can. */
export function mappingFault(
  mapping: readonly ColumnMapping[],
  { columns, table, newTable, typeOf, fields: named }: MappingContext,
): string | undefined {
  if (table === null && (newTable?.name.trim() ?? "") === "") return "Enter a name for the table.";
  if (mapping.length === 0) return "Select at least one column.";
  const fields = mapping.map(({ field }) => field);
  const double = fields.find((field, n) => fields.indexOf(field) !== n);
  if (double !== undefined)
    return `Two columns of the file are mapped to ${titleOfColumn(named, double)}.`;
  if (mapping.some(({ title }) => title?.trim() === "")) return "Enter a title for each column.";
  const open = mapping.find(({ type, options }) => type === "reference" && !options?.["table"]);
  if (open) return `Select the table that ${open.title ?? open.field} refers to.`;
  const dated = mapping.find((one) =>
    needsOrder(one, table === null ? one.type : typeOf(one.field), columns[one.column]),
  );
  const header = dated && columns[dated.column]?.header;
  return header === undefined
    ? undefined
    : `Select the date order of “${header}”: day first or month first.`;
}

const WORKING = new Set(["analyzing", "checking", "running", "taking_back"]);

/** Returns whether the server is processing the import. */
export const isWorking = ({ state }: Pick<Import, "state">): boolean => WORKING.has(state);
