import { setTimeout as delay } from "node:timers/promises";
import type { Platform } from "../contract.ts";
import type { Partition } from "../db/partition.ts";
import { BoundedCache } from "../work/bounded-cache.ts";
import { EmbeddingFailure } from "./embedder.ts";

const CACHED_QUERIES_MAX = 2_000;
/** The maximum time a search waits for the model. The vector is cached for the next search. */
const EMBEDDING_TIMEOUT_MS = 10_000;

/** The vectors of recent queries by model. */
const queryVectors = new WeakMap<Platform["embeddings"], BoundedCache<Float32Array>>();

/** Embeds a search query. Undefined if the model fails: overloaded, too slow, or its process died. */
export async function embedQuery(
  { embeddings, log }: Pick<Platform, "embeddings" | "log">,
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
    log.warn({ err: error }, "can't embed a search query");
    return undefined;
  }
}

/** Resolves to the promise's value, or to undefined after the timeout. */
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
