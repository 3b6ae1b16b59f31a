/** A column as the grid shows it: those of the table, and those that every table has. */
import type { Schemas } from "../../data/api.ts";

export type TableShape = Schemas["SeenTable"];
export type Column = Schemas["Column"];

export interface GridColumn {
  readonly name: string;
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
}

const SYSTEM: readonly (readonly [string, string, object])[] = [
  ["createdAt", "timestamp", {}],
  ["createdBy", "reference", { table: "users" }],
  ["updatedAt", "timestamp", {}],
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
  "email",
  "url",
  "phone",
  "user",
  "duration",
  "percent",
  "currency",
  "rating",
]);

export function toGridColumns(table: TableShape): readonly GridColumn[] {
  const own = table.columns.map(
    ({ name, type, options, required, unique, description }): GridColumn => ({
      name,
      type,
      options,
      isRequired: required,
      isUnique: unique,
      description,
      readOnly: WRITABLE.has(type) ? undefined : "The server fills this column.",
      isSystem: false,
    }),
  );
  return [...own, ...SYSTEM.map(([name, type, options]) => systemColumn(name, type, options))];
}

function systemColumn(name: string, type: string, options: object): GridColumn {
  return {
    name,
    type,
    options: { ...options },
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

const REFERENCES = new Set(["reference", "link"]);
const NUMBERS = new Set([
  "integer",
  "decimal",
  "autonumber",
  "duration",
  "percent",
  "currency",
  "rating",
]);

export const isNumber = ({ type }: Pick<GridColumn, "type">): boolean => NUMBERS.has(type);

/** `orderedAt` and `ordered_at` as `Ordered at`: the name itself is a tooltip. */
export function toLabel(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1).replaceAll(/ [A-Z](?![A-Z])/g, lower);
}

const lower = (text: string): string => text.toLowerCase();
