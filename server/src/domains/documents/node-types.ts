import Type, { type TSchema } from "typebox";
import { nodeType } from "#domains/workflows/index.ts";
import { FileHandle } from "#domains/files/index.ts";
import { ENCODINGS } from "#domains/imports/source/index.ts";
import { Formulas } from "#kernel/csv/csv-line.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { READ_FORMATS, WRITE_FORMATS } from "./work/task.ts";

const ROWS_MAX = 100_000;
const FILES_MAX = 500;
const File = (description: string) => Type.Unknown({ description });

export const fileRead = nodeType({
  type: "file.read",
  summary: "Reads a file as data: rows of a table, the text of a PDF or a page, JSON or XML",
  config: object({
    file: File("A file, such as `{{ steps.fetch.output.body }}`"),
    as: Type.Optional(
      Type.Enum([...READ_FORMATS], { description: "Found from the file unless given" }),
    ),
    header: Type.Optional(
      Type.Boolean({
        description:
          "Of a table: whether its first row has the names of the columns; it has unless given",
      }),
    ),
    separator: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1, description: "Of a CSV file; found unless given" }),
    ),
    encoding: Type.Optional(Type.Enum([...ENCODINGS], { description: "Of a text" })),
    sheet: Type.Optional(line(200, "Of a spreadsheet; the first unless given")),
    skip: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000_000,
        description: "Of a table: rows passed over",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ROWS_MAX,
        description: "Of a table: rows at most; `more` says if others follow",
      }),
    ),
  }),
  form: {
    title: "Read a file",
    group: "Data",
    icon: "file-input",
    first: { file: "{{ trigger.input.file }}" },
    fields: {
      file: { title: "File", placeholder: "{{ steps.fetch.output.body }}" },
      as: { title: "As" },
      header: { title: "First row has names" },
      separator: { title: "Separator", placeholder: ";" },
      encoding: { title: "Encoding" },
      sheet: { title: "Sheet" },
      skip: { title: "Rows to skip" },
      limit: { title: "Rows at most" },
    },
  },
  output: ({ as }) => OUTPUTS.get(String(as)) ?? Type.Unknown(),
  branches: "none",
  effect: "outside",
});

const Rows = Type.Object({
  columns: Type.Array(Type.String()),
  rows: Type.Array(Type.Unknown()),
  more: Type.Boolean({ description: "Whether rows follow that `limit` left out" }),
});
const OUTPUTS: ReadonlyMap<string, TSchema> = new Map<string, TSchema>([
  ["csv", Rows],
  ["xlsx", Rows],
  ["json", Type.Object({ data: Type.Unknown() })],
  ["xml", Type.Object({ data: Type.Unknown() })],
  ["text", Type.Object({ text: Type.String() })],
  ["base64", Type.Object({ base64: Type.String() })],
  [
    "html",
    Type.Object({
      title: Type.String(),
      text: Type.String(),
      links: Type.Array(Type.Object({ href: Type.String(), text: Type.String() })),
      tables: Type.Array(Type.Array(Type.Array(Type.String()))),
    }),
  ],
  [
    "pdf",
    Type.Object({
      text: Type.String(),
      pages: Type.Array(Type.String()),
      pageCount: Type.Integer(),
    }),
  ],
]);

export const fileWrite = nodeType({
  type: "file.write",
  summary:
    "Writes data as a file of the run, or several files as a ZIP file; its output is the file",
  config: object({
    as: Type.Enum([...WRITE_FORMATS, "zip"]),
    name: Type.Optional(line(200, "Of the file; its ending is added where it has none")),
    data: Type.Optional(
      Type.Unknown({
        description:
          "Of a table a list of objects or of lists; a text for `text`, `html` and `base64`; anything for `json`",
      }),
    ),
    files: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: FILES_MAX, description: "Of a ZIP file" }),
    ),
    columns: Type.Optional(
      Type.Array(line(200), {
        maxItems: 500,
        description: "Of a table: which, and in which order; all unless given",
      }),
    ),
    header: Type.Optional(
      Type.Boolean({ description: "Of a CSV file: whether its first row has the names" }),
    ),
    formulas: Type.Optional(Formulas),
    sheet: Type.Optional(line(31, "Of a spreadsheet: the name of its sheet")),
  }),
  form: {
    title: "Write a file",
    group: "Data",
    icon: "file-output",
    first: { as: "csv", name: "report.csv", data: "{{ steps.list.output }}" },
    fields: {
      as: { title: "As" },
      name: { title: "Name", placeholder: "report.csv" },
      data: { title: "Data", placeholder: "{{ steps.list.output }}" },
      files: { title: "Files" },
      columns: { title: "Columns", example: ["name", "total"] },
      header: { title: "First row has names" },
      formulas: { title: "Formulas" },
      sheet: { title: "Sheet" },
    },
  },
  output: FileHandle,
  branches: "none",
  effect: "outside",
});
