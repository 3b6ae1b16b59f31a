/** Columns for the grid: the table's columns and the system columns. */
import type { Schemas } from "../../data/api.ts";

export type TableShape = Schemas["TableWithAccess"];
export type Column = Schemas["Column"];

export interface GridColumn {
  /** The API name of the column. */
  readonly name: string;
  /** The title, exactly as the user wrote it. */
  readonly title: string;
  /** The type from the server. Columns of unknown types are displayed and read-only. */
  readonly type: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly description: string;
  /** The reason why the column is read-only. */
  readonly readOnly: string | undefined;
  /** Exists in every table. */
  readonly isSystem: boolean;
  /** True if new records get a default value. */
  readonly hasDefault?: boolean;
}

const SYSTEM: readonly GridColumn[] = [
  systemColumn("createdAt", "Created at", "timestamp"),
  systemColumn("createdBy", "Created by", "reference", { table: "users" }),
  systemColumn("updatedAt", "Updated at", "timestamp"),
];
/** Types with user input; the server computes all others. */
const WRITABLE = new Set([
  "text",
  "integer",
  "decimal",
  "boolean",
  "date",
  "timestamp",
  "json",
  "enum",
  "multi_enum",
  "reference",
  "links",
  "email",
  "url",
  "user",
  "duration",
]);

export function toGridColumns(table: TableShape): readonly GridColumn[] {
  const own = table.columns.map(
    ({
      name,
      title,
      type,
      options,
      required,
      unique,
      description,
      default: value,
    }): GridColumn => ({
      name,
      title,
      type,
      options,
      isRequired: required,
      isUnique: unique,
      description,
      readOnly: WRITABLE.has(type) ? undefined : explainReadOnly(type, options),
      isSystem: false,
      hasDefault: (value ?? null) !== null,
    }),
  );
  return [...own, ...SYSTEM];
}

function systemColumn(
  name: string,
  title: string,
  type: string,
  options: GridColumn["options"] = {},
): GridColumn {
  return {
    name,
    title,
    type,
    options,
    isRequired: true,
    isUnique: false,
    description: "",
    readOnly: "System field, set by the server in every record.",
    isSystem: true,
  };
}

export function choicesOf({ options: { values } }: Pick<GridColumn, "options">): readonly string[] {
  return Array.isArray(values) ? values.map(String) : [];
}

/** Returns the slug of the referenced table, or `users`. */
export function targetOf(column: Pick<GridColumn, "type" | "options">): string | undefined {
  if (column.type === "user") return "users";
  const { table } = column.options;
  return REFERENCES.has(column.type) && typeof table === "string" ? table : undefined;
}

/** Returns the table of the linked records, for links and backlinks. */
export function linkTargetOf({
  type,
  options: { table },
}: Pick<GridColumn, "type" | "options">): string | undefined {
  return LINKS.has(type) && typeof table === "string" ? table : undefined;
}

/** Explains where the values of a read-only column come from. */
export function explainReadOnly(type: string, options: GridColumn["options"]): string {
  const text = (name: string): string => {
    const value = options[name];
    return typeof value === "string" ? value : "";
  };
  switch (type) {
    case "formula":
      return `Formula: ${text("expression")}`;
    case "lookup":
      return `Lookup: ${text("path")}`;
    case "rollup":
      return `Rollup: ${text("function")} of ${[text("via"), text("field")].filter(Boolean).join(".")}`;
    case "backlinks":
      return `Backlinks: records of ${text("table")} whose ${text("column")} refers to this record`;
    case "file":
    case "image":
      return "To add or remove files, open the record.";
    case "embedding":
      return `Embedding of ${listOf(options["columns"]).join(", ")}, for similarity search`;
    case "vector":
      return "Vectors are written through the API and used for similarity search.";
    case "autonumber":
      return "The server numbers the records.";
    default:
      return "The server sets this column.";
  }
}

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];

const REFERENCES = new Set(["reference"]);
const LINKS = new Set(["links", "backlinks"]);
const COMPUTED = new Set(["lookup", "rollup", "formula", "backlinks", "embedding"]);
const NUMBERS = new Set(["integer", "decimal", "autonumber", "duration"]);

/** Returns whether cells of the column contain files. */
export const isFiles = ({ type }: Pick<GridColumn, "type">): boolean =>
  type === "file" || type === "image";

/** Returns whether values are computed on read and not stored. */
export const isComputed = ({ type }: Pick<GridColumn, "type">): boolean => COMPUTED.has(type);

export const isNumber = ({ type }: Pick<GridColumn, "type">): boolean => NUMBERS.has(type);

/**
 * Returns the title of a column, also of system columns. For `customer.city`, it is the title of the reference and
 * the field.
 */
export function titleOfColumn(
  columns: readonly Pick<GridColumn, "name" | "title">[],
  name: string,
): string {
  const find = (one: string) =>
    [...columns, ...SYSTEM].find((column) => column.name === one)?.title;
  const [first = "", ...rest] = name.split(".");
  return find(name) ?? [find(first) ?? first, ...rest].join(" · ");
}
