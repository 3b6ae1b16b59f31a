import Type from "typebox";
import type { Caller, Outside } from "#kernel/caller.ts";
import { query } from "#kernel/operation.ts";
import { type Download, download } from "#kernel/reply.ts";
import { object } from "#kernel/schema.ts";
import { byDefinition, partitionOf, readBy, tableOf } from "../../catalog.ts";
import { RecordsRead } from "../../permissions.ts";
import { Slug } from "../../table.ts";
import { type Listed, type Listing, listFrom, type Place } from "../reading/listing.ts";
import { type Question, questionQuery } from "../reading/question.ts";
import { listingOf } from "../reading/operations.ts";
import { fileForm, type FileForm, FORMATS } from "./file.ts";

/** How many records are read at once: as many as fit, of those that there are statements for. */
const PAGES = [10, 100, 1_000] as const;
const PAGE_CHARACTERS_MAX = 4_000_000;

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
    const more = (after: Place, count: number) =>
      outside.db.read(partitionOf(caller), (tx) => listFrom(tx, listing, after, count));
    const download: Download = {
      mediaType: form.mediaType,
      fileName: `${slug}.${format}`,
      pieces: piecesOf(form, first, more, outside.ending),
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

/** No connection is held from page to page, and no page is read before the client has taken the last one. */
async function* piecesOf(
  form: FileForm,
  first: readonly Listed[],
  more: (after: Place, count: number) => Promise<Listed[]>,
  ending: AbortSignal,
): AsyncGenerator<string> {
  let index = 0;
  let page = first;
  let count: number = PAGES[0];
  let piece = form.begin;
  for (;;) {
    for (const { record } of page) {
      piece += form.line(record, index);
      index += 1;
    }
    const last = page.at(-1);
    const isEnd = page.length < count || !last;
    if (piece !== "") yield isEnd ? piece + form.end : piece;
    if (isEnd) return;
    // The client must be able to tell that this is not all.
    if (ending.aborted) throw new Error("The server ends, and the file with it.");
    const each = piece.length / page.length;
    count = PAGES.findLast((size) => size * each <= PAGE_CHARACTERS_MAX) ?? PAGES[0];
    page = await more(last.place, count);
    piece = "";
  }
}
