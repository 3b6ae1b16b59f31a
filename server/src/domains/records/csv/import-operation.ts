import { partitionOfCaller } from "#kernel/access/caller.ts";
import Type from "typebox";
import { parseCsv, CSV_ROWS_MAX } from "#kernel/csv/parse-csv.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { reloadTable, requireTable } from "#domains/tables/schema/table-cache.ts";
import { RecordsWrite } from "#domains/tables/permissions.ts";
import { NoSuchTable, Slug } from "#domains/tables/table.ts";
import { RecordCreated, RecordUpdated } from "../events.ts";
import { RecordForbidden } from "../record-access.ts";
import { RecordNotUnique } from "../table-record.ts";
import { importRows, rehearsed, sift } from "./import-records.ts";

const BYTES_MAX = 16 * 1024 * 1024;

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
      }),
      { description: "What is wrong with the lines that were skipped, up to 100 faults" },
    ),
  },
  { title: "ImportResult" },
);

export const importRecords = command({
  id: "records.import",
  route: "POST /api/v1/tables/{slug}/records/import",
  summary: "Import records from a CSV file",
  description:
    "The file itself as `text/csv`, or JSON with the text in `csv`; in UTF-8, of up to 16 MiB and " +
    `${CSV_ROWS_MAX} lines. The first line names fields. An empty cell is null, or the default where a ` +
    'value is required; `""` is an empty text. What the platform fills itself may be there and is ' +
    "passed over, so that an export can be imported. All or nothing, unless `onError=skip`: then the " +
    "lines that can't be imported are left out and reported. `key` is a unique field: a record that " +
    "has the same value in it is changed. `dryRun` tells what would happen.",
  permission: RecordsWrite,
  params: object({ slug: Slug }),
  query: object({
    onError: Type.Enum(["abort", "skip"], { default: "abort" }),
    key: Type.Optional(line(63)),
    dryRun: Type.Boolean({ default: false }),
  }),
  body: object({ csv: Type.String() }),
  acceptsText: { mediaType: "text/csv", field: "csv" },
  bodyBytesMax: BYTES_MAX,
  response: item(ImportResult),
  emits: [RecordCreated, RecordUpdated],
  allowNoop: true,
  fails: [RecordForbidden, RecordNotUnique],
  example: {
    params: { slug: "orders" },
    query: { onError: "skip", key: "number", dryRun: false },
    body: { csv: "number,status,total\r\nA-4711,paid,99.50\r\nA-4712,open,\r\n" },
  },
  async prepare(platform, { params, query, body }, caller) {
    const partition = partitionOfCaller(caller);
    // Read anew, since lines would be refused by a definition that has just changed elsewhere.
    const table = await reloadTable(platform, partition, params.slug, (work) =>
      platform.db.read(partition, work),
    );
    if (!table) throw new Failure(NoSuchTable);
    const plan = { ...query, now: platform.clock.now(), person: caller.principal };
    return { plan, sifted: await sift(table, await parseCsv(body.csv), plan) };
  },
  async run(ctx, { params, query }, { plan, sifted }) {
    const table = await requireTable(ctx, params.slug);
    const all = () => importRows(ctx, table, sifted, plan);
    return query.dryRun ? rehearsed(ctx, all) : all();
  },
});
