import Type from "typebox";
import type { Json } from "#domains/tables/columns/column-type.ts";
import { RecordsRead } from "#domains/tables/permissions.ts";
import {
  retryOnSchemaChange,
  readWithTable,
  requireTable,
} from "#domains/tables/schema/table-cache.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { Slug } from "#domains/tables/table.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { formatCsvLine, escapeFormula } from "#kernel/csv/csv-line.ts";
import {
  jsonListFormat,
  type ListFileFormat,
  type PageSource,
  listFileChunks,
} from "#kernel/list/list-file.ts";
import { query } from "#kernel/operation/operation.ts";
import { type Download, download } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { type ListedRecords, listRecordsSql, type RecordListing } from "../read/list-sql.ts";
import { listingOf } from "../read/operations.ts";
import { type RecordQuery, recordQueryParams } from "../read/record-query.ts";

/** A table's records as a file, made piece by piece. */

const FORMATS = ["csv", "json", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

export interface FileOptions {
  readonly table: TableSchema;
  readonly fields: readonly string[];
  /** Whether texts that a spreadsheet would run are marked. */
  readonly safe: boolean;
}

/** How records are written in such a file. */
function fileForm(format: Format, options: FileOptions): ListFileFormat<ListedRecords> {
  switch (format) {
    case "csv":
      return csvForm(options);
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

function csvForm({ table, fields, safe }: FileOptions): ListFileFormat<ListedRecords> {
  const columns = fields.map((field) => {
    const column = table.byName.get(field);
    const format = column?.columnType.formatCell ?? String;
    const guard = safe && TEXTS.has(column?.type ?? "") ? escapeFormula : (cell: string) => cell;
    return { field, cellOf: (value: Json) => guard(format(value)) };
  });
  return {
    mediaType: "text/csv",
    begin: formatCsvLine(fields),
    line: ({ record }) =>
      formatCsvLine(
        columns.map(({ field, cellOf }) => {
          const value = record[field];
          // What a record shows is JSON.
          return value === null || value === undefined ? null : cellOf(value as Json);
        }),
      ),
    end: "",
  };
}

/** The types of columns whose cells somebody may have written as they liked. */
const TEXTS: ReadonlySet<string> = new Set(["text", "enum", "multi_enum", "json"]);

/** How many records are read at once, of which there are statements for each. */
const PAGES = [10, 100, 1_000] as const;

export const exportRecords = query({
  id: "records.export",
  route: "GET /api/v1/tables/{slug}/records/export",
  summary: "Export records as a file",
  description:
    "All that match, however many, in `csv` (a line of field names first; what is null is an empty " +
    'cell, an empty text is `""`), `json` (one list) or `ndjson` (one record a line). The file is made ' +
    "while it is sent, page by page: a record that is changed meanwhile is there once, as it was or as " +
    "it is. With `safe`, texts that a spreadsheet would take for a formula get a `'` in front, which " +
    "an import would keep.",
  permission: RecordsRead,
  params: object({ slug: Slug }),
  query: object({
    ...recordQueryParams,
    format: Type.Enum([...FORMATS], { default: "csv" }),
    safe: Type.Boolean({ default: false }),
  }),
  response: download("text/csv, application/json, application/x-ndjson"),
  example: {
    params: { slug: "orders" },
    query: { format: "csv", safe: false, filter: '{"status":"open"}', sort: "createdAt" },
  },
  async prepare(platform, { params: { slug }, query: { format, safe, ...question } }, caller) {
    const { listing, first } = await begin(platform, caller, slug, question);
    const { table, fields } = listing.asked;
    const form = fileForm(format, { table, fields, safe });
    const pages: PageSource<ListedRecords> = {
      sizes: PAGES,
      read: async (last, count) =>
        last
          ? platform.db.read(partitionOfCaller(caller), (tx) =>
              listRecordsSql(tx, listing, last.place, count),
            )
          : first,
    };
    const download: Download = {
      mediaType: form.mediaType,
      fileName: `${slug}.${format}`,
      pieces: listFileChunks(form, pages, platform.shutdown),
    };
    return download;
  },
  run: async (_ctx, _input, prepared) => prepared,
});

/** What is wrong with the question is found before anything is sent. */
function begin(
  platform: Platform,
  caller: Caller,
  slug: string,
  question: RecordQuery,
): Promise<{ listing: RecordListing; first: ListedRecords[] }> {
  return platform.db.read(partitionOfCaller(caller), async (tx) => {
    const asking = { tx, services: platform, caller };
    const table = await requireTable(asking, slug);
    const listing = await readWithTable(asking, table, () => listingOf(asking, table, question));
    const first = await retryOnSchemaChange(asking, () =>
      listRecordsSql(tx, listing, undefined, PAGES[0]),
    );
    return { listing, first };
  });
}
