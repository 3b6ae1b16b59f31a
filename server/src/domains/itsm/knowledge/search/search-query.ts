import { setTimeout as delay } from "node:timers/promises";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { EmbeddingFailure } from "#kernel/embedding/embedding-failure.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import { SIMILARITY_MIN } from "./rank-fusion.ts";
import { type VectorHit, vectorIndexOf } from "./vector-index.ts";
import type { IndexedKind } from "./vector-store.ts";

const NEAR_MAX = 60;
const CACHED_MAX = 2_000;
/** Nobody waits longer for a search; the vector is then ready for who asks again. */
const PATIENCE_MS = 10_000;

/** The vectors of questions that were asked lately: people page, and ask again. */
const asked = new WeakMap<Platform["embeddings"], BoundedCache<Float32Array>>();

/** Where a caller asks. */
export function partitionOf({ workspace, environment }: Caller): Partition {
  if (!workspace) throw new Error("Knowledge belongs to a workspace.");
  return { workspace: workspace.key, environment };
}

/** Who knows what is near to a text. */
export type VectorMatches = (kind: IndexedKind) => Promise<readonly VectorHit[]>;

/**
 * Embeds a question; the model is not asked where there is nothing to find. Without a model's answer
 * (too many questions at once, too slow, or its process died) nothing is near, and words alone must do.
 */
export async function findByVector(
  platform: Platform,
  partition: Partition,
  { text, kinds }: { readonly text: string; readonly kinds: readonly IndexedKind[] },
): Promise<VectorMatches> {
  const filled = await Promise.all(
    kinds.map(async (kind) => [kind, await vectorIndexOf(platform, partition, kind)] as const),
  );
  const shelves = new Map(filled.filter(([, { chunks }]) => chunks > 0));
  if (shelves.size === 0) return async () => [];
  const vector = await vectorOf(platform, partition, text);
  if (!vector) return async () => [];
  const wanted = { count: NEAR_MAX, least: SIMILARITY_MIN };
  return async (kind) => shelves.get(kind)?.nearest(vector, wanted) ?? [];
}

async function vectorOf(
  { embeddings, log }: Platform,
  { workspace }: Partition,
  text: string,
): Promise<Float32Array | undefined> {
  let cache = asked.get(embeddings);
  if (!cache) asked.set(embeddings, (cache = new BoundedCache(CACHED_MAX)));
  const key = `${workspace} ${text}`;
  const known = cache.get(key);
  if (known) return known;
  try {
    const wanted = embeddings.embed(`question ${workspace}`, text);
    void wanted.then(
      (vector) => cache.set(key, vector, 1),
      () => undefined,
    );
    return await withSearchTimeout(wanted, PATIENCE_MS);
  } catch (error) {
    if (!(error instanceof EmbeddingFailure)) throw error;
    log.warn({ err: error }, "a question was answered by its words alone");
    return undefined;
  }
}

/** What comes within some time, or nothing. */
export async function withSearchTimeout<T>(
  awaited: Promise<T>,
  patienceMs: number,
): Promise<T | undefined> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([awaited, delay(patienceMs, undefined, { signal })]);
  } finally {
    over.abort();
  }
}
