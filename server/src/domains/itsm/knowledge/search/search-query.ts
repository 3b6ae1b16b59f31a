import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { embedQuery } from "#kernel/embedding/query-vector.ts";
import { SIMILARITY_MIN } from "./rank-fusion.ts";
import { type VectorHit, getVectorIndex } from "./vector-index.ts";
import type { IndexedKind } from "./vector-store.ts";

const HITS_MAX = 60;

/** Finds the items of a kind with the vectors nearest to the query. */
export type VectorMatches = (kind: IndexedKind) => Promise<readonly VectorHit[]>;

/**
 * Embeds a query and searches the vector index. The model is not called for an empty index. If the model fails
 * (overloaded, too slow or crashed) the result is empty, and only full-text search applies.
 */
export async function findByVector(
  platform: Platform,
  partition: Partition,
  { text, kinds }: { readonly text: string; readonly kinds: readonly IndexedKind[] },
): Promise<VectorMatches> {
  const indexes = await Promise.all(
    kinds.map(async (kind) => [kind, await getVectorIndex(platform, partition, kind)] as const),
  );
  const nonEmpty = new Map(indexes.filter(([, { chunks }]) => chunks > 0));
  if (nonEmpty.size === 0) return async () => [];
  const vector = await embedQuery(platform, partition, text);
  if (!vector) return async () => [];
  const options = { count: HITS_MAX, similarityMin: SIMILARITY_MIN };
  return async (kind) => nonEmpty.get(kind)?.nearest(vector, options) ?? [];
}
