/** Columns whose values are computed on read and not stored. */
import Type from "typebox";
import { ConditionSchema, type Condition } from "#kernel/condition/condition.ts";
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import { type Column, ColumnName, Slug } from "../../table.ts";
import { asStored, type ColumnType, type Json } from "../column-type.ts";

const IMPOSSIBLE = "is not supported for this type";

/** The common part of relations. */
export const computed = {
  computed: true,
  generated: true,
  check: (column: Column) => [
    ...checkUnstored(column),
    ...(column.indexed ? [{ path: "/indexed", message: IMPOSSIBLE }] : []),
  ],
  sqlType: () => {
    throw new Error("A column that is computed has no place in a table.");
  },
  parameterType: "text",
  parse: () => ({ error: "is computed" }),
  store: (value: Json) => value,
  show: asStored,
  kind: "text",
  parseCell: (cell: string) => cell,
  formatCell: (value: Json) => (typeof value === "object" ? JSON.stringify(value) : String(value)),
  convertFrom: () => undefined,
} as const satisfies Partial<ColumnType>;

const PATH_CHARACTERS_MAX = 200;
const FORMULA_CHARACTERS_MAX = 2_000;

export const lookup: ColumnType = {
  ...computed,
  summary:
    "A field of the record that a reference refers to: `options.path`, such as `customer.name`",
  options: object({ path: line(PATH_CHARACTERS_MAX, "References and a field, separated by dots") }),
};

export const backlinks: ColumnType = {
  ...computed,
  summary:
    "The ids of the records of `options.table` that refer to this record in `options.column`",
  options: object({ table: Slug, column: ColumnName }),
};

/** Rollup functions with the accepted field kinds. Undefined means all kinds. */
export const ROLLUP_FUNCTIONS = {
  count: { takes: undefined },
  sum: { takes: ["number"] },
  avg: { takes: ["number"] },
  min: { takes: ["number", "text", "date", "time"] },
  max: { takes: ["number", "text", "date", "time"] },
  any: { takes: ["boolean"] },
  all: { takes: ["boolean"] },
  unique: { takes: ["number", "text", "date", "time", "boolean"] },
} as const satisfies Record<string, { readonly takes: readonly ConditionFieldKind[] | undefined }>;
export type RollupFunction = keyof typeof ROLLUP_FUNCTIONS;

export const rollup: ColumnType = {
  ...computed,
  summary:
    "An aggregate of the records in `options.via`, a column of the type backlinks or links: `options.function` of their `options.field`",
  options: object({
    via: ColumnName,
    function: Type.Enum(Object.keys(ROLLUP_FUNCTIONS) as RollupFunction[]),
    field: Type.Optional(
      line(PATH_CHARACTERS_MAX, "Field to aggregate. Default: counts all records"),
    ),
    filter: Type.Optional(ConditionSchema),
  }),
  check: (column) => [
    ...computed.check(column),
    ...(column.options["function"] !== "count" && column.options["field"] === undefined
      ? [{ path: "/options/field", message: "is required" }]
      : []),
  ],
};

export const formula: ColumnType = {
  ...computed,
  summary: "The result of `options.expression` with other fields of the record: `price * amount`",
  options: object({ expression: text(FORMULA_CHARACTERS_MAX) }),
  // An index is allowed here; whether it is possible is checked when the fields are known.
  check: checkUnstored,
};

function checkUnstored({ unique, default: value }: Column) {
  return [
    ...(unique ? [{ path: "/unique", message: IMPOSSIBLE }] : []),
    ...(value === null ? [] : [{ path: "/default", message: IMPOSSIBLE }]),
  ];
}

/** The options of a validated rollup. */
export function parseRollup({ options }: Pick<Column, "options">): {
  readonly via: string;
  readonly function: RollupFunction;
  readonly field: string | undefined;
  readonly filter: Condition | undefined;
} {
  const { field, filter } = options;
  return {
    via: String(options["via"]),
    function: options["function"] as RollupFunction,
    field: typeof field === "string" ? field : undefined,
    filter: filter as Condition | undefined,
  };
}

/** The relation from a record to many others: their table, and the column on either side. */
export interface Relation {
  readonly table: string;
  /** The column of the other table that refers to this record; undefined for a link list of this table. */
  readonly column?: string;
}

/** Returns the column's relation, or undefined. */
export function findRelation(
  schema: {
    readonly computed: ReadonlyMap<string, Column>;
    readonly byName: ReadonlyMap<string, Column>;
  },
  name: string,
): Relation | undefined {
  const { type, options } = schema.computed.get(name) ?? schema.byName.get(name) ?? NONE;
  if (type === "backlinks")
    return { table: String(options["table"]), column: String(options["column"]) };
  return type === "links" ? { table: String(options["table"]) } : undefined;
}

const NONE: Pick<Column, "type" | "options"> = { type: "text", options: {} };
