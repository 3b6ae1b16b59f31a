import { expect, test } from "vitest";
import type { Partition } from "#kernel/db/database.ts";
import { DIMENSIONS } from "#kernel/embedding/vector.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { withSearchTimeout } from "#kernel/embedding/query-vector.ts";
import { VectorIndex, getVectorIndex } from "./vector-index.ts";
import { saveVectors, type IndexedKind } from "./vector-store.ts";

const world = await useWorld();
const { db } = world.kernel;
const here: Partition = { workspace: world.home, environment: "production" };

/** A vector along one axis. */
function along(axis: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[axis] = 1;
  return vector;
}

function store(kind: IndexedKind, id: string, vectors: readonly Float32Array[]): Promise<void> {
  return db.write(here, ({ tx }) => saveVectors(tx, { kind, id }, vectors));
}

async function idsIn(index: VectorIndex): Promise<readonly string[]> {
  await index.refresh(db, here);
  const all = await index.nearest(along(0), { count: 100, similarityMin: -1 });
  return all.map(({ id }) => id).toSorted();
}

test("concurrent searches share one index while it is loaded", async () => {
  await store("article", "kb_a", [along(0), along(1)]);
  const [first, ...others] = await Promise.all(
    [1, 2, 3].map(() => getVectorIndex({ db }, here, "article")),
  );
  expect(first?.chunks).toBe(2);
  for (const other of others) expect(other).toBe(first);
});

test("a full index keeps the latest changes, after a refresh or a new load", async () => {
  for (const id of ["inc_a", "inc_b", "inc_c"]) await store("incident", id, [along(2)]);
  const there = new VectorIndex("incident", 2);
  expect(await idsIn(there)).toEqual(["inc_b", "inc_c"]);
  await store("incident", "inc_a", [along(3)]);
  for (const index of [there, new VectorIndex("incident", 2)]) {
    expect(await idsIn(index)).toEqual(["inc_a", "inc_c"]);
    expect(index.chunks).toBe(2);
  }
  await store("incident", "inc_a", []);
  expect(await idsIn(there)).toEqual(["inc_c"]);
});

test("any number of incidents leaves the articles in the index", async () => {
  expect(await idsIn(new VectorIndex("article", 2))).toEqual(["kb_a"]);
});

test("a search waits for the model only up to its limit", async () => {
  expect(await withSearchTimeout(new Promise<string>(() => undefined), 1)).toBeUndefined();
  expect(await withSearchTimeout(Promise.resolve("in time"), 60_000)).toBe("in time");
});
