import Type from "typebox";
import { RecordsRead } from "#domains/tables/permissions.ts";
import { byDefinition, readBy, tableOf } from "#domains/tables/table-cache.ts";
import type { KnownColumn, KnownTable } from "#domains/tables/table-schema.ts";
import { NoSuchRecord, RecordId, Slug } from "#domains/tables/table.ts";
import { rowsOf } from "#kernel/db/statement.ts";
import { orderName } from "#kernel/list/order.ts";
import { queryLog } from "#kernel/log/event-log.ts";
import { placeIn, seenEvents } from "#kernel/log/event-visibility.ts";
import { Envelope, positionOf, toEnvelope } from "#kernel/log/event.ts";
import { Failure, invalid } from "#kernel/operation/failure.ts";
import { query, type ReadContext } from "#kernel/operation/operation.ts";
import { CURSOR_CHARACTERS_MAX, fitting, pageOf, pageQuery } from "#kernel/operation/pagination.ts";
import { type Page, page, whole, wholePage } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { assertSeen, grantsFor } from "../record-access.ts";
import { RecordSchema, type Shown, toRecord } from "../record.ts";
import { storedOf } from "../table-record.ts";
import { planOf } from "../write/record-sql.ts";
import { expanded, readExpand } from "./expand-references.ts";
import { countOf, listFrom, type Listing, type Place } from "./list-sql.ts";
import { ask, orderOf, type Question, questionQuery } from "./record-query.ts";

type Told = ReturnType<typeof toEnvelope>;

