/** The schemas of a table and its parts. */
import Type, { type Static } from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { id, line, object, Time } from "#kernel/schema/schema.ts";

export const COLUMNS_MAX = 200;
export const TABLES_MAX = 1_000;
export const RULES_MAX = 100;
/** Field errors in one response. */
export const FIELD_ERRORS_MAX = 100;

/** A name that is safe as a quoted identifier, and short enough for PostgreSQL. */
export const SLUG_PATTERN = "^[a-z][a-z0-9_-]{0,62}$";
export const COLUMN_PATTERN = "^[A-Za-z][A-Za-z0-9_]{0,62}$";

export const Slug = Type.String({
  pattern: SLUG_PATTERN,
  description: "Lower-case letters, digits, `_` and `-`; begins with a letter",
});
export const ColumnName = Type.String({
  pattern: COLUMN_PATTERN,
  description: "Letters, digits and `_`; begins with a letter",
});

/** Characters of a column's title. */
export const TITLE_CHARACTERS_MAX = 200;
export const ColumnTitle = Type.String({
  minLength: 1,
  maxLength: TITLE_CHARACTERS_MAX,
  description: 'Display name. Default: derived from the name, "Ordered at" for `orderedAt`',
});

/** The columns of all tables that the platform fills: the API name, then the SQL name. */
export const SYSTEM_COLUMNS = [
  ["id", "id"],
  ["createdAt", "created_at"],
  ["updatedAt", "updated_at"],
  ["createdBy", "created_by"],
] as const;

export const COLUMN_TYPES = [
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
  "autonumber",
  "duration",
  "email",
  "url",
  "user",
  "file",
  "image",
  "links",
  "backlinks",
  "lookup",
  "rollup",
  "formula",
  "vector",
  "embedding",
] as const;
export type ColumnTypeName = (typeof COLUMN_TYPES)[number];

/** A column with all its defaults filled in. */
export const Column = Type.Object(
  {
    name: ColumnName,
    title: Type.String({ description: "Display name" }),
    type: Type.Enum([...COLUMN_TYPES]),
    required: Type.Boolean(),
    unique: Type.Boolean(),
    indexed: Type.Boolean(),
    default: Type.Unknown({ description: "Null without a default" }),
    options: Type.Record(Type.String(), Type.Unknown()),
    description: Type.String(),
  },
  { title: "Column" },
);
export type Column = Static<typeof Column>;

/** A column in events; columns of earlier releases have no title. */
const RecordedColumn = Type.Object(
  { ...Column.properties, title: Type.Optional(Column.properties.title) },
  { title: "RecordedColumn" },
);

/** An additional index, on several columns in order. */
export const TableIndex = Type.Object(
  {
    name: Type.String(),
    columns: Type.Array(Type.String()),
    unique: Type.Boolean(),
  },
  { title: "TableIndex" },
);
export type TableIndex = Static<typeof TableIndex>;

export const ACTIONS = ["read", "create", "update", "delete"] as const;
export type Action = (typeof ACTIONS)[number];

/**
 * Grants actions on some records to roles. A table without rules is open to all members with the permission. In a
 * table with rules, owners and admins are unrestricted; others may do only what a rule for one of their roles
 * allows, on records that match its `where`, in the fields that it names.
 */
export const Rule = object(
  {
    roles: Type.Array(line(100), {
      minItems: 1,
      maxItems: 50,
      description: "Role ids. Example: `agent`. `*` means everyone",
    }),
    actions: Type.Array(Type.Enum([...ACTIONS]), { minItems: 1, maxItems: 4, uniqueItems: true }),
    where: Type.Optional(ConditionSchema),
    fields: Type.Optional(
      Type.Array(line(63), {
        minItems: 1,
        maxItems: COLUMNS_MAX + 4,
        description:
          "The fields that can be viewed or written. Default: all. `id` is always visible",
      }),
    ),
  },
  { title: "TableRule" },
);
export type Rule = Static<typeof Rule>;

export const TableId = id("tbl");

export const Table = Type.Object(
  {
    id: TableId,
    slug: Slug,
    name: Type.String(),
    description: Type.String(),
    columns: Type.Array(Column),
    indexes: Type.Array(TableIndex),
    rules: Type.Array(Rule),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Table" },
);
/** A table in events. */
export const RecordedTable = Type.Object(
  { ...Table.properties, columns: Type.Array(RecordedColumn) },
  { title: "RecordedTable" },
);

export type Table = Static<typeof Table> & {
  readonly revision: number;
  /** Since which no column was renamed, dropped or given another type. */
  readonly renamedRevision: number;
  /** The number of changes to its columns; 0 until the first change for a table of an earlier release. */
  readonly shape: number;
};

export const NoSuchTable = failure(
  "not_found",
  404,
  "The table does not exist, or you can't see it.",
);

/** Names the environment too, because a table may exist in one environment only. */
export const noSuchTable = (slug: string, environment: string): Failure =>
  new Failure(NoSuchTable, { detail: `The table ${slug} does not exist in ${environment}.` });
export const SlugTaken = failure(
  "table_slug_taken",
  409,
  "A table with this slug already exists.",
  "user_tables_slug",
);
