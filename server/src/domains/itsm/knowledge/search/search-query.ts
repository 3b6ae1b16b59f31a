import { setTimeout as delay } from "node:timers/promises";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { EmbeddingFailure } from "#kernel/embedding/embedder.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import { SIMILARITY_MIN } from "./rank-fusion.ts";
import { type VectorHit, getVectorIndex } from "./vector-index.ts";
import type { IndexedKind } from "./vector-store.ts";

const HITS_MAX = 60;
const CACHED_QUERIES_MAX = 2_000;
/** A search waits no longer for the model; the vector is then cached for the next one. */
const EMBEDDING_TIMEOUT_MS = 10_000;

/** The vectors of recent queries, by model. */
const queryVectors = new WeakMap<Platform["embeddings"], BoundedCache<Float32Array>>();

/** Finds the items of a kind whose vectors are nearest to the query's. */
export type VectorMatches = (kind: IndexedKind) => Promise<readonly VectorHit[]>;

/**
 * Embeds a query and searches the vector index. The model is not called where the index is empty. When it
 * fails (overloaded, too slow, or its process died), nothing is near, and full-text search must do.
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

async function embedQuery(
  { embeddings, log }: Platform,
  { workspace }: Partition,
  text: string,
): Promise<Float32Array | undefined> {
  let cache = queryVectors.get(embeddings);
  if (!cache) queryVectors.set(embeddings, (cache = new BoundedCache(CACHED_QUERIES_MAX)));
  const key = `${workspace} ${text}`;
  const cached = cache.get(key);
  if (cached) return cached;
  try {
    const embedding = embeddings.embed(`question ${workspace}`, text);
    void embedding.then(
      (vector) => cache.set(key, vector, 1),
      () => undefined,
    );
    return await withSearchTimeout(embedding, EMBEDDING_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof EmbeddingFailure)) throw error;
    log.warn({ err: error }, "a question was answered by its words alone");
    return undefined;
  }
}

/** Resolves to the promise's value, or to undefined after some time. */
export async function withSearchTimeout<T>(
  promise: Promise<T>,
  timeoutMs: number,
): Promise<T | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  try {
    return await Promise.race([promise, delay(timeoutMs, undefined, { signal })]);
  } finally {
    controller.abort();
  }
}
