import Type from "typebox";
import { idPattern } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import { type Column, Slug } from "../table.ts";
import { isTextual, toTextSql } from "./to-text.ts";
import { asStored, type ColumnType, ON_DELETE, type OnDelete } from "./column-type.ts";

/** The target name for users instead of a table. */
export const USERS = "users";

const RECORD_ID = new RegExp(idPattern("rec"));
const USER_ID = new RegExp(idPattern("usr"));

export const reference: ColumnType = {
  summary: "The id of a record of `options.table`, or of a user if the table is `users`",
  options: object({
    table: Slug,
    onDelete: Type.Optional(
      Type.Enum([...ON_DELETE], {
        description:
          "When the referenced record is deleted: `restrict` (default) rejects the deletion, `set_null` clears the reference, `cascade` deletes this record too",
      }),
    ),
  }),
  check: (column) => {
    const { onDelete } = column.options;
    if (refersToUsers(column) && onDelete !== undefined) {
      return [
        {
          path: "/options/onDelete",
          message: "is not supported for users, which are never deleted",
        },
      ];
    }
    if (onDelete === "set_null" && column.required) {
      return [
        { path: "/options/onDelete", message: "clears the reference, but the column is required" },
      ];
    }
    return [];
  },
  sqlType: () => 'text collate "C"',
  parameterType: "text",
  // A reference to a record is a foreign key; for a user, only the format of the id is checked.
  constraint: (column, quoted) =>
    refersToUsers(column) ? `${quoted} ~ '${idPattern("usr")}'` : undefined,
  parse(value, column) {
    const isUser = refersToUsers(column);
    if (typeof value === "string" && (isUser ? USER_ID : RECORD_ID).test(value)) return { value };
    return { error: `must be the id of a ${isUser ? "user" : "record"}` };
  },
  store: (value) => value,
  show: asStored,
  kind: "text",
  parseCell: (cell) => cell.trim(),
  formatCell: String,
  convertFrom(from, to, quoted) {
    if (from.type === "links" && from.options["table"] === to.options["table"]) {
      // Several ids cannot become one reference; this text is not a valid id.
      return `case when cardinality(${quoted}) > 1 then 'several' else (${quoted})[1] end`;
    }
    const isKnown =
      from.type === "reference" || isTextual(from) || (from.type === "user" && refersToUsers(to));
    return isKnown ? toTextSql(from, quoted) : undefined;
  },
};

/** A member of the workspace: a reference to `users` as a separate column type. */
export const user: ColumnType = {
  ...reference,
  summary: "The id of an active member. The default `$user` is the creator of the record",
  options: object({}),
  check: () => [],
  convertFrom: (from, _, quoted) =>
    refersToUsers(from) || isTextual(from) ? toTextSql(from, quoted) : undefined,
};

export function refersToUsers({ type, options }: Pick<Column, "type" | "options">): boolean {
  return type === "user" || (type === "reference" && options["table"] === USERS);
}

/** Returns the referenced table, or undefined. */
export function targetOf(column: Pick<Column, "type" | "options">): string | undefined {
  if (column.type !== "reference" || refersToUsers(column)) return undefined;
  return String(column.options["table"]);
}

/** The table whose records a column lists; undefined for other columns. */
export function linkTargetOf({
  type,
  options,
}: Pick<Column, "type" | "options">): string | undefined {
  return type === "links" ? String(options["table"]) : undefined;
}

/** The fate of a reference whose record is deleted. */
export function onDeleteOf({ options: { onDelete } }: Pick<Column, "options">): OnDelete {
  return ON_DELETE.find((known) => known === onDelete) ?? "restrict";
}
