/** A column as the grid shows it: those of the table, and those that every table has. */
import type { Schemas } from "../../data/api.ts";

export type TableShape = Schemas["TableWithAccess"];
export type Column = Schemas["Column"];

export interface GridColumn {
  /** What the API calls it. */
  readonly name: string;
  /** What people call it: their own words, never changed. */
  readonly title: string;
  /** As the server says it; one that this console does not know is shown and not edited. */
  readonly type: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly description: string;
  /** Says why nobody writes into it here. */
  readonly readOnly: string | undefined;
  /** Every table has it. */
  readonly isSystem: boolean;
  /** A new record gets a value here where it names none. */
  readonly hasDefault?: boolean;
}

const SYSTEM: readonly GridColumn[] = [
  systemColumn("createdAt", "Created at", "timestamp"),
  systemColumn("createdBy", "Created by", "reference", { table: "users" }),
  systemColumn("updatedAt", "Updated at", "timestamp"),
];
/** Types that people fill; whatever else there is, the server fills. */
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
    readOnly: "Every record has this; the server fills it.",
    isSystem: true,
  };
}

/** The values of a choice. */
export function choicesOf({ options: { values } }: Pick<GridColumn, "options">): readonly string[] {
  return Array.isArray(values) ? values.map(String) : [];
}

/** The table that a reference leads to, or `users`. */
export function targetOf(column: Pick<GridColumn, "type" | "options">): string | undefined {
  if (column.type === "user") return "users";
  const { table } = column.options;
  return REFERENCES.has(column.type) && typeof table === "string" ? table : undefined;
}

/** The table whose records a column lists: links of its own, or those from the other end. */
export function linkTargetOf({
  type,
  options: { table },
}: Pick<GridColumn, "type" | "options">): string | undefined {
  return LINKS.has(type) && typeof table === "string" ? table : undefined;
}

/** Says where the values of a column come from that nobody writes into. */
export function explainReadOnly(type: string, options: GridColumn["options"]): string {
  const text = (name: string): string => {
    const value = options[name];
    return typeof value === "string" ? value : "";
  };
  switch (type) {
    case "formula":
      return `Computed: ${text("expression")}`;
    case "lookup":
      return `Looked up: ${text("path")}`;
    case "rollup":
      return `Rolled up: ${text("function")} of ${[text("via"), text("field")].filter(Boolean).join(".")}`;
    case "backlinks":
      return `Those of ${text("table")} that refer here by ${text("column")}`;
    case "file":
    case "image":
      return "Open the record to add and take off files.";
    case "embedding":
      return `Found by the meaning of ${listOf(options["columns"]).join(", ")}`;
    case "vector":
      return "Programs write vectors; records are found by how near they are.";
    case "autonumber":
      return "The server numbers records in their order.";
    default:
      return "The server fills this column.";
  }
}

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];

const REFERENCES = new Set(["reference"]);
const LINKS = new Set(["links", "backlinks"]);
const COMPUTED = new Set(["lookup", "rollup", "formula", "backlinks", "embedding"]);
const NUMBERS = new Set(["integer", "decimal", "autonumber", "duration"]);

/** True where a cell holds files. */
export const isFiles = ({ type }: Pick<GridColumn, "type">): boolean =>
  type === "file" || type === "image";

/** True where the values are computed when they are read: nothing of them is stored. */
export const isComputed = ({ type }: Pick<GridColumn, "type">): boolean => COMPUTED.has(type);

export const isNumber = ({ type }: Pick<GridColumn, "type">): boolean => NUMBERS.has(type);

/**
 * What people call the column of a name: its title. Of `customer.city` it is the title of the reference, and the
 * field. Fields of every record have titles too.
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
