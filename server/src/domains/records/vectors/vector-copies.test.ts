import { expect, test } from "vitest";
import { queryRows } from "#kernel/db/statement.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { toUnitVector } from "./unit-vector.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const [{ state }] = await world.sql("select ensure_vector_copies() as state");
const onPgvector = test.runIf(state === "ready");
const MINUTE_MS = 60_000;

const DIMENSIONS = 4;
const COUNT = 1_400;
const AREAS = 20;

/** Generates reproducible pseudo-random numbers. */
function generator(seed: number): () => number {
  let last = seed;
  return () => {
    last = (last * 48_271) % 2_147_483_647;
    return last / 2_147_483_647;
  };
}

const next = generator(7);
const randomVector = () => Array.from({ length: DIMENSIONS }, () => next() * 2 - 1);
/** Vectors in groups of ten: one equals others, one has another length, and one differs slightly. */
const points = Array.from({ length: COUNT }, (_, index) => {
  const shapes = new Map([
    [1, [1, 2, 3, 4]],
    [2, [2, 4, 6, 8]],
    [3, [1, 2, 3, 4 + index * 1e-7]],
  ]);
  return { at: shapes.get(index % 10) ?? randomVector(), area: index % AREAS };
});

async function createPoints(slug: string, records: typeof points): Promise<string[]> {
  const columns = [
    { name: "at", type: "vector", options: { dimensions: DIMENSIONS } },
    { name: "area", type: "integer" },
  ];
  const made = await owner("POST /api/v1/tables", { name: slug, slug, columns });
  expect(made.body.errors ?? made.status).toBe(201);
  const ids: string[] = [];
  for (let from = 0; from < records.length; from += 700) {
    const part = { records: records.slice(from, from + 700) };
    const { body } = await owner(`POST /api/v1/tables/${slug}/records/bulk`, part);
    expect(body.errors).toBeUndefined();
    ids.push(...body.data.map(({ id }: any) => id));
  }
  await until(async () => (await countVectors(slug)) === records.length);
  return ids;
}

/** Counts the records of a table with computed vectors. */
async function countVectors(slug: string): Promise<number> {
  const [{ count }] = await world.sql(
    `select count(*)::int from record_vectors v join user_tables t on t.id = v.table_id
      where slug = $1 and requested = done`,
    [slug],
  );
  return count;
}

const countCopies = async (): Promise<number> =>
  (await world.sql("select count(*)::int from millrace_vectors.chunks"))[0].count;
const countUncopied = async (): Promise<number> =>
  (await world.sql("select count(*)::int from millrace_vectors.uncopied"))[0].count;

interface Found {
  readonly id: string;
  readonly score: number;
}

async function search(slug: string, body: object): Promise<Found[]> {
  const asked = { fields: ["area"], ...body };
  const answer = await owner(`POST /api/v1/tables/${slug}/records/similar`, asked);
  expect(answer.body.errors ?? answer.status).toBe(200);
  return answer.body.data.map(({ record, score }: any) => ({ id: record.id, score }));
}

const ids = await createPoints("points", points);
const stored = points.map(({ at, area }, index) => ({
  id: ids[index] ?? "",
  area,
  unit: toUnitVector(at) ?? [],
}));

