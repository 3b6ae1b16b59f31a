import type { Caller, Outside } from "#kernel/caller.ts";
import type { Partition } from "#kernel/db/database.ts";
import { EmbeddingFailure } from "#kernel/embedding/failure.ts";
import { BoundedCache } from "#kernel/expression/cache.ts";
import { LEAST_LIKENESS } from "./fusion.ts";
import { type Near, type Shelf, shelfOf } from "./shelf.ts";
import type { ThingKind } from "./vector-store.ts";

const NEAR_MAX = 60;
const CACHED_MAX = 2_000;

/** The vectors of questions that were asked lately: people page, and ask again. */
const asked = new WeakMap<Outside["embeddings"], BoundedCache<Float32Array>>();

/** Where a caller asks. */
export function partitionOf({ workspace, environment }: Caller): Partition {
  if (!workspace) throw new Error("Knowledge belongs to a workspace.");
  return { workspace: workspace.key, environment };
}

/** Who knows what is near to a text. */
export type Nearness = (kind: ThingKind) => Promise<readonly Near[]>;

/**
 * Embeds a question; the model is not asked where there is nothing to find. Without a model's answer
 * (too many questions at once, or its process died) nothing is near, and words alone must do.
 */
export async function nearnessTo(
  outside: Outside,
  partition: Partition,
  { text, kinds }: { readonly text: string; readonly kinds: readonly ThingKind[] },
): Promise<Nearness> {
  const shelf = await shelfOf(outside, partition);
  if (!kinds.some((kind) => shelf.has(kind))) return async () => [];
  const vector = await vectorOf(outside, partition, text);
  if (!vector) return async () => [];
  return nearnessIn(shelf, vector);
}

function nearnessIn(shelf: Shelf, vector: Float32Array): Nearness {
  return (kind) => shelf.nearest(kind, vector, { count: NEAR_MAX, least: LEAST_LIKENESS });
}

async function vectorOf(
  { embeddings, log }: Outside,
  { workspace }: Partition,
  text: string,
): Promise<Float32Array | undefined> {
  let cache = asked.get(embeddings);
  if (!cache) asked.set(embeddings, (cache = new BoundedCache(CACHED_MAX)));
  const key = `${workspace} ${text}`;
  const known = cache.get(key);
  if (known) return known;
  try {
    const vector = await embeddings.embed(`question ${workspace}`, text);
    cache.set(key, vector, 1);
    return vector;
  } catch (error) {
    if (!(error instanceof EmbeddingFailure)) throw error;
    log.warn({ err: error }, "a question was answered by its words alone");
    return undefined;
  }
}
