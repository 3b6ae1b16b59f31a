/**
 * Finds the nearest records under conditions. Vectors are compared exactly, page by page. With pgvector, only
 * candidates are compared.
 */
import type { Caller } from "#kernel/access/caller.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { StaleRead } from "#kernel/db/errors.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { decodeVectors, findNearest } from "./unit-vector.ts";
import { findNear, findPgvector, isPgvectorGone } from "./vector-copies.ts";

/** The limit per search: about 150 MB of the model's vectors are read page by page. */
const VECTORS_MAX = 100_000;
const PAGE_RECORDS = 1_000;
/** The page size in bytes. Limited because pages are held in memory by concurrent requests. */
const PAGE_BYTES = 4 * 1_048_576;

export const TooManyVectors = failure(
  "too_many_vectors",
  422,
  `The search must compare more than ${VECTORS_MAX} vectors. Narrow the records with \`filter\`.`,
);

/** The SQL of the candidate records and their vectors. */
export interface VectorSearch {
  readonly tableId: string;
  readonly column: string;
  /** The name of the table in the statements. */
  readonly row: string;
  /** The conditions of filter and access rules; empty if all records match. */
  readonly conditions: readonly string[];
  /** The parameters of the conditions. */
  readonly values: readonly unknown[];
  /** The joins after `from` for the row's vectors, as `"~v".vectors`. */
  readonly vectorsOfRow: string;
}

export interface Question {
  readonly vector: Float32Array;
  readonly limit: number;
  readonly scoreMin: number;
}

export interface Hit {
  readonly id: string;
  readonly score: number;
  /** The index of the nearest vector of the record. */
  readonly place: number;
}

/** Calls that are retried because pgvector had been removed. */
const withoutPgvector = new WeakSet<Caller>();

/** Finds the nearest records, nearest first; equally near ones are sorted by age, oldest first. */
export async function findHits(
  { tx, caller }: Pick<ReadContext, "tx" | "caller">,
  search: VectorSearch,
  question: Question,
): Promise<readonly Hit[]> {
  if (search.conditions.length > 0) {
    const first = await scan(tx, search, question, { pagesMax: 1 });
    if (first.isWhole) return first.hits;
  }
  if (!withoutPgvector.has(caller)) {
    try {
      const hits = await findByPgvector(tx, search, question);
      if (hits) return hits;
    } catch (error) {
      if (!isPgvectorGone(error)) throw error;
      withoutPgvector.add(caller);
      throw new StaleRead({ cause: error });
    }
  }
  return (await scan(tx, search, question)).hits;
}

/** More candidates than requested, because some copies may be outdated or equally near. */
const CANDIDATES_MAX = 2_500;

/** Returns undefined if pgvector is not installed, or too many vectors are not copied. */
async function findByPgvector(
  tx: Tx,
  search: VectorSearch,
  question: Question,
): Promise<readonly Hit[] | undefined> {
  const home = await findPgvector(tx);
  if (home === undefined) return undefined;
  const { tableId, column, row, conditions, values } = search;
  const ids = `select ${row}.id from ${row} where ${conjoin(conditions)}`;
  const among = conditions.length === 0 ? undefined : { text: ids, values };
  const { vector, limit, scoreMin } = question;
  for (const count of [2 * limit + 50, CANDIDATES_MAX]) {
    const near = await findNear(tx, { home, tableId, column, vector, among, count });
    if (!near) return undefined;
    const { hits } = await scan(tx, search, question, { among: near.ids });
    const worst = hits.length < limit ? scoreMin : (hits.at(-1)?.score ?? scoreMin);
    if (worst > near.othersMax) return hits;
  }
  return undefined;
}

const conjoin = (conditions: readonly string[]): string =>
  conditions.map((one) => `(${one})`).join(" and ");

interface ScanOptions {
  /** The ids of the candidate records; all matching records if absent. */
  readonly among?: readonly string[];
  readonly pagesMax?: number;
}

/** Compares vectors page by page, so that other requests run in between. `isWhole` is false if pages remain. */
async function scan(
  tx: Tx,
  search: VectorSearch,
  { vector, limit, scoreMin }: Question,
  { among, pagesMax = Infinity }: ScanOptions = {},
): Promise<{ readonly hits: readonly Hit[]; readonly isWhole: boolean }> {
  const values = among ? [...search.values, among] : search.values;
  const statement = pageStatement(search, among && `$${values.length}::text[]`, values.length);
  let hits: Hit[] = [];
  let compared = 0;
  let isWhole = false;
  for (let after = "", pages = 0; !isWhole && pages < pagesMax; pages += 1) {
    const rows = await queryRows(tx, statement, [...values, after]);
    for (const row of rows) {
      const vectors = decodeVectors(row["vectors"] as Buffer);
      compared += vectors.length / vector.length;
      const nearest = findNearest(vector, vectors);
      if (nearest.score >= scoreMin) hits.push({ id: String(row["id"]), ...nearest });
    }
    if (compared > VECTORS_MAX) throw new Failure(TooManyVectors);
    hits = hits.toSorted((a, b) => b.score - a.score).slice(0, limit);
    const { id, found = 0 } = rows.at(-1) ?? {};
    isWhole = rows.length === found && rows.length < PAGE_RECORDS;
    after = typeof id === "string" ? id : "";
  }
  return { hits, isWhole };
}

/** Builds the statement for a page of vectors after an id (the last parameter). */
function pageStatement(
  { row, conditions, vectorsOfRow }: VectorSearch,
  among: string | undefined,
  parameters: number,
): string {
  const after = `$${parameters + 1}::text`;
  const all = [
    ...conditions,
    `${row}.id > ${after}`,
    // Looked up individually: with `any`, a plan for an unknown number of ids reads all records.
    ...(among === undefined ? [] : [`${row}.id in (select unnest(${among}))`]),
  ];
  // The condition is on both sides, so that no index is read from its start for each page.
  const vectors = `select "~v".vectors as "~vectors" from ${vectorsOfRow} and "~v".record_id > ${after}`;
  const next =
    `select ${row}.id as id, "~m"."~vectors" as vectors from ${row}, lateral (${vectors}) as "~m" ` +
    `where ${conjoin(all)} order by ${row}.id limit ${PAGE_RECORDS}`;
  // The length of TOASTed data is known without reading it.
  const sized =
    `select id, vectors, count(*) over () as found, ` +
    `sum(octet_length(vectors)) over (order by id) - octet_length(vectors) as before from (${next}) as "~next"`;
  return (
    `select id, vectors, found::integer as found from (${sized}) as "~sized" ` +
    `where before < ${PAGE_BYTES} order by id`
  );
}
