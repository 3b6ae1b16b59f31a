import Type from "typebox";
import { Formulas } from "#kernel/csv/csv-line.ts";
import { parseCsv, CSV_ROWS_MAX } from "#kernel/csv/parse-csv.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { openTable, Slug } from "#domains/tables/index.ts";
import { RecordCreated, RecordUpdated } from "../events.ts";
import { RecordsWrite } from "../permissions.ts";
import { RecordForbidden } from "../record-access.ts";
import { RecordNotUnique } from "../record.ts";
import { Header } from "./header.ts";
import { checkRows, importRows, rollBackAfter } from "./import-records.ts";

const FILE_BYTES_MAX = 16 * 1024 * 1024;

const ImportResult = Type.Object(
  {
    imported: Type.Integer({ description: "Number of created records" }),
    updated: Type.Integer({
      description: "Number of records that were found by `key` and updated",
    }),
    unchanged: Type.Integer({
      description: "Number of records that were found by `key` without changes",
    }),
    skipped: Type.Integer({ description: "Number of skipped lines" }),
    errors: Type.Array(
      Type.Object({
        path: Type.String({ description: "The line and the field: `line 17/price`" }),
        message: Type.String(),
        title: Type.Optional(Type.String({ description: "The title of the column" })),
      }),
      { description: "Errors of skipped lines, at most 100" },
    ),
  },
  { title: "ImportResult" },
);

export const importRecords = command({
  id: "records.import",
  effect: "drastic",
  route: "POST /api/v1/tables/{slug}/records/import",
  summary: "Import records from a CSV file",
  description: `Send the file in UTF-8 as \`text/csv\`, or as JSON with the text in \`csv\`. Maximum: 16 MiB and ${CSV_ROWS_MAX} lines. The first line contains column titles or field names. An empty cell is null, or the default if a value is required; \`""\` is an empty string. Fields that the platform sets are ignored, so you can import an exported file. A \`'\` before text that a spreadsheet would read as a formula is removed, unless \`formulas=raw\`. \`header=names\` accepts only names. Without \`onError=skip\`, one error cancels the whole import; with it, lines with errors are skipped and reported. \`key\` is a unique field: a record with the same value is updated. \`dryRun\` returns the result without importing anything.`,
  permission: RecordsWrite,
  params: object({ slug: Slug }),
  query: object({
    onError: Type.Enum(["abort", "skip"], { default: "abort" }),
    key: Type.Optional(line(63)),
    formulas: Formulas,
    header: Header,
    dryRun: Type.Boolean({ default: false }),
  }),
  body: object({ csv: Type.String() }),
  acceptsText: { mediaType: "text/csv", field: "csv" },
  bodyBytesMax: FILE_BYTES_MAX,
  response: item(ImportResult),
  emits: [RecordCreated, RecordUpdated],
  allowNoop: true,
  fails: [RecordForbidden, RecordNotUnique],
  example: {
    params: { slug: "orders" },
    query: { onError: "skip", key: "number", formulas: "escaped", header: "titles", dryRun: false },
    body: { csv: "number,status,total\r\nA-4711,paid,99.50\r\nA-4712,open,\r\n" },
  },
  async prepare(platform, { params, query, body }, caller) {
    // Reload the schema because a cached one, outdated by another node, would reject valid rows.
    const table = await openTable({ platform, caller }, params.slug, { reload: true });
    const options = { ...query, now: platform.clock.now() };
    return { options, checked: await checkRows(table, await parseCsv(body.csv, query), options) };
  },
  async run(ctx, { params, query }, { options, checked }) {
    const table = await openTable(ctx, params.slug);
    const runImport = () => importRows(ctx, table, checked, options);
    return query.dryRun ? rollBackAfter(ctx, runImport) : runImport();
  },
});
