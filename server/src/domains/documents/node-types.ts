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
  summary: "Reads data from a file: rows of a table, text of a PDF or a page, JSON or XML",
  config: object({
    file: File("A file, such as `{{ steps.fetch.output.body }}`"),
    as: Type.Optional(
      Type.Enum([...READ_FORMATS], { description: "Format. Default: detected from the file" }),
    ),
    header: Type.Optional(
      Type.Boolean({
        description: "For a table: whether the first row contains column names. Default: true",
      }),
    ),
    separator: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1,
        description: "Separator of a CSV file. Default: detected",
      }),
    ),
    encoding: Type.Optional(Type.Enum([...ENCODINGS], { description: "Encoding of a text file" })),
    sheet: Type.Optional(line(200, "Sheet of a spreadsheet. Default: the first sheet")),
    skip: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000_000,
        description: "For a table: number of rows to skip",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ROWS_MAX,
        description: "For a table: maximum number of rows. `more` is true if there are more",
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
      as: { title: "Format" },
      header: { title: "First row contains names" },
      separator: { title: "Separator", placeholder: ";" },
      encoding: { title: "Encoding" },
      sheet: { title: "Sheet" },
      skip: { title: "Rows to skip" },
      limit: { title: "Maximum rows" },
    },
  },
  output: ({ as }) => OUTPUTS.get(String(as)) ?? Type.Unknown(),
  branches: "none",
  effect: "outside",
});

const Rows = Type.Object({
  columns: Type.Array(Type.String()),
  rows: Type.Array(Type.Unknown()),
  more: Type.Boolean({ description: "Whether there are more rows than `limit`" }),
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
    "Writes data to a file of the run, or several files to a ZIP file. The output is the file",
  config: object({
    as: Type.Enum([...WRITE_FORMATS, "zip"]),
    name: Type.Optional(line(200, "File name. The extension is added if it is missing")),
    data: Type.Optional(
      Type.Unknown({
        description:
          "For a table: a list of objects or lists. For `text`, `html` and `base64`: a string. For `json`: any value",
      }),
    ),
    files: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: FILES_MAX, description: "Files of a ZIP file" }),
    ),
    columns: Type.Optional(
      Type.Array(line(200), {
        maxItems: 500,
        description: "For a table: columns in order. Default: all",
      }),
    ),
    header: Type.Optional(
      Type.Boolean({
        description: "For a CSV file: whether the first row contains the column names",
      }),
    ),
    formulas: Type.Optional(Formulas),
    sheet: Type.Optional(line(31, "For a spreadsheet: name of the sheet")),
  }),
  form: {
    title: "Write a file",
    group: "Data",
    icon: "file-output",
    first: { as: "csv", name: "report.csv", data: "{{ steps.list.output }}" },
    fields: {
      as: { title: "Format" },
      name: { title: "Name", placeholder: "report.csv" },
      data: { title: "Data", placeholder: "{{ steps.list.output }}" },
      files: { title: "Files" },
      columns: { title: "Columns", example: ["name", "total"] },
      header: { title: "First row contains names" },
      formulas: { title: "Formulas" },
      sheet: { title: "Sheet" },
    },
  },
  output: FileHandle,
  branches: "none",
  effect: "outside",
});
