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
    imported: Type.Integer({ description: "Records that were made" }),
    updated: Type.Integer({ description: "Records that were there, found by `key`, and changed" }),
    unchanged: Type.Integer({ description: "Records that were there and are like that already" }),
    skipped: Type.Integer({ description: "Lines that could not be imported" }),
    errors: Type.Array(
      Type.Object({
        path: Type.String({ description: "The line and the field: `line 17/price`" }),
        message: Type.String(),
        title: Type.Optional(Type.String({ description: "The title of the column" })),
      }),
      { description: "What is wrong with the lines that were skipped, up to 100 faults" },
    ),
  },
  { title: "ImportResult" },
);

export const importRecords = command({
  id: "records.import",
  effect: "drastic",
  route: "POST /api/v1/tables/{slug}/records/import",
  summary: "Import records from a CSV file",
  description:
    "The file itself as `text/csv`, or JSON with the text in `csv`; in UTF-8, of up to 16 MiB and " +
    `${CSV_ROWS_MAX} lines. The first line has titles of columns, or their names. An empty cell is null, or the default where a ` +
    'value is required; `""` is an empty text. What the platform fills itself may be there and is ' +
    "passed over, so that an export can be imported; a `'` in front of what a spreadsheet would take " +
    "for a formula is taken away, unless `formulas=raw`. `header=names` reads names only. All or nothing, unless `onError=skip`: then the " +
    "lines that can't be imported are left out and reported. `key` is a unique field: a record that " +
    "has the same value in it is changed. `dryRun` tells what would happen.",
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
    // Read anew, since lines would be refused by a schema that has just changed elsewhere.
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
