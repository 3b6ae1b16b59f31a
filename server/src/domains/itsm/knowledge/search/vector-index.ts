/**
 * The vectors of one kind of things of a partition in memory, where the nearest are found by looking at
 * all of them: for 100,000 that takes some 50 ms, and no index of the database has to know of vectors.
 *
 * Each look asks the database how often they were changed, and reads what was changed since: so a
 * process never answers by vectors that another process has replaced.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Platform } from "#kernel/contract.ts";
import type { Database, Partition } from "#kernel/db/database.ts";
import { DIMENSIONS, cosineSimilarity } from "#kernel/embedding/vector.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import {
  changeBefore,
  changedThings,
  type KeptThing,
  lastChange,
  type IndexedKind,
} from "./vector-store.ts";

/** In one partition; beyond it what was changed longest ago is overlooked. No number of tickets hides an article. */
const CHUNKS_MAX: Readonly<Record<IndexedKind, number>> = {
  article: 100_000,
  incident: 20_000,
  problem: 10_000,
};
/** In all partitions together: some 200 MB. */
const CACHED_CHUNKS_MAX = 130_000;
/** So many are looked at before somebody else has a turn. */
const TURN_CHUNKS = 8_000;

/** Something near, with its nearest piece. */
export interface VectorHit {
  readonly id: string;
  readonly likeness: number;
  readonly chunk: number;
}

/** All vectors of one kind in one partition. */
export class VectorIndex {
  readonly #kind: IndexedKind;
  readonly #chunksMax: number;
  readonly #things = new Map<string, KeptThing>();
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

  /** Reads what was changed since the last time. */
  async refresh(db: Database, partition: Partition): Promise<void> {
    const last = await db.read(partition, lastChange);
    if (last <= this.#change) return;
    // One after the other: none may go on from a place that another is still on its way to.
    this.#loading = this.#loading.then(
      () => this.#load(db, partition, last),
      () => this.#load(db, partition, last),
    );
    await this.#loading;
  }

  /** The things that are at least so much alike, the nearest first. */
  async nearest(
    question: Float32Array,
    { count, least }: { readonly count: number; readonly least: number },
  ): Promise<readonly VectorHit[]> {
    const near: VectorHit[] = [];
    // As they are now: while others have their turn, some may be replaced.
    const things = [...this.#things.values()];
    let looked = 0;
    for (const thing of things) {
      looked += thing.vectors.length / DIMENSIONS;
      if (looked > TURN_CHUNKS) {
        looked = 0;
        await nextTurn();
      }
      const best = bestOf(thing, question);
      if (best.likeness >= least) near.push(best);
    }
    return near.toSorted((a, b) => b.likeness - a.likeness).slice(0, count);
  }

  async #load(db: Database, partition: Partition, last: number): Promise<void> {
    // Of very many, those that would only have to make room again are not read at all.
    if (this.#change === 0) this.#change = await this.#firstOf(db, partition);
    for (let isWhole = false; !isWhole && this.#change < last;) {
      const asked = { kind: this.#kind, after: this.#change, last };
      const page = await db.read(partition, (tx) => changedThings(tx, asked));
      for (const thing of page.things) this.#put(thing);
      ({ isWhole } = page);
    }
    this.#change = Math.max(this.#change, last);
  }

  #firstOf(db: Database, partition: Partition): Promise<number> {
    const behind = { kind: this.#kind, chunks: this.#chunksMax };
    return db.read(partition, (tx) => changeBefore(tx, behind));
  }

  #put(thing: KeptThing): void {
    this.#drop(thing.id);
    this.#change = thing.change;
    if (thing.vectors.length === 0) return;
    this.#things.set(thing.id, thing);
    this.#chunks += thing.vectors.length / DIMENSIONS;
    // The first of a map is what was put there longest ago.
    for (const id of this.#things.keys()) {
      if (this.#chunks <= this.#chunksMax) break;
      this.#drop(id);
    }
  }

  #drop(id: string): void {
    this.#chunks -= (this.#things.get(id)?.vectors.length ?? 0) / DIMENSIONS;
    this.#things.delete(id);
  }
}

function bestOf({ id, vectors }: KeptThing, question: Float32Array): VectorHit {
  let best = { id, likeness: -1, chunk: 0 };
  for (let chunk = 0; chunk * DIMENSIONS < vectors.length; chunk += 1) {
    const value = cosineSimilarity(question, vectors, chunk * DIMENSIONS);
    if (value > best.likeness) best = { id, likeness: value, chunk };
  }
  return best;
}

const shelves = new WeakMap<Database, BoundedCache<VectorIndex>>();

/** The vectors of one kind in a partition, as they are now. */
export async function vectorIndexOf(
  { db }: Pick<Platform, "db">,
  partition: Partition,
  kind: IndexedKind,
): Promise<VectorIndex> {
  let cache = shelves.get(db);
  if (!cache) shelves.set(db, (cache = new BoundedCache(CACHED_CHUNKS_MAX)));
  const key = `${partition.workspace} ${partition.environment} ${kind}`;
  let shelf = cache.get(key);
  // Whoever comes while it is filled waits for the same one.
  if (!shelf) cache.set(key, (shelf = new VectorIndex(kind)), 1);
  await shelf.refresh(db, partition);
  // An empty one weighs something too.
  cache.set(key, shelf, shelf.chunks + 1);
  return shelf;
}
