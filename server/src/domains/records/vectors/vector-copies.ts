/**
 * Copies of vectors in the type of pgvector, if the server has it, so that PostgreSQL compares them itself. Copies
 * only select candidates, which are then compared by the original vectors. So results are the same with and without
 * pgvector, and missing copies only cost time.
 */
import Type from "typebox";
import { findTableById, VECTOR_DIMENSIONS_MAX } from "#domains/tables/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { sqlStateOf } from "#kernel/db/errors.ts";
import { queryRows, type SqlRow } from "#kernel/db/statement.ts";
import { DIMENSIONS } from "#kernel/embedding/vector.ts";
import { job } from "#kernel/work/job.ts";
import { decodeVectors } from "./unit-vector.ts";

/** The extension may be dropped at run time; then vectors are neither copied nor searched with it. */
const FIND = `
  select quote_ident(n.nspname) as home from pg_extension e join pg_namespace n on n.oid = e.extnamespace
   where e.extname = 'vector' and exists (
     select from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace s on s.oid = c.relnamespace
      where s.nspname = 'millrace_vectors' and c.relname = 'chunks' and a.attname = 'chunk' and not a.attisdropped)`;

/** The schema of pgvector, quoted; undefined if there are no copies. */
export async function findPgvector(tx: Tx): Promise<string | undefined> {
  const [row] = await queryRows(tx, FIND, []);
  return row && String(row["home"]);
}

/** Missing schema, table, column, type, function or operator, missing privilege, or missing library. */
const GONE = new Set(["3F000", "42P01", "42703", "42704", "42883", "42501", "58P01"]);

/** Returns whether a statement may have failed because pgvector or its objects have been removed. */
export function isPgvectorGone(error: unknown): boolean {
  const code = sqlStateOf(error);
  if (code === "XX000") return /cache lookup failed/.test(String(error));
  return code !== undefined && GONE.has(code);
}

/**
 * The maximum number of vectors without a copy that a search compares directly; with more, pgvector saves no time.
 */
const UNCOPIED_MAX = 1_000;

interface NearQuery {
  /** The schema of pgvector. */
  readonly home: string;
  readonly tableId: string;
  readonly column: string;
  readonly vector: Float32Array;
  /** A statement that selects the ids of the candidate records; the entire column if absent. */
  readonly among: { readonly text: string; readonly values: readonly unknown[] } | undefined;
  /** The number of vectors to find. */
  readonly count: number;
}

/** The records that may be the nearest. */
export interface NearRecords {
  readonly ids: readonly string[];
  /** No other record has a higher score. */
  readonly othersMax: number;
}

/** Finds the records with the nearest copies, and those without a copy; undefined if too many have none. */
export async function findNear(tx: Tx, asked: NearQuery): Promise<NearRecords | undefined> {
  const { home, tableId, column, vector, among, count } = asked;
  const values = [...(among?.values ?? []), tableId, column, toText(vector), vector.length];
  const [table, name, question, dimensions] = [3, 2, 1, 0].map((at) => `$${values.length - at}`);
  const mine = `table_id = ${table}::text and column_name = ${name}::text`;
  const text = `
    select record_id as id, score from (
      select record_id, -(chunk operator(${home}.<#>) ${question}::${home}.vector) as score
        from millrace_vectors.chunks
       where ${mine} and ${home}.vector_dims(chunk) = ${dimensions}::integer
         ${among ? `and record_id in (${among.text})` : ""}
       order by score desc, record_id limit ${count}) as near
    union all
    (select record_id, null from millrace_vectors.uncopied where ${mine} limit ${UNCOPIED_MAX + 1})`;
  const rows = await queryRows(tx, text, values);
  const near = rows.filter(({ score }) => score !== null);
  if (rows.length - near.length > UNCOPIED_MAX) return undefined;
  const last = near.length < count ? Number.NEGATIVE_INFINITY : Number(near.at(-1)?.["score"]);
  return {
    ids: [...new Set(rows.map(({ id }) => String(id)))],
    othersMax: last + roundingOf(vector.length),
  };
}

/** Returns an upper bound for the rounding error when adding this many 32-bit products of unit vectors. */
function roundingOf(dimensions: number): number {
  return dimensions * 2 ** -22;
}

function toText(vector: Float32Array): string {
  return `[${vector.join(",")}]`;
}

/** The number of records per run; a record has up to 40 vectors. */
const COPIED_MAX = 200;

/** Concurrent marks wait for this statement, or it waits for them: see the trigger. */
const TAKE = `
  delete from millrace_vectors.uncopied where (table_id, column_name, record_id) in (
    select table_id, column_name, record_id from millrace_vectors.uncopied
     where table_id = $1 order by column_name, record_id limit ${COPIED_MAX} for update skip locked)
  returning column_name as "column", record_id as "recordId"`;