/** What happened to a record, newest first, also when it is no longer there. */
async function historyOf(
  ctx: ReadContext,
  table: KnownTable,
  id: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<Page<Told>> {
  const before = after === undefined ? undefined : positionOf(after);
  if (after !== undefined && !before) throw invalid("?after", "is not a cursor of this list");
  const filter = { resourceType: "record", resourceId: id, before };
  const found = await queryLog(ctx.tx, filter, limit + 1);
  const own = found.filter(({ data }) => data["tableSlug"] === table.slug);
  const page = pageOf(
    own,
    limit,
    (event) => event,
    (event) => event.id,
  );
  const seen = await seenEvents(placeIn(ctx), ctx.caller.person, page.data);
  // Nothing may be told of it that is kept, or nothing that they see; then it must be there at least.
  if (seen.length === 0 && after === undefined) await assertThere(ctx, table, id);
  return { ...page, data: seen.map(toEnvelope) };
}

async function assertThere(ctx: ReadContext, table: KnownTable, id: string): Promise<void> {
  const text = `select ${planOf(table).all} from ${table.view} where id = $1`;
  const [row] = await byDefinition(ctx, () => rowsOf(ctx.tx, text, [id]));
  if (!row) throw new Failure(NoSuchRecord);
  assertSeen(ctx, table, storedOf(table, row).record);
}

/** Some of a list of records, and the place of the last of them when there are more. */
export interface RecordPage {
  readonly data: readonly Shown[];
  readonly last: Place | undefined;
}

/** How many records are read first where they may be large; then twice as many, and so on. */
const STEP_RECORDS = 16;

/**
 * Up to so many records behind a place, with what they refer to: as many as fit into a page. They are
 * read at once, unless those of the table may be so large that what does not fit is worth sparing.
 */
async function pageFrom(
  ctx: ReadContext,
  { listing, references }: { listing: Listing; references: readonly KnownColumn[] },
  after: Place | undefined,
  limit: number,
): Promise<RecordPage> {
  const { table } = listing.asked;
  const places: Place[] = [];
  const shown: Shown[] = [];
  for (let step = large.get(table) === false ? limit + 1 : STEP_RECORDS; ; step *= 2) {
    // One more than is shown tells that there are more.
    const count = Math.min(step, limit + 1 - places.length);
    const found = await listFrom(ctx.tx, listing, places.at(-1) ?? after, count);
    places.push(...found.map(({ place }) => place));
    const records = found.slice(0, limit - shown.length).map(({ record }) => record);
    shown.push(...(await expanded(ctx, references, records)));
    const data = fitting(shown);
    const isFull = data.length < shown.length;
    if (isFull || found.length < count || places.length > limit) {
      remember(table, isFull);
      return { data, last: places.length > data.length ? places[data.length - 1] : undefined };
    }
  }
}

/** Whether a page of a table was ever too large for its records; unknown before the first. */
const large = new WeakMap<KnownTable, boolean>();

function remember(table: KnownTable, isFull: boolean): void {
  if (isFull || !large.has(table)) large.set(table, isFull);
}

const shownQuery = {
  fields: questionQuery.fields,
  expand: Type.Optional(
    line(
      1_000,
      "References to show as what they refer to, with commas between them. Who may not see that sees null",
    ),
  ),
};

export const listRecords = query({
  id: "records.list",
  route: "GET /api/v1/tables/{slug}/records",
  summary: "List the records of a table",
  description:
    "The newest first, unless `sort` says otherwise. A field that the table's rules hide is null, to " +
    "`filter`, `sort` and `q` as well. A filter on an indexed column uses the index, and so does a sort.",
  permission: RecordsRead,
  params: object({ slug: Slug }),
  query: object({
    ...pageQuery,
    ...questionQuery,
    ...shownQuery,
    count: Type.Optional(
      Type.Enum(["exact"], {
        description:
          "Counts all that match, as `pagination.total`; that takes time when they are many",
      }),
    ),
  }),
  reply: wholePage(RecordSchema),
  example: {
    params: { slug: "orders" },
    query: { limit: 50, filter: '{"status":"open"}', sort: "-createdAt" },
  },
  async run(ctx, { params, query: { limit, after, expand, count, ...question } }) {
    const table = await tableOf(ctx, params.slug);
    const { references, listing } = await readBy(ctx, table, () => {
      const named = readExpand(table, expand);
      return { references: named, listing: listingOf(ctx, table, withFields(question, named)) };
    });
    const { cursors } = ctx.services;
    const name = nameOf(listing, question);
    const from = after === undefined ? undefined : cursors.decode(name, after);
    return byDefinition(ctx, async () => {
      const [{ data, last }, total] = await Promise.all([
        pageFrom(ctx, { listing, references }, from, limit),
        count && countOf(ctx.tx, listing.asked),
      ]);
      return {
        data,
        nextCursor: last ? goingOn(cursors.encode(name, last)) : null,
        limit,
        total,
      };
    });
  },
});

export const getRecord = query({
  id: "records.get",
  route: "GET /api/v1/tables/{slug}/records/{recordId}",
  summary: "Read one record",
  description: "With an `ETag`, unless something is expanded that changes by itself.",
  permission: RecordsRead,
  params: object({ slug: Slug, recordId: RecordId }),
  query: object(shownQuery),
  reply: whole(RecordSchema),
  example: {
    params: { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    query: { expand: "customer" },
  },
  async run(ctx, { params, query: { expand, fields } }) {
    const table = await tableOf(ctx, params.slug);
    const { references, text, values } = await readBy(ctx, table, () => {
      const named = readExpand(table, expand);
      const { recordId } = params;
      const one = oneOf(ctx, table, { recordId, ...withFields({ fields }, named) });
      return { references: named, ...one };
    });
    return byDefinition(ctx, async () => {
      const [row] = await rowsOf(ctx.tx, text, values);
      if (!row) throw new Failure(NoSuchRecord);
      const { [REVISION]: revision, ...found } = row;
      const record = toRecord(table, found);
      if (references.length === 0) {
        // A column that comes, goes or is renamed changes what is shown, and not the record.
        return { data: record, revision: Number(revision), formRevision: table.revision };
      }
      const [data = record] = await expanded(ctx, references, [record]);
      return { data };
    });
  },
});

export const listHistory = query({
  id: "records.history",
  route: "GET /api/v1/tables/{slug}/records/{recordId}/history",
  summary: "List what happened to a record, newest first",
  description:
    "Its events, as the table's rules let you see them: when it was made, each change with what was " +
    "before and after, and its end, after which the history is still there.",
  permission: RecordsRead,
  params: object({ slug: Slug, recordId: RecordId }),
  query: object(pageQuery),
  reply: page(Envelope),
  example: {
    params: { slug: "orders", recordId: "rec_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    query: { limit: 50 },
  },
  async run(ctx, { params, query: asked }) {
    return historyOf(ctx, await tableOf(ctx, params.slug), params.recordId, asked);
  },
});

/** What a caller asks of a table, as a list. */
export function listingOf(
  { caller }: Pick<ReadContext, "caller">,
  table: KnownTable,
  question: Question,
): Listing {
  const asked = ask(table, grantsFor(table, "read", caller), question);
  return { asked, keys: orderOf(asked, question) };
}

/** Cursors of one list lead nowhere in another. */
function nameOf({ asked: { table }, keys }: Listing, { filter, q }: Question): string {
  return JSON.stringify(["records", table.id, orderName(keys), filter, q]);
}

/** A cursor that the next request has room for. */
function goingOn(cursor: string): string {
  if (cursor.length <= CURSOR_CHARACTERS_MAX) return cursor;
  throw invalid("?sort", "names a field with a text that is too long to go on from in a list");
}

/** What is to be expanded must be there. */
function withFields<Some extends { readonly fields?: string | undefined }>(
  question: Some,
  references: readonly { readonly name: string }[],
): Some {
  if (question.fields === undefined || references.length === 0) return question;
  const names = references.map(({ name }) => name);
  return { ...question, fields: [question.fields, ...names].join(",") };
}

/** Not the name of any field. */
const REVISION = "~revision";

const texts = new WeakMap<KnownTable, string>();

/** The statement that reads one record. For those whom no rule binds there is one text for all. */
function oneOf(
  { caller }: ReadContext,
  table: KnownTable,
  { recordId, fields }: { readonly recordId: string; readonly fields?: string | undefined },
): { text: string; values: readonly unknown[] } {
  const grants = grantsFor(table, "read", caller);
  const usual = !grants && fields === undefined;
  const known = usual ? texts.get(table) : undefined;
  if (known !== undefined) return { text: known, values: [recordId] };
  const { select, where, parameters } = ask(table, grants, { fields });
  const place = parameters.add(recordId, "text");
  const seen = where === undefined ? "" : ` and ${where}`;
  const text =
    `select ${select}, revision as "${REVISION}" from ${table.view} ` +
    `where id = ${place}${seen}`;
  if (usual) texts.set(table, text);
  return { text, values: parameters.values };
}