/** The expected search results, by the definition of the distance. */
function expected(
  vector: readonly number[],
  { areas, limit = 10, scoreMin = -1 }: { areas?: number; limit?: number; scoreMin?: number },
): Found[] {
  const asked = [...(toUnitVector(vector) ?? [])];
  return stored
    .filter(({ area }) => areas === undefined || area < areas)
    .map(({ id, unit }) => ({
      id,
      score: asked.reduce((sum, one, at) => sum + one * (unit[at] ?? 0), 0),
    }))
    .filter(({ score }) => score >= scoreMin)
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

const QUESTIONS = [[1, 2, 3, 4], [1, 2, 3, 4.0001], ...Array.from({ length: 10 }, randomVector)];

async function expectAllFound(): Promise<void> {
  for (const [index, vector] of QUESTIONS.entries()) {
    const limit = [1, 10, 100][index % 3] ?? 1;
    // About 70 records, few enough to compare all at once, and about 1,120.
    for (const areas of [undefined, 1, 16]) {
      const filter = areas === undefined ? {} : { filter: { area: { lt: areas } } };
      for (const scoreMin of [-1, 0.9]) {
        const found = await search("points", { vector, limit, scoreMin, ...filter });
        expect(found).toEqual(
          expected(vector, { limit, scoreMin, ...(areas !== undefined && { areas }) }),
        );
      }
    }
  }
}

test("returns the exact nearest records, including ties, with and without pgvector", async () => {
  await expectAllFound();
});

onPgvector("records are found by the copies, which are of this workspace alone", async () => {
  expect([await countCopies(), await countUncopied()]).toEqual([COUNT, 0]);
  const visible = (environment: "production" | "staging") =>
    world.kernel.db.read({ workspace: world.home, environment }, (tx) =>
      queryRows(tx, "select count(*)::int as count from millrace_vectors.chunks", []),
    );
  expect(await visible("production")).toEqual([{ count: COUNT }]);
  expect(await visible("staging")).toEqual([{ count: 0 }]);
  const vector = randomVector();
  const [first, second] = expected(vector, { limit: 2 });
  await world.sql("delete from millrace_vectors.chunks where record_id = $1", [first?.id]);
  expect((await search("points", { vector, limit: 1 }))[0]).toEqual(second);
  // Each write marks its vector; until it is copied, it is compared separately.
  const { release } = await world.openTransaction(
    "lock table millrace_vectors.chunks in share mode",
  );
  await world.sql("update record_vectors set vectors = vectors where record_id = $1", [first?.id]);
  expect((await search("points", { vector, limit: 1 }))[0]).toEqual(first);
  await release();
  expect(await countUncopied()).toBe(1);
  world.clock.advance(6 * MINUTE_MS);
  await until(async () => (await countUncopied()) === 0);
  expect(await countCopies()).toBe(COUNT);
  expect((await search("points", { vector, limit: 1 }))[0]).toEqual(first);
});

onPgvector(
  "copies follow records that are changed and deleted, and columns that are renamed",
  async () => {
    const [near, far] = await createPoints("moved", [
      { at: [1, 0, 0, 0], area: 1 },
      { at: [0, 1, 0, 0], area: 1 },
    ]);
    const copies = async () =>
      (
        await world.sql(
          `select c.column_name, c.record_id, c.place, c.chunk::text from millrace_vectors.chunks c
           join user_tables t on t.id = c.table_id where slug = 'moved' order by c.record_id`,
        )
      ).map(Object.values);
    const copied = (...rows: unknown[][]) =>
      until(async () => JSON.stringify(await copies()) === JSON.stringify(rows));
    await copied(["at", near, 0, "[1,0,0,0]"], ["at", far, 0, "[0,1,0,0]"]);
    await owner(`PATCH /api/v1/tables/moved/records/${near}`, { at: [0, 0, 2, 0] });
    await copied(["at", near, 0, "[0,0,1,0]"], ["at", far, 0, "[0,1,0,0]"]);
    await owner("PATCH /api/v1/tables/moved", { renameColumns: { at: "place" } });
    await copied(["place", near, 0, "[0,0,1,0]"], ["place", far, 0, "[0,1,0,0]"]);
    await owner(`DELETE /api/v1/tables/moved/records/${far}`);
    await copied(["place", near, 0, "[0,0,1,0]"]);
    await owner("DELETE /api/v1/tables/moved");
    await copied();
  },
);

test("vectors without a direction match nothing and do not affect other results", async () => {
  const columns = [{ name: "at", type: "json" }];
  await owner("POST /api/v1/tables", { name: "Bare", slug: "bare", columns });
  const records = [
    [0, 0, 0, 0],
    [1, 1, 1, 1],
    [2, 0, 0, 0],
  ].map((at) => ({ at }));
  const { body } = await owner("POST /api/v1/tables/bare/records/bulk", { records });
  const [empty, whole, large] = body.data.map(({ id }: any) => id);
  const [{ schema }] = await world.sql(
    "select table_schema as schema from information_schema.tables where table_name = 'bare'",
  );
  // The number is larger than a JavaScript number can be, but PostgreSQL stores it.
  const huge = `update "${schema}".bare set at = '[1e400, 0, 0, 0]' where id = $1`;
  await world.sql(huge, [large]);
  const changed = await owner("PATCH /api/v1/tables/bare", {
    alterColumns: [{ name: "at", type: "vector", options: { dimensions: DIMENSIONS } }],
  });
  expect(changed.body.errors ?? changed.status).toBe(200);
  await until(async () => (await countVectors("bare")) === 3);
  expect(await search("bare", { vector: [1, 1, 1, 1], fields: ["id"] })).toEqual([
    { id: whole, score: 1 },
  ]);
  // Such values come from archives and earlier releases.
  const NAN = "decode('0000c07f0000c07f0000c07f0000c07f', 'hex')";
  await world.sql(`update record_vectors set vectors = ${NAN} where record_id = $1`, [empty]);
  world.clock.advance(6 * MINUTE_MS);
  if (state === "ready") await until(async () => (await countUncopied()) === 0);
  expect(await search("bare", { vector: [1, 1, 1, 1], fields: ["id"] })).toEqual([
    { id: whole, score: 1 },
  ]);
  await owner("DELETE /api/v1/tables/bare");
});

onPgvector(
  "a search goes on without pgvector when it is gone, and with it when it is back",
  async () => {
    // The extension is lost between the catalog lookup and the search.
    await world.sql("revoke usage on schema millrace_vectors from millrace_app");
    await expectAllFound();
    await world.sql("grant usage on schema millrace_vectors to millrace_app");
    await world.sql("drop extension vector cascade");
    await expectAllFound();
    const [added] = await createPoints("meanwhile", [{ at: [1, 1, 1, 1], area: 1 }]);
    expect(await search("meanwhile", { vector: [1, 1, 1, 1] })).toEqual([{ id: added, score: 1 }]);
    expect(await world.sql("select ensure_vector_copies() as state")).toEqual([{ state: "ready" }]);
    expect([await countCopies(), await countUncopied()]).toEqual([0, COUNT + 1]);
    await expectAllFound();
    world.clock.advance(6 * MINUTE_MS);
    await until(async () => (await countUncopied()) === 0);
    expect(await countCopies()).toBe(COUNT + 1);
    await expectAllFound();
  },
);

test.runIf(state === "absent")("without pgvector nothing is copied or marked", async () => {
  expect(await world.sql("select to_regnamespace('millrace_vectors') as there")).toEqual([
    { there: null },
  ]);
  const triggers = "select from pg_trigger where tgname = 'record_vectors_uncopied'";
  expect(await world.sql(triggers)).toEqual([]);
});
