import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { encodeVector, DIMENSIONS, MODEL, decodeVector } from "#kernel/embedding/vector.ts";

export interface IndexedItem {
  readonly kind: IndexedKind;
  readonly id: string;
}
export type IndexedKind = "article" | "incident" | "problem";

const NEXT_CHANGE = `
  insert into text_embedding_changes (last) values (1)
  on conflict (workspace_id, environment) do update set last = text_embedding_changes.last + 1
  returning last`;

const INSERT = `
  insert into text_embeddings (kind, thing_id, chunk, model, vector, change)
  select $1, $2, place - 1, $3, vector, $4
    from unnest($5::bytea[]) with ordinality as v (vector, place)`;

/** Replaces the vectors of an item, one per chunk. Without vectors the item is not findable. */
export async function saveVectors(
  tx: Tx,
  { kind, id }: IndexedItem,
  vectors: readonly Float32Array[],
): Promise<void> {
  const [next] = await queryRows(tx, NEXT_CHANGE, []);
  await queryRows(tx, "delete from text_embeddings where kind = $1 and thing_id = $2", [kind, id]);
  // An empty vector makes other processes drop the item.
  const bytes = vectors.length === 0 ? [Buffer.alloc(0)] : vectors.map(encodeVector);
  await queryRows(tx, INSERT, [kind, id, MODEL, next?.["last"], bytes]);
}

export async function hasVectors(tx: Tx, { kind, id }: IndexedItem): Promise<boolean> {
  const text = `
    select from text_embeddings
     where kind = $1 and thing_id = $2 and length(vector) > 0 limit 1`;
  return (await queryRows(tx, text, [kind, id])).length > 0;
}

const BEFORE = `
  select change from text_embeddings
   where kind = $1 and model = $2 order by change desc offset $3 limit 1`;

/** Finds the change after which only this many chunks follow. */
export async function findChangeBefore(
  tx: Tx,
  { kind, chunks }: { readonly kind: IndexedKind; readonly chunks: number },
): Promise<number> {
  const [row] = await queryRows(tx, BEFORE, [kind, MODEL, chunks]);
  return Number(row?.["change"] ?? 0);
}

/** Reads the number of the last vector change in the partition. */
export async function readLastChange(tx: Tx): Promise<number> {
  const [row] = await queryRows(tx, "select last from text_embedding_changes", []);
  return Number(row?.["last"] ?? 0);
}

/** An item with its concatenated vectors. Without vectors it is not findable. */
export interface VectorItem extends IndexedItem {
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

/** Lists a page of the items changed in a range of changes, in order. */
export async function listChangedItems(
  tx: Tx,
  query: { readonly kind: IndexedKind; readonly after: number; readonly last: number },
): Promise<{ readonly items: readonly VectorItem[]; readonly isWhole: boolean }> {
  // The select list has the field names of the type.
  const values = [query.kind, query.after, query.last, MODEL];
  const rows = await queryRows<VectorRow>(tx, CHANGED, values);
  const isWhole = rows.length < PAGE_ROWS;
  // A page can end within an item, which is then repeated on the next page.
  const end = isWhole ? undefined : rows.at(-1)?.change;
  const groups = Map.groupBy(
    rows.filter(({ change }) => change !== end),
    ({ change }) => change,
  );
  return { items: [...groups.values()].flatMap(toVectorItem), isWhole };
}

function toVectorItem(rows: readonly VectorRow[]): VectorItem[] {
  const [first] = rows;
  if (!first) return [];
  const { kind, id, change } = first;
  const stored = rows.filter(({ vector }) => vector.length > 0);
  const vectors = new Float32Array(stored.length * DIMENSIONS);
  for (const [index, { vector }] of stored.entries())
    decodeVector(vectors, index * DIMENSIONS, vector);
  return [{ kind, id, change, vectors }];
}
