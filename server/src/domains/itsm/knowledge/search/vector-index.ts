/**
 * The vector index: the vectors of one kind in one partition, in memory. A search compares all of them, which takes
 * about 50 ms for 100,000, and needs no database extension.
 *
 * Each search reads the number of the last change, and loads later changes. So a process never uses vectors that
 * another process has replaced.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Platform } from "#kernel/contract.ts";
import type { Database, Partition } from "#kernel/db/database.ts";
import { DIMENSIONS, cosineSimilarity } from "#kernel/embedding/vector.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import {
  findChangeBefore,
  listChangedItems,
  type VectorItem,
  readLastChange,
  type IndexedKind,
} from "./vector-store.ts";

/**
 * Limit per partition; the oldest changes are dropped. Kinds have separate limits, so that tickets never displace
 * articles.
 */
const CHUNKS_MAX: Readonly<Record<IndexedKind, number>> = {
  article: 100_000,
  incident: 20_000,
  problem: 10_000,
};
/** Limit for all partitions, about 200 MB. */
const CACHED_CHUNKS_MAX = 130_000;
/** Vectors compared before other requests run. */
const CHUNKS_PER_TICK = 8_000;

/** An item similar to the query, with its nearest chunk. */
export interface VectorHit {
  readonly id: string;
  readonly similarity: number;
  readonly chunk: number;
}

export class VectorIndex {
  readonly #kind: IndexedKind;
  readonly #chunksMax: number;
  readonly #items = new Map<string, VectorItem>();
  #chunks = 0;
  #change = 0;
  #loading: Promise<void> = Promise.resolve();

  constructor(kind: IndexedKind, chunksMax = CHUNKS_MAX[kind]) {
    this.#kind = kind;
    this.#chunksMax = chunksMax;
  }

  get chunks(): number {
    return this.#chunks;
  }

  /** Loads vectors changed since the last refresh. */
  async refresh(db: Database, partition: Partition): Promise<void> {
    const last = await db.read(partition, readLastChange);
    if (last <= this.#change) return;
    // Serialised: a refresh must not start from a change that another refresh is still loading.
    this.#loading = this.#loading.then(
      () => this.#load(db, partition, last),
      () => this.#load(db, partition, last),
    );
    await this.#loading;
  }

  /** Finds items with a minimum similarity, nearest first. */
  async nearest(
    query: Float32Array,
    { count, similarityMin }: { readonly count: number; readonly similarityMin: number },
  ): Promise<readonly VectorHit[]> {
    const hits: VectorHit[] = [];
    // A copy, because other requests can replace items in the meantime.
    const items = [...this.#items.values()];
    let compared = 0;
    for (const item of items) {
      compared += item.vectors.length / DIMENSIONS;
      if (compared > CHUNKS_PER_TICK) {
        compared = 0;
        await nextTurn();
      }
      const best = findBestChunk(item, query);
      if (best.similarity >= similarityMin) hits.push(best);
    }
    return hits.toSorted((a, b) => b.similarity - a.similarity).slice(0, count);
  }

  async #load(db: Database, partition: Partition, last: number): Promise<void> {
    // Vectors that would be dropped again are not loaded.
    if (this.#change === 0) this.#change = await this.#findFirstChange(db, partition);
    for (let isWhole = false; !isWhole && this.#change < last;) {
      const query = { kind: this.#kind, after: this.#change, last };
      const page = await db.read(partition, (tx) => listChangedItems(tx, query));
      for (const item of page.items) this.#put(item);
      ({ isWhole } = page);
    }
    this.#change = Math.max(this.#change, last);
  }

  #findFirstChange(db: Database, partition: Partition): Promise<number> {
    const limit = { kind: this.#kind, chunks: this.#chunksMax };
    return db.read(partition, (tx) => findChangeBefore(tx, limit));
  }

  #put(item: VectorItem): void {
    this.#drop(item.id);
    this.#change = item.change;
    if (item.vectors.length === 0) return;
    this.#items.set(item.id, item);
    this.#chunks += item.vectors.length / DIMENSIONS;
    // A map iterates in insertion order, so the first is the oldest.
    for (const id of this.#items.keys()) {
      if (this.#chunks <= this.#chunksMax) break;
      this.#drop(id);
    }
  }

  #drop(id: string): void {
    this.#chunks -= (this.#items.get(id)?.vectors.length ?? 0) / DIMENSIONS;
    this.#items.delete(id);
  }
}

function findBestChunk({ id, vectors }: VectorItem, query: Float32Array): VectorHit {
  let best = { id, similarity: -1, chunk: 0 };
  for (let chunk = 0; chunk * DIMENSIONS < vectors.length; chunk += 1) {
    const value = cosineSimilarity(query, vectors, chunk * DIMENSIONS);
    if (value > best.similarity) best = { id, similarity: value, chunk };
  }
  return best;
}

const indexes = new WeakMap<Database, BoundedCache<VectorIndex>>();

/** The up-to-date vector index of a kind in a partition, from the cache. */
export async function getVectorIndex(
  { db }: Pick<Platform, "db">,
  partition: Partition,
  kind: IndexedKind,
): Promise<VectorIndex> {
  let cache = indexes.get(db);
  if (!cache) indexes.set(db, (cache = new BoundedCache(CACHED_CHUNKS_MAX)));
  const key = `${partition.workspace} ${partition.environment} ${kind}`;
  let index = cache.get(key);
  // Cached before it is loaded, so that concurrent searches share it.
  if (!index) cache.set(key, (index = new VectorIndex(kind)), 1);
  await index.refresh(db, partition);
  // An empty index also has a weight.
  cache.set(key, index, index.chunks + 1);
  return index;
}
