/**
 * Steps that change the structure of tables, of which the operations on tables and migrations consist.
 * Each has an inverse, which is again a list of steps.
 */
import Type, { type Static, type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, nullable, object, text } from "#kernel/schema/schema.ts";
import { Validator } from "#kernel/schema/validator.ts";
import {
  COLUMNS_MAX,
  COLUMN_TYPES,
  ColumnName,
  ColumnTitle,
  Rule,
  RULES_MAX,
  Slug,
} from "../table.ts";
import { ColumnInput, NewColumn } from "../columns/new-column.ts";
import { nameColumns } from "../columns/naming/column-title.ts";

const INDEX_COLUMNS_MAX = 8;
export const INDEXES_MAX = 50;

const table = Slug;

/** The fields of a column change; absent fields stay unchanged. */
export const columnChangeFields = {
  title: Type.Optional(nullable(ColumnTitle)),
  type: Type.Optional(Type.Enum([...COLUMN_TYPES])),
  required: Type.Optional(Type.Boolean()),
  unique: Type.Optional(Type.Boolean()),
  indexed: Type.Optional(Type.Boolean()),
  default: Type.Optional(Type.Unknown({ description: "Null for no default" })),
  options: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Replaces all options: omitted options get their defaults",
    }),
  ),
  onDelete: NewColumn.properties.onDelete,
  description: NewColumn.properties.description,
};

const ColumnChange = Type.Object(columnChangeFields, {
  additionalProperties: false,
  minProperties: 1,
  title: "ColumnChange",
});
export type ColumnChange = Static<typeof ColumnChange>;

const IndexColumns = Type.Array(ColumnName, {
  minItems: 1,
  maxItems: INDEX_COLUMNS_MAX,
  uniqueItems: true,
  description: "The columns in order. `createdAt`, `updatedAt` and `createdBy` are also allowed",
});

export const NewIndex = object(
  {
    columns: IndexColumns,
    unique: Type.Optional(
      Type.Boolean({ description: "Whether the combination of values must be unique" }),
    ),
    name: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z][A-Za-z0-9_-]{0,62}$",
        description:
          "Default: derived from the columns. Without a name, an index of one column equals `indexed` or `unique` of the column",
      }),
    ),
  },
  { title: "NewIndex" },
);
export type NewIndex = Static<typeof NewIndex>;

/** Selects an index by its name, or by its columns. */
export const IndexSelector = Type.Object(
  {
    name: Type.Optional(line(63)),
    columns: Type.Optional(IndexColumns),
    unique: Type.Optional(
      Type.Boolean({ description: "Required if two indexes have the same columns" }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type IndexSelector = Static<typeof IndexSelector>;

/** The fields of a table, except its slug. */
export const tableFields = {
  name: line(100, "Display name"),
  description: text(2_000),
  rules: Type.Array(Rule, { maxItems: RULES_MAX }),
};

/** The fields of a new table. */
export const newTableFields = {
  description: Type.Optional(tableFields.description),
  columns: Type.Array(ColumnInput, { maxItems: COLUMNS_MAX }),
  indexes: Type.Optional(Type.Array(NewIndex, { maxItems: INDEXES_MAX })),
  rules: Type.Optional(tableFields.rules),
};

const CreateTable = object({
  op: Type.Literal("create_table"),
  table,
  name: Type.Optional(tableFields.name),
  ...newTableFields,
  columns: Type.Array(NewColumn, { maxItems: COLUMNS_MAX }),
});

const AlterTable = object({
  op: Type.Literal("alter_table"),
  table,
  name: Type.Optional(tableFields.name),
  description: Type.Optional(tableFields.description),
  rules: Type.Optional(tableFields.rules),
});

const DropTable = object({ op: Type.Literal("drop_table"), table });

const AddColumn = object({
  op: Type.Literal("add_column"),
  table,
  column: NewColumn,
  position: Type.Optional(
    Type.Integer({ minimum: 0, maximum: COLUMNS_MAX, description: "Default: at the end" }),
  ),
  optionalIfFilled: Type.Optional(
    Type.Boolean({
      description:
        "Whether a required column without a default becomes optional if the table has records",
    }),
  ),
});

const RenameColumn = object({
  op: Type.Literal("rename_column"),
  table,
  from: ColumnName,
  to: ColumnName,
});

const AlterColumn = object({
  op: Type.Literal("alter_column"),
  table,
  column: ColumnName,
  change: ColumnChange,
});

const DropColumn = object({ op: Type.Literal("drop_column"), table, column: ColumnName });

const AddIndex = object({ op: Type.Literal("add_index"), table, ...NewIndex.properties });

const DropIndex = object({ op: Type.Literal("drop_index"), table, ...IndexSelector.properties });

const SCHEMAS = {
  create_table: CreateTable,
  alter_table: AlterTable,
  drop_table: DropTable,
  add_column: AddColumn,
  rename_column: RenameColumn,
  alter_column: AlterColumn,
  drop_column: DropColumn,
  add_index: AddIndex,
  drop_index: DropIndex,
} as const satisfies Record<string, TSchema>;

type Op = keyof typeof SCHEMAS;

/** A step of one kind. */
export type TableStepOf<Kind extends Op> = Static<(typeof SCHEMAS)[Kind]>;
export type TableStep = { [Kind in Op]: TableStepOf<Kind> }[Op];

const OPS = Object.keys(SCHEMAS);
const stepValidators = new Map<string, Validator>(
  Object.entries(SCHEMAS).map(([op, schema]) => [op, new Validator(schema, "body")]),
);

/** Parses one step; the paths of errors are within it. `others` are kinds that the caller parses itself. */
export function parseStep(
  value: unknown,
  others: readonly string[] = [],
): { readonly step: TableStep } | { readonly errors: readonly FieldError[] } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { errors: [{ path: "", message: "must be an object" }] };
  }
  const { op } = value as { readonly op?: unknown };
  const validator = typeof op === "string" ? stepValidators.get(op) : undefined;
  if (!validator) {
    const message = `must be one of ${[...OPS, ...others].join(", ")}`;
    return { errors: [{ path: "/op", message }] };
  }
  const checked = validator.check(withNames(value));
  if ("errors" in checked) return { errors: checked.errors };
  // It matches the schema of its `op`.
  return { step: checked.value as TableStep };
}

/** Adds column names. They depend only on the titles, so migrations use the same names in all environments. */
function withNames(value: object): object {
  const { columns, column } = value as { readonly columns?: unknown; readonly column?: unknown };
  if (isTitled(column)) return { ...value, column: nameColumns([column], { path: "" }).columns[0] };
  if (!Array.isArray(columns) || !columns.some(isTitled)) return value;
  const all = columns as readonly unknown[];
  const taken = all.flatMap((each) => (isNamed(each) ? each.name : []));
  const named = nameColumns(all.filter(isTitled), { path: "", taken }).columns.values();
  return { ...value, columns: all.map((each) => (isTitled(each) ? named.next().value : each)) };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isNamed = (value: unknown): value is { readonly name: string } =>
  isObject(value) && typeof value["name"] === "string";

/** True for a column with a title and no name. */
const isTitled = (value: unknown): value is { readonly title: string; readonly name?: string } =>
  isObject(value) && !("name" in value) && typeof value["title"] === "string";
