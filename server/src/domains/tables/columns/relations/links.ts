import Type from "typebox";
import { idPattern } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import { ColumnName, Slug } from "../../table.ts";
import { asStored, type ColumnType } from "../column-type.ts";

/** An event contains all links twice. */
export const LINKS_MAX = 500;

const RECORD_ID = new RegExp(idPattern("rec"));
const SEPARATOR = ";";

/**
 * Links to several records, stored as a list of ids in the record: so they are written, compared, logged and undone
 * like any other field, and an index of the list finds them from the other end.
 */
export const links: ColumnType = {
  summary:
    "The ids of up to 500 different records of `options.table`. Deleted records are removed from the list",
  options: object({
    table: Slug,
    inverse: Type.Optional(
      Type.String({
        ...ColumnName,
        description:
          "The column of the other table with the reverse links; created together with this column",
      }),
    ),
  }),
  check: ({ unique }) =>
    unique ? [{ path: "/unique", message: "is not supported for this type" }] : [],
  sqlType: () => 'text[] collate "C"',
  parameterType: "text[]",
  constraint: (_, quoted) =>
    `cardinality(${quoted}) <= ${LINKS_MAX} and coalesce(array_ndims(${quoted}), 1) = 1`,
  parse(value) {
    if (!Array.isArray(value)) return { error: "must be a list of ids of records" };
    const list: readonly unknown[] = value;
    const areIds = list.every((id) => typeof id === "string" && RECORD_ID.test(id));
    if (!areIds) return { error: "must be a list of ids of records" };
    if (new Set(list).size < list.length) return { error: "must contain each record once" };
    if (list.length > LINKS_MAX) return { error: `must contain at most ${LINKS_MAX} records` };
    return { value: list as readonly string[] };
  },
  store: (value) => value,
  show: asStored,
  kind: "texts",
  parseCell: (cell) => cell.split(SEPARATOR).map((id) => id.trim()),
  formatCell: (value) => (value as readonly string[]).join(SEPARATOR),
  index: "gin",
  convertFrom: (from, to, quoted) =>
    from.type === "reference" && from.options["table"] === to.options["table"]
      ? `case when ${quoted} is not null then array[${quoted}] end`
      : undefined,
};
