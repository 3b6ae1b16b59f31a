import { expect, test } from "vitest";
import type { Partition } from "#kernel/db/database.ts";
import { DIMENSIONS } from "#kernel/embedding/vector.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { withSearchTimeout } from "./search-query.ts";
import { VectorIndex, vectorIndexOf } from "./vector-index.ts";
import { saveVectors, type IndexedKind } from "./vector-store.ts";

const world = await useWorld();
const { db } = world.kernel;
const here: Partition = { workspace: world.home, environment: "production" };

/** A vector that points along one axis. */
function along(axis: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[axis] = 1;
  return vector;
}

function keep(kind: IndexedKind, id: string, vectors: readonly Float32Array[]): Promise<void> {
  return db.write(here, ({ tx }) => saveVectors(tx, { kind, id }, vectors));
}

async function seenOn(shelf: VectorIndex): Promise<readonly string[]> {
  await shelf.refresh(db, here);
  const all = await shelf.nearest(along(0), { count: 100, least: -1 });
  return all.map(({ id }) => id).toSorted();
}

test("whoever comes while a shelf is filled waits for the same one", async () => {
  await keep("article", "kb_a", [along(0), along(1)]);
  const [first, ...others] = await Promise.all(
    [1, 2, 3].map(() => vectorIndexOf({ db }, here, "article")),
  );
  expect(first?.chunks).toBe(2);
  for (const other of others) expect(other).toBe(first);
});

test("a shelf that is full keeps what was changed last, whether it was there or comes anew", async () => {
  for (const id of ["inc_a", "inc_b", "inc_c"]) await keep("incident", id, [along(2)]);
  const there = new VectorIndex("incident", 2);
  expect(await seenOn(there)).toEqual(["inc_b", "inc_c"]);
  await keep("incident", "inc_a", [along(3)]);
  for (const shelf of [there, new VectorIndex("incident", 2)]) {
    expect(await seenOn(shelf)).toEqual(["inc_a", "inc_c"]);
    expect(shelf.chunks).toBe(2);
  }
  await keep("incident", "inc_a", []);
  expect(await seenOn(there)).toEqual(["inc_c"]);
});

test("no number of incidents takes an article's place", async () => {
  expect(await seenOn(new VectorIndex("article", 2))).toEqual(["kb_a"]);
});

test("who asks waits for the model only so long", async () => {
  expect(await withSearchTimeout(new Promise<string>(() => undefined), 1)).toBeUndefined();
  expect(await withSearchTimeout(Promise.resolve("in time"), 60_000)).toBe("in time");
});
