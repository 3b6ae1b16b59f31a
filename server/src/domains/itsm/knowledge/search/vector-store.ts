import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { encodeVector, DIMENSIONS, MODEL, decodeVector } from "#kernel/embedding/vector.ts";

/** Something that is found by its meaning. */
export interface IndexedItem {
  readonly kind: IndexedKind;
  readonly id: string;
}
export type IndexedKind = "article" | "incident" | "problem";

const MOVE = `
  insert into text_embedding_changes (last) values (1)
  on conflict (workspace_id, environment) do update set last = text_embedding_changes.last + 1
  returning last`;

const INSERT = `
  insert into text_embeddings (kind, thing_id, chunk, model, vector, change)
  select $1, $2, place - 1, $3, vector, $4
    from unnest($5::bytea[]) with ordinality as v (vector, place)`;

/** Makes these the vectors of a thing, one for each of its pieces. None: it is no longer to be found. */
export async function saveVectors(
  tx: Tx,
  { kind, id }: IndexedItem,
  vectors: readonly Float32Array[],
): Promise<void> {
  const [moved] = await queryRows(tx, MOVE, []);
  await queryRows(tx, "delete from text_embeddings where kind = $1 and thing_id = $2", [kind, id]);
  // An empty one tells those who have the old ones in memory.
  const bytes = vectors.length === 0 ? [Buffer.alloc(0)] : vectors.map(encodeVector);
  await queryRows(tx, INSERT, [kind, id, MODEL, moved?.["last"], bytes]);
}

/** Whether anything is kept of a thing. */
export async function hasVectors(tx: Tx, { kind, id }: IndexedItem): Promise<boolean> {
  const text = `
    select from text_embeddings
     where kind = $1 and thing_id = $2 and length(vector) > 0 limit 1`;
  return (await queryRows(tx, text, [kind, id])).length > 0;
}

const BEFORE = `
  select change from text_embeddings
   where kind = $1 and model = $2 order by change desc offset $3 limit 1`;

/** The change behind which there are no more than so many pieces of a kind. */
export async function changeBefore(
  tx: Tx,
  { kind, chunks }: { readonly kind: IndexedKind; readonly chunks: number },
): Promise<number> {
  const [row] = await queryRows(tx, BEFORE, [kind, MODEL, chunks]);
  return Number(row?.["change"] ?? 0);
}

/** How often vectors of the partition were changed. */
export async function lastChange(tx: Tx): Promise<number> {
  const [row] = await queryRows(tx, "select last from text_embedding_changes", []);
  return Number(row?.["last"] ?? 0);
}

/** A thing with its vectors, one behind the other; with none it is no longer to be found. */
export interface KeptThing extends IndexedItem {
  readonly change: number;
  readonly vectors: Float32Array;
}

interface VectorRow extends IndexedItem {
  readonly change: number;
  readonly vector: Buffer;
}

const PAGE_ROWS = 2_000;
const CHANGED = `
  select kind, thing_id as id, change, vector from text_embeddings
   where kind = $1 and change > $2 and change <= $3 and model = $4
   order by change, chunk limit ${PAGE_ROWS}`;

/** What of a kind was changed behind one change and up to another, in that order, as far as a page goes. */
export async function changedThings(
  tx: Tx,
  asked: { readonly kind: IndexedKind; readonly after: number; readonly last: number },
): Promise<{ readonly things: readonly KeptThing[]; readonly isWhole: boolean }> {
  // The columns are those of a row, by the select list.
  const values = [asked.kind, asked.after, asked.last, MODEL];
  const rows = (await queryRows(tx, CHANGED, values)) as unknown as VectorRow[];
  const isWhole = rows.length < PAGE_ROWS;
  // A page may end in the midst of a thing, which then comes again with the next.
  const end = isWhole ? undefined : rows.at(-1)?.change;
  const groups = Map.groupBy(
    rows.filter(({ change }) => change !== end),
    ({ change }) => change,
  );
  return { things: [...groups.values()].flatMap(thingOf), isWhole };
}

function thingOf(rows: readonly VectorRow[]): KeptThing[] {
  const [first] = rows;
  if (!first) return [];
  const { kind, id, change } = first;
  const kept = rows.filter(({ vector }) => vector.length > 0);
  const vectors = new Float32Array(kept.length * DIMENSIONS);
  for (const [index, { vector }] of kept.entries())
    decodeVector(vectors, index * DIMENSIONS, vector);
  return [{ kind, id, change, vectors }];
}
