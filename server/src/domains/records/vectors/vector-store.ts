/** Stores record vectors and the marks for outdated ones. */
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import {
  compileVectorSource,
  findTableById,
  resolveTable,
  type TableSchema,
  vectorColumns,
} from "#domains/tables/index.ts";
import type { Partition } from "#kernel/db/partition.ts";

/** The vectors of a record in one column. */
export interface VectorKey {
  readonly column: string;
  readonly recordId: string;
}

const MARK = `
  insert into record_vectors (table_id, column_name, record_id)
  select t.id, m.column_name, m.record_id
    from unnest($1::text[], $2::text[], $3::text[]) as m (table_id, column_name, record_id)
    join user_tables t on t.id = m.table_id
  on conflict (table_id, column_name, record_id) do update set requested = record_vectors.requested + 1`;

/** Marks vectors for computation; each key may occur once. */
export async function markPending(
  tx: Tx,
  keys: readonly (VectorKey & { readonly tableId: string })[],
): Promise<void> {
  await queryRows(tx, MARK, [
    keys.map(({ tableId }) => tableId),
    keys.map(({ column }) => column),
    keys.map(({ recordId }) => recordId),
  ]);
}

/** The maximum number of rows per statement. */
const ROWS_MAX = 5_000;

const REMOVE_OTHERS = `
  delete from record_vectors
   where (table_id, column_name, record_id) in (
     select table_id, column_name, record_id from record_vectors
      where table_id = $1 and column_name <> all ($2::text[]) limit ${ROWS_MAX})
  returning 1`;

/**
 * Removes the vectors of deleted columns, and marks those with an outdated source. Resolves to true if more rows
 * may remain.
 */
export async function markTable(tx: Tx, schema: TableSchema): Promise<boolean> {
  const names = vectorColumns(schema);
  const removed = await queryRows(tx, REMOVE_OTHERS, [schema.id, names]);
  let isWhole = removed.length < ROWS_MAX;
  for (const name of names) {
    const source = compileVectorSource(schema, name, "r");
    if (!source) continue;
    const isThere = source.kind === "texts" ? `${source.sql} <> ''` : `${source.sql} is not null`;
    const text = `
      insert into record_vectors (table_id, column_name, record_id)
      select $1, $2, r.id from ${schema.view} as r
       where ${isThere} and not exists (
         select from record_vectors v
          where v.table_id = $1 and v.column_name = $2 and v.record_id = r.id
            and (v.requested > v.done or v.digest = ${source.digest}))
       limit ${ROWS_MAX}
      on conflict (table_id, column_name, record_id) do update set requested = record_vectors.requested + 1
      returning 1`;
    const marked = await queryRows(tx, text, [schema.id, name]);
    isWhole &&= marked.length < ROWS_MAX;
  }
  return !isWhole;
}

/** A mark and its current source; undefined if there is nothing to embed. */
export interface PendingVector extends VectorKey {
  readonly requested: number;
  readonly source?: {
    readonly digest: string;
    readonly text?: string;
    readonly numbers?: number[];
  };
}

const PENDING = `
  select column_name as "column", record_id as "recordId", requested from record_vectors
   where table_id = $1 and requested > done order by record_id limit $2`;

/** Reads the marks of a table and their sources. */
export async function readPending(
  tx: Tx,
  { tableId, partition }: { readonly tableId: string; readonly partition: Partition },
  count: number,
): Promise<readonly PendingVector[]> {
  const table = await findTableById(tx, tableId);
  if (!table) return [];
  const schema = resolveTable(table, partition);
  // The columns have the names of the fields.
  const marks = await queryRows<PendingVector>(tx, PENDING, [tableId, count]);
  const found: PendingVector[] = [];
  for (const [column, ofColumn] of Map.groupBy(marks, (mark) => mark.column)) {
    const sources = await readSources(tx, schema, column, ofColumn);
    found.push(
      ...ofColumn.map((mark) => {
        const source = sources.get(mark.recordId);
        return source ? { ...mark, source } : mark;
      }),
    );
  }
  return found;
}

async function readSources(
  tx: Tx,
  schema: TableSchema,
  column: string,
  marks: readonly VectorKey[],
): Promise<ReadonlyMap<string, NonNullable<PendingVector["source"]>>> {
  const source = compileVectorSource(schema, column, "r");
  if (!source) return new Map();
  const text = `
    select r.id, ${source.sql} as source, ${source.digest} as digest from ${schema.view} as r
     where r.id = any($1::text[])`;
  const rows = await queryRows(tx, text, [marks.map(({ recordId }) => recordId)]);
  return new Map(
    rows.flatMap((row) => {
      const { id, source: value, digest } = row;
      if (value === null || value === "") return [];
      // A text is embedded; anything else is the JSON of a vector.
      const parts = typeof value === "string" ? { text: value } : { numbers: value as number[] };
      return [[String(id), { digest: String(digest), ...parts }]];
    }),
  );
}

/** Vectors computed for a mark; undefined if there is nothing to embed. */
export interface WorkedOutVector extends VectorKey {
  readonly requested: number;
  readonly digest?: string;
  readonly vectors?: Buffer;
}

const SAVE = `
  update record_vectors v set digest = n.digest, vectors = n.vectors, done = n.requested
    from unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::bytea[])
         as n (column_name, record_id, requested, digest, vectors)
   where v.table_id = $1 and v.column_name = n.column_name and v.record_id = n.record_id`;
/** Keeps the mark if the record was marked again in the meantime. */
const REMOVE = `
  delete from record_vectors v using unnest($2::text[], $3::text[], $4::integer[]) as n (column_name, record_id, requested)
   where v.table_id = $1 and v.column_name = n.column_name and v.record_id = n.record_id and v.requested = n.requested`;

/** Stores computed vectors, and returns their marks. */
export async function saveVectors(
  tx: Tx,
  tableId: string,
  all: readonly WorkedOutVector[],
): Promise<void> {
  const [made, none] = [
    all.filter(({ vectors }) => vectors !== undefined),
    all.filter(({ vectors }) => vectors === undefined),
  ];
  const keysOf = (some: readonly WorkedOutVector[]) => [
    some.map(({ column }) => column),
    some.map(({ recordId }) => recordId),
    some.map(({ requested }) => requested),
  ];
  if (made.length > 0) {
    await queryRows(tx, SAVE, [
      tableId,
      ...keysOf(made),
      made.map(({ digest }) => digest),
      made.map(({ vectors }) => vectors),
    ]);
  }
  if (none.length > 0) await queryRows(tx, REMOVE, [tableId, ...keysOf(none)]);
}

const FORGET = `
  delete from record_vectors
   where table_id = (select id from user_tables where slug = $1) and column_name = $2`;
const RENAME = `
  update record_vectors set column_name = $3
   where table_id = (select id from user_tables where slug = $1) and column_name = $2`;

/** Lets the vectors follow a column that is renamed. */
export async function renameVectors(
  tx: Tx,
  { table, from, to }: { readonly table: string; readonly from: string; readonly to: string },
): Promise<void> {
  // Remove the vectors of an earlier column with this name.
  await queryRows(tx, FORGET, [table, to]);
  await queryRows(tx, RENAME, [table, from, to]);
}