const READ = `
  select v.column_name as "column", v.record_id as "recordId", v.vectors
    from unnest($2::text[], $3::text[]) as t (column_name, record_id) join record_vectors v using (column_name, record_id)
   where v.table_id = $1 and v.vectors is not null`;
const FORGET = `
  delete from millrace_vectors.chunks c using unnest($2::text[], $3::text[]) as t (column_name, record_id)
   where c.table_id = $1 and c.column_name = t.column_name and c.record_id = t.record_id`;

/** Copies vectors of a table that have no copy. Resolves to true if more may remain. */
export async function copyVectors(tx: Tx, tableId: string): Promise<boolean> {
  const home = await findPgvector(tx);
  if (home === undefined) return false;
  const taken = await queryRows(tx, TAKE, [tableId]);
  if (taken.length === 0) return false;
  const keys = keysOf(taken);
  await queryRows(tx, FORGET, [tableId, ...keys]);
  const table = await findTableById(tx, tableId);
  const embeddings = new Set(
    table?.columns.filter(({ type }) => type === "embedding").map(({ name }) => name),
  );
  const chunks = (await queryRows(tx, READ, [tableId, ...keys])).flatMap((row) => {
    const vectors = decodeVectors(row["vectors"] as Buffer);
    // A vector that a client supplied is the only one of its record.
    const size = embeddings.has(String(row["column"])) ? DIMENSIONS : vectors.length;
    return splitVectors(vectors, size).flatMap((chunk, place) =>
      isComparable(chunk) ? [{ ...row, place, chunk }] : [],
    );
  });
  if (chunks.length > 0) {
    const insert = `
      insert into millrace_vectors.chunks (table_id, column_name, record_id, place, chunk)
      select $1, column_name, record_id, place, chunk::${home}.vector
        from unnest($2::text[], $3::text[], $4::integer[], $5::text[]) as c (column_name, record_id, place, chunk)`;
    const places = chunks.map(({ place }) => place);
    const texts = chunks.map(({ chunk }) => toText(chunk));
    await queryRows(tx, insert, [tableId, ...keysOf(chunks), places, texts]);
  }
  return taken.length === COPIED_MAX;
}

/**
 * Returns false for vectors that pgvector rejects, from archives or earlier releases; they would block all other
 * copies.
 */
function isComparable(vector: Float32Array): boolean {
  return vector.length <= VECTOR_DIMENSIONS_MAX && vector.every((one) => Number.isFinite(one));
}

const keysOf = (rows: readonly SqlRow[]): unknown[][] => [
  rows.map(({ column }) => column),
  rows.map(({ recordId }) => recordId),
];

function splitVectors(vectors: Float32Array, size: number): readonly Float32Array[] {
  const count = size === 0 ? 0 : Math.floor(vectors.length / size);
  return Array.from({ length: count }, (_, at) => vectors.subarray(at * size, (at + 1) * size));
}

/** Copies the vectors that existed before pgvector was installed. */
export const copyVectorsJob = job({
  kind: "records.copy_vectors",
  payload: Type.Object({
    tableId: Type.String(),
    workspace: Type.String(),
    environment: Type.Unsafe<EnvironmentName>(Type.String()),
  }),
  concurrency: 2,
  async run(ctx, payload) {
    const hasMore = await copyVectors(ctx.tx, payload.tableId);
    if (hasMore) ctx.enqueue(copyVectorsJob, payload, { key: payload.tableId });
  },
});

const EVERY_MS = 300_000;
const TABLES_MAX = 1_000;
const HAS_MARKS = "select to_regclass('millrace_vectors.uncopied') is not null as there";
const MARKED = `
  select distinct table_id as "tableId", workspace_id as workspace, environment from millrace_vectors.uncopied
   limit ${TABLES_MAX}`;

interface MarkedTable extends Record<string, unknown> {
  readonly tableId: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
}

/** Copies vectors created before pgvector was installed, or imported from archives. */
export const findUncopied = job({
  kind: "records.find_uncopied",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  async effect({ db }) {
    const [marks] = await db.system<{ there: boolean }>(HAS_MARKS);
    return marks?.there === true ? db.system<MarkedTable>(MARKED) : [];
  },
  async run(ctx, _payload, tables) {
    for (const { tableId, workspace, environment } of tables) {
      ctx.switchPartition({ workspace, environment });
      ctx.enqueue(copyVectorsJob, { tableId, workspace, environment }, { key: tableId });
    }
  },
});
