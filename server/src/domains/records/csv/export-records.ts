import Type from "typebox";
import type { Json } from "#domains/tables/columns/column-type.ts";
import { RecordsRead } from "#domains/tables/permissions.ts";
import { byDefinition, partitionOf, readBy, tableOf } from "#domains/tables/table-cache.ts";
import type { KnownTable } from "#domains/tables/table-schema.ts";
import { Slug } from "#domains/tables/table.ts";
import type { Caller, Outside } from "#kernel/access/caller.ts";
import { csvLine, unrunnable } from "#kernel/csv/csv-line.ts";
import { jsonForm, type ListForm, type Pages, piecesOf } from "#kernel/list/list-file.ts";
import { query } from "#kernel/operation/operation.ts";
import { type Download, download } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { type Listed, listFrom, type Listing } from "../read/list-sql.ts";
import { listingOf } from "../read/operations.ts";
import { type Question, questionQuery } from "../read/record-query.ts";

/** A table's records as a file, made piece by piece. */

const FORMATS = ["csv", "json", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

export interface FileOptions {
  readonly table: KnownTable;
  readonly fields: readonly string[];
  /** Whether texts that a spreadsheet would run are marked. */
  readonly safe: boolean;
}

/** How records are written in such a file. */
function fileForm(format: Format, options: FileOptions): ListForm<Listed> {
  switch (format) {
    case "csv":
      return csvForm(options);
    case "json":
      return jsonForm(({ record }) => record);
    case "ndjson":
      return {
        mediaType: "application/x-ndjson",
        begin: "",
        line: ({ record }) => `${JSON.stringify(record)}\n`,
        end: "",
      };
  }
}

function csvForm({ table, fields, safe }: FileOptions): ListForm<Listed> {
  const columns = fields.map((field) => {
    const column = table.byName.get(field);
    const format = column?.is.format ?? String;
    const guard = safe && TEXTS.has(column?.type ?? "") ? unrunnable : (cell: string) => cell;
    return { field, cellOf: (value: Json) => guard(format(value)) };
  });
  return {
    mediaType: "text/csv",
    begin: csvLine(fields),
    line: ({ record }) =>
      csvLine(
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
    ...questionQuery,
    format: Type.Enum([...FORMATS], { default: "csv" }),
    safe: Type.Boolean({ default: false }),
  }),
  reply: download("text/csv, application/json, application/x-ndjson"),
  example: {
    params: { slug: "orders" },
    query: { format: "csv", safe: false, filter: '{"status":"open"}', sort: "createdAt" },
  },
  async prepare(outside, { params: { slug }, query: { format, safe, ...question } }, caller) {
    const { listing, first } = await begin(outside, caller, slug, question);
    const { table, fields } = listing.asked;
    const form = fileForm(format, { table, fields, safe });
    const pages: Pages<Listed> = {
      sizes: PAGES,
      read: async (last, count) =>
        last
          ? outside.db.read(partitionOf(caller), (tx) => listFrom(tx, listing, last.place, count))
          : first,
    };
    const download: Download = {
      mediaType: form.mediaType,
      fileName: `${slug}.${format}`,
      pieces: piecesOf(form, pages, outside.ending),
    };
    return download;
  },
  run: async (_ctx, _input, prepared) => prepared,
});

/** What is wrong with the question is found before anything is sent. */
function begin(
  outside: Outside,
  caller: Caller,
  slug: string,
  question: Question,
): Promise<{ listing: Listing; first: Listed[] }> {
  return outside.db.read(partitionOf(caller), async (tx) => {
    const asking = { tx, services: outside, caller };
    const table = await tableOf(asking, slug);
    const listing = await readBy(asking, table, () => listingOf(asking, table, question));
    const first = await byDefinition(asking, () => listFrom(tx, listing, undefined, PAGES[0]));
    return { listing, first };
  });
}
