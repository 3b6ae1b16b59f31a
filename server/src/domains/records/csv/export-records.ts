import Type from "typebox";
import { type Json, openTable, Slug, type TableSchema } from "#domains/tables/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { escapeFormula, formatCsvLine, Formulas } from "#kernel/csv/csv-line.ts";
import {
  jsonListFormat,
  type ListFileFormat,
  type PageSource,
  listFileChunks,
} from "#kernel/list/list-file.ts";
import { query } from "#kernel/operation/operation.ts";
import { type Download, download } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { RecordsRead } from "../permissions.ts";
import { formatHeader, Header } from "./header.ts";
import {
  type ListedRecord,
  parseListing,
  readListedRecords,
  type RecordListing,
} from "../read/list-sql.ts";
import { type RecordQuery, recordQueryParams } from "../read/record-query.ts";

const FORMATS = ["csv", "json", "ndjson"] as const;
type Format = (typeof FORMATS)[number];

interface FileOptions {
  readonly schema: TableSchema;
  readonly fields: readonly string[];
  readonly formulas: Formulas;
  readonly header: Header;
}

function fileFormat(format: Format, options: FileOptions): ListFileFormat<ListedRecord> {
  switch (format) {
    case "csv":
      return csvFormat(options);
    case "json":
      return jsonListFormat(({ record }) => record);
    case "ndjson":
      return {
        mediaType: "application/x-ndjson",
        begin: "",
        line: ({ record }) => `${JSON.stringify(record)}\n`,
        end: "",
      };
  }
}

function csvFormat({
  schema,
  fields,
  formulas,
  header,
}: FileOptions): ListFileFormat<ListedRecord> {
  const columns = fields.map((field) => {
    const column = schema.byName.get(field);
    const format: (value: Json) => string = column
      ? (value) => column.columnType.formatCell(value, column)
      : String;
    const isEscaped = formulas === "escaped" && TEXT_TYPES.has(column?.type ?? "");
    const escape = isEscaped ? escapeFormula : (cell: string) => cell;
    return { field, cellOf: (value: Json) => escape(format(value)) };
  });
  const escapeTitle = formulas === "escaped" ? escapeFormula : (title: string) => title;
  const titles = header === "names" ? fields : formatHeader(schema, fields).map(escapeTitle);
  return {
    mediaType: "text/csv",
    begin: formatCsvLine(titles),
    line: ({ record }) =>
      formatCsvLine(
        columns.map(({ field, cellOf }) => {
          const value = record[field];
          // The values of a record are JSON.
          return value === null || value === undefined ? null : cellOf(value as Json);
        }),
      ),
    end: "",
  };
}

/** The types of columns whose cells may hold any text. */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  "text",
  "enum",
  "multi_enum",
  "json",
  "email",
  "url",
]);

/** The page sizes; each has its own prepared statement. */
const PAGE_RECORDS = [10, 100, 1_000] as const;

export const exportRecords = query({
  id: "records.export",
  route: "GET /api/v1/tables/{slug}/records/export",
  summary: "Export records as a file",
  description:
    'Exports all matching records in `csv` (the first line contains titles, or field names with `header=names`; an ambiguous title is followed by the field name, as in `Order [order2]`; null is an empty cell, an empty string is `""`), `json` (one list) or `ndjson` (one record per line). The file is created page by page while it is sent: a record that changes during the export appears once, in the old or the new version. In `csv`, text that a spreadsheet would read as a formula gets a `\'` in front, which an import removes; `formulas=raw` leaves such text unchanged.',
  permission: RecordsRead,
  params: object({ slug: Slug }),
  query: object({
    ...recordQueryParams,
    format: Type.Enum([...FORMATS], { default: "csv" }),
    formulas: Formulas,
    header: Header,
  }),
  response: download("text/csv, application/json, application/x-ndjson"),
  example: {
    params: { slug: "orders" },
    query: {
      format: "csv",
      formulas: "escaped",
      header: "titles",
      filter: '{"status":"open"}',
      sort: "createdAt",
    },
  },
  async prepare(
    platform,
    { params: { slug }, query: { format, formulas, header, ...recordQuery } },
    caller,
  ) {
    const { listing, first } = await readFirstPage(platform, caller, slug, recordQuery);
    const { schema, fields } = listing.query;
    const file = fileFormat(format, { schema, fields, formulas, header });
    const pages: PageSource<ListedRecord> = {
      sizes: PAGE_RECORDS,
      read: async (last, count) =>
        last
          ? platform.db.read(partitionOfCaller(caller), (tx) =>
              readListedRecords(tx, listing, last.position, count),
            )
          : first,
    };
    const download: Download = {
      mediaType: file.mediaType,
      fileName: `${slug}.${format}`,
      chunks: listFileChunks(file, pages, platform.shutdown),
    };
    return download;
  },
  run: async (_ctx, _input, prepared) => prepared,
});

/** Reads the first page before sending a response, so that an invalid query fails with an error status. */
function readFirstPage(
  platform: Platform,
  caller: Caller,
  slug: string,
  recordQuery: RecordQuery,
): Promise<{ listing: RecordListing; first: ListedRecord[] }> {
  return platform.db.read(partitionOfCaller(caller), async (tx) => {
    const table = await openTable({ tx, services: platform, caller }, slug);
    const listing = await table.parse(() => parseListing(table, recordQuery, platform.clock.now()));
    const first = await table.retryOnSchemaChange(() =>
      readListedRecords(tx, listing, undefined, PAGE_RECORDS[0]),
    );
    return { listing, first };
  });
}
