/**
 * The vectors of a partition in memory, where the nearest are found by looking at all of them: for
 * 100,000 that takes some 50 ms, and no index of the database has to know of vectors.
 *
 * Each look asks the database how often they were changed, and reads what was changed since: so a
 * process never answers by vectors that another process has replaced.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Outside } from "#kernel/caller.ts";
import type { Database, Partition } from "#kernel/db/database.ts";
import { DIMENSIONS, likeness } from "#kernel/embedding/vector.ts";
import { BoundedCache } from "#kernel/expression/cache.ts";
import { changedThings, type KeptThing, lastChange, type ThingKind } from "./vector-store.ts";

/** In one partition; beyond it what was changed longest ago is overlooked. */
const CHUNKS_MAX = 100_000;
/** In all partitions together: some 200 MB. */
const CACHED_CHUNKS_MAX = 130_000;
/** So many are looked at before somebody else has a turn. */
const TURN_CHUNKS = 8_000;

/** Something near, with its nearest piece. */
export interface Near {
  readonly id: string;
  readonly likeness: number;
  readonly chunk: number;
}

/** All vectors of one partition. */
export class Shelf {
  readonly #things = new Map<string, KeptThing>();
  #chunks = 0;
  #change = 0;
  #loading: Promise<void> = Promise.resolve();

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

  has(kind: ThingKind): boolean {
    return this.#things.values().some((thing) => thing.kind === kind);
  }

  /** The vectors of one thing, if it is here. */
  vectorOf(kind: ThingKind, id: string): Float32Array | undefined {
    return this.#things.get(`${kind} ${id}`)?.vectors.subarray(0, DIMENSIONS);
  }

  /** The things of a kind that are at least so much alike, the nearest first. */
  async nearest(
    kind: ThingKind,
    question: Float32Array,
    { count, least }: { readonly count: number; readonly least: number },
  ): Promise<readonly Near[]> {
    const near: Near[] = [];
    // As they are now: while others have their turn, some may be replaced.
    const things = [...this.#things.values()];
    let looked = 0;
    for (const thing of things) {
      if (thing.kind !== kind) continue;
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
    for (let isWhole = false; !isWhole && this.#change < last;) {
      const asked = { after: this.#change, last };
      const page = await db.read(partition, (tx) => changedThings(tx, asked));
      for (const thing of page.things) this.#put(thing);
      ({ isWhole } = page);
    }
    this.#change = Math.max(this.#change, last);
  }

  #put(thing: KeptThing): void {
    this.#drop(`${thing.kind} ${thing.id}`);
    this.#change = thing.change;
    if (thing.vectors.length === 0) return;
    this.#things.set(`${thing.kind} ${thing.id}`, thing);
    this.#chunks += thing.vectors.length / DIMENSIONS;
    // The first of a map is what was put there longest ago.
    for (const key of this.#things.keys()) {
      if (this.#chunks <= CHUNKS_MAX) break;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#chunks -= (this.#things.get(key)?.vectors.length ?? 0) / DIMENSIONS;
    this.#things.delete(key);
  }
}

function bestOf({ id, vectors }: KeptThing, question: Float32Array): Near {
  let best = { id, likeness: -1, chunk: 0 };
  for (let chunk = 0; chunk * DIMENSIONS < vectors.length; chunk += 1) {
    const value = likeness(question, vectors, chunk * DIMENSIONS);
    if (value > best.likeness) best = { id, likeness: value, chunk };
  }
  return best;
}

const shelves = new WeakMap<Database, BoundedCache<Shelf>>();

/** The vectors of a partition, as they are now. */
export async function shelfOf({ db }: Outside, partition: Partition): Promise<Shelf> {
  let cache = shelves.get(db);
  if (!cache) shelves.set(db, (cache = new BoundedCache(CACHED_CHUNKS_MAX)));
  const key = `${partition.workspace} ${partition.environment}`;
  const shelf = cache.get(key) ?? new Shelf();
  await shelf.refresh(db, partition);
  // An empty one weighs something too.
  cache.set(key, shelf, shelf.chunks + 1);
  return shelf;
}
