/** An import: the schemas of its API, its events, and its states. */
import Type, { type Static } from "typebox";
import { COLUMN_TYPES, ColumnName, Slug, TITLE_CHARACTERS_MAX } from "#domains/tables/index.ts";
import { event, type EventType } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, object, Time } from "#kernel/schema/schema.ts";
import { SourceColumn } from "./guess/source-column.ts";
import { DATE_ORDERS } from "./guess/date-style.ts";
import { DECIMAL_MARKS } from "./guess/number-style.ts";
import { SourceFormat } from "./source/open-source.ts";
import { CELLS_MAX } from "./source/source-row.ts";

export const ImportId = id("imp");
export const EXAMPLE_ID = "imp_01jzt3n5k8q2x4v6w8y0z2b4d6";

export const IMPORT_STATES = [
  "analyzing",
  "ready",
  "checking",
  "running",
  "completed",
  "cancelled",
  "failed",
  "taking_back",
  "taken_back",
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** The states in which a job works on it. */
export const ACTIVE_STATES: readonly ImportState[] = [
  "analyzing",
  "checking",
  "running",
  "taking_back",
];

export const ImportCounts = Type.Object(
  {
    read: Type.Integer({ description: "Number of lines of the file so far" }),
    created: Type.Integer(),
    updated: Type.Integer({
      description: "Number of records that were found by `key` and updated",
    }),
    unchanged: Type.Integer({
      description: "Number of records that were found by `key` without changes",
    }),
    invalid: Type.Integer({ description: "Number of skipped lines" }),
    takenBack: Type.Integer(),
    refused: Type.Integer({
      description: "Number of records that were not reverted because they were changed later",
    }),
  },
  { title: "ImportCounts" },
);
export type ImportCounts = Static<typeof ImportCounts>;
export const NO_COUNTS: ImportCounts = {
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  invalid: 0,
  takenBack: 0,
  refused: 0,
};

/** The table field that a file column fills, and how its cells are parsed. */
export const ColumnMapping = object(
  {
    column: Type.Integer({
      minimum: 0,
      maximum: CELLS_MAX,
      description: "Index of the column in the file, from 0",
    }),
    field: ColumnName,
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TITLE_CHARACTERS_MAX,
        description: "Title of the column of a new table. Default: the name in the file",
      }),
    ),
    type: Type.Optional(
      Type.Enum([...COLUMN_TYPES], { description: "For the column of a new table" }),
    ),
    options: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "For the column of a new table" }),
    ),
    required: Type.Optional(Type.Boolean()),
    unique: Type.Optional(Type.Boolean()),
    dateOrder: Type.Optional(Type.Enum([...DATE_ORDERS])),
    decimalMark: Type.Optional(Type.Enum([...DECIMAL_MARKS])),
    match: Type.Optional(
      line(63, "For a reference: the field of the other table that contains the text of the cell"),
    ),
  },
  { title: "ColumnMapping" },
);
export type ColumnMapping = Static<typeof ColumnMapping>;

export const NewTable = object({ slug: Slug, name: line(100) }, { title: "ImportedTable" });
export type NewTable = Static<typeof NewTable>;

const summaryFields = {
  id: ImportId,
  name: Type.String(),
  state: Type.Enum([...IMPORT_STATES]),
  table: nullable(Slug),
  lines: nullable(Type.Integer({ description: "Number of rows in the file, without the header" })),
  counts: ImportCounts,
  reason: nullable(Type.String({ description: "Reason of the failure" })),
  createdBy: Type.String(),
  createdAt: Time,
  updatedAt: Time,
};

/** The format in lists and events, without the file's content. */
export const ImportSummary = Type.Object(summaryFields, { title: "ImportSummary" });
export type ImportSummary = Static<typeof ImportSummary>;

export const Import = Type.Object(
  {
    ...summaryFields,
    fileId: Type.String(),
    format: nullable(SourceFormat),
    columns: Type.Array(SourceColumn, { description: "Columns of the file" }),
    newTable: nullable(NewTable),
    mapping: Type.Array(ColumnMapping),
    key: nullable(line(63)),
    check: nullable(ImportCounts),
    corrections: Type.Integer({
      description: "Number of corrected lines that are not imported yet",
    }),
  },
  { title: "Import" },
);
export type Import = Static<typeof Import>;

export const ImportLine = Type.Object(
  {
    line: Type.Integer(),
    cells: Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
    errors: Type.Array(
      Type.Object({ path: Type.String({ description: "`/field`" }), message: Type.String() }),
    ),
    corrected: Type.Boolean(),
  },
  { title: "ImportLine" },
);
export type ImportLine = Static<typeof ImportLine>;

const about = { resource: "import", data: ImportSummary } as const;
export const ImportCreated = event("import.created", {
  ...about,
  summary: "An import was created. The file is read next.",
});
export const ImportAnalyzed = event("import.analyzed", {
  ...about,
  summary: "The file of an import was read.",
});
export const ImportUpdated = event("import.updated", {
  ...about,
  summary: "The mapping, the table, the format or corrected lines of an import were changed.",
});
export const ImportStarted = event("import.started", {
  ...about,
  summary: "An import, or the check of an import, started.",
});
export const ImportProgressed = event("import.progressed", {
  ...about,
  summary: "A batch of an import was processed.",
});
export const ImportChecked = event("import.checked", {
  ...about,
  summary: "The check of an import was completed. Nothing was written.",
});
export const ImportCompleted = event("import.completed", {
  ...about,
  summary: "An import was completed.",
});
export const ImportCancelled = event("import.cancelled", {
  ...about,
  summary: "An import was stopped. Written records are kept.",
});
export const ImportFailed = event("import.failed", { ...about, summary: "An import failed." });
export const ImportTakenBack = event("import.taken_back", {
  ...about,
  summary: "An import was undone, except for records that were changed later.",
});
export const ImportDeleted = event("import.deleted", {
  ...about,
  summary: "An import was deleted. Its records are kept.",
});

export const importEvents: readonly EventType[] = [
  ImportCreated,
  ImportAnalyzed,
  ImportUpdated,
  ImportStarted,
  ImportProgressed,
  ImportChecked,
  ImportCompleted,
  ImportCancelled,
  ImportFailed,
  ImportTakenBack,
  ImportDeleted,
];

export const ImportWrongState = failure(
  "import_wrong_state",
  409,
  "The state of the import does not allow this action.",
);
export const TooManyImports = failure(
  "too_many_imports",
  409,
  "Too many imports exist. Delete completed imports first.",
);
