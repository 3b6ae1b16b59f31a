/** Columns for search by meaning: vectors supplied by clients, and embeddings of texts. */
import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { type Column, ColumnName } from "../table.ts";
import { asStored, type ColumnType, type Json } from "../columns/column-type.ts";
import { computed } from "../columns/relations/computed-column.ts";

export const VECTOR_DIMENSIONS_MAX = 4_096;
const SOURCES_MAX = 10;

/** A vector that another model computed, as JSON in the record. */
export const vector: ColumnType = {
  summary: "A vector of `options.dimensions` numbers, for similarity search",
  options: object({
    dimensions: Type.Integer({
      minimum: 2,
      maximum: VECTOR_DIMENSIONS_MAX,
      description: "Number of dimensions",
    }),
  }),
  check: ({ unique, indexed, default: value }) => [
    ...(unique ? [{ path: "/unique", message: "is not supported for this type" }] : []),
    ...(indexed ? [{ path: "/indexed", message: "is not supported for this type" }] : []),
    ...(value === null ? [] : [{ path: "/default", message: "is not supported for this type" }]),
  ],
  sqlType: () => "jsonb",
  parameterType: "jsonb",
  constraint: (column, quoted) =>
    `case when jsonb_typeof(${quoted}) = 'array' then jsonb_array_length(${quoted}) = ${dimensionsOf(column)} ` +
    `and not jsonb_path_exists(${quoted}, '$[*] ? (@.type() != "number")') else false end`,
  isEnforced: () => true,
  parse(value, column) {
    const count = dimensionsOf(column);
    const error = `must be a list of ${count} numbers that are not all 0`;
    if (!Array.isArray(value) || value.length !== count) return { error };
    const list: readonly unknown[] = value;
    const isSound = list.every((one) => typeof one === "number" && Number.isFinite(one));
    if (!isSound || list.every((one) => one === 0)) return { error };
    // Parsed from the text, because PostgreSQL does not store negative zero.
    return { value: JSON.parse(JSON.stringify(list)) as Json };
  },
  store: (value) => JSON.stringify(value),
  show: asStored,
  kind: "json",
  parseCell: parseNumbers,
  formatCell: (value) => JSON.stringify(value),
  convertFrom: (from, _, quoted) =>
    from.type === "vector" || from.type === "json" ? quoted : undefined,
};

/** Invalid JSON becomes undefined, which `parse` rejects. */
function parseNumbers(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return undefined;
  }
}

/** The number of dimensions of a vector column. */
export function dimensionsOf({ options }: Pick<Column, "options">): number {
  return Number(options["dimensions"]);
}

/** The meaning of some texts of the record: the vectors are kept apart from it, and worked out after each change. */
export const embedding: ColumnType = {
  ...computed,
  summary:
    "Enables similarity search by the texts in `options.columns`. The value is `embedded`, or `pending` until the model has processed the texts",
  options: object({
    columns: Type.Array(ColumnName, {
      minItems: 1,
      maxItems: SOURCES_MAX,
      uniqueItems: true,
      description: "Columns of the types text, enum, email and url, in this order",
    }),
  }),
};

/** The names of the columns whose texts are embedded. */
export function sourcesOf({ options }: Pick<Column, "options">): readonly string[] {
  const { columns } = options;
  return Array.isArray(columns) ? (columns as readonly string[]) : [];
}
