import fc from "fast-check";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { createFilledTable, recordId } from "../testing/records.ts";
import { tries } from "#kernel/testing/thorough.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

interface Child {
  readonly parent: number | null;
  readonly n: number | null;
  readonly flag: boolean | null;
  readonly word: string | null;
}

const PARENTS = ["Ada", "Bob", null, "Ada"];
const parents = await createFilledTable(
  world,
  owner,
  { columns: [{ name: "name", type: "text" }] },
  PARENTS.map((name) => ({ name })),
);
const children = await createFilledTable(
  world,
  owner,
  {
    columns: [
      { name: "parent", type: "reference", options: { table: parents.slug } },
      { name: "n", type: "integer" },
      { name: "flag", type: "boolean" },
      { name: "word", type: "text" },
      { name: "parentName", type: "lookup", options: { path: "parent.name" } },
    ],
  },
  [],
);
const FIGURES = ["count", "sum", "avg", "min", "max"] as const;
const filter = { or: [{ flag: true }, { n: { gte: 3 } }] };
const rollup = (name: string, options: object) => ({
  name,
  type: "rollup",
  options: { via: "kids", ...options },
});
const added = await owner(`PATCH /api/v1/tables/${parents.slug}`, {
  addColumns: [
    { name: "kids", type: "backlinks", options: { table: children.slug, column: "parent" } },
    ...FIGURES.map((name) => rollup(name, { function: name, field: "n" })),
    rollup("firstWord", { function: "min", field: "word" }),
    rollup("anyFlag", { function: "any", field: "flag" }),
    rollup("allFlags", { function: "all", field: "flag" }),
    rollup("some", { function: "count", filter }),
    rollup("someSum", { function: "sum", field: "n", filter }),
    rollup("namedSum", { function: "sum", field: "n", filter: { "parent.name": "Ada" } }),
  ],
});
expect(added.body.errors ?? added.status).toBe(200);

const child = fc.record<Child>({
  parent: fc.option(fc.nat({ max: PARENTS.length - 1 })),
  n: fc.option(fc.integer({ min: -5, max: 9 })),
  flag: fc.option(fc.boolean()),
  word: fc.option(fc.constantFrom("a", "B", "ä", "", "zz")),
});

/** Computes the rollups of a parent directly, as the expected values. */
function figuresOf(name: string | null, own: readonly Child[]) {
  const numbers = own.flatMap(({ n }) => n ?? []);
  const sum = (list: readonly number[]) =>
    list.length === 0 ? null : list.reduce((a, b) => a + b, 0);
  const flags = own.flatMap(({ flag }) => flag ?? []);
  const words = own.flatMap(({ word }) => word ?? []);
  const some = own.filter(({ flag, n }) => flag === true || (n !== null && n >= 3));
  return {
    count: numbers.length,
    sum: sum(numbers),
    min: numbers.length === 0 ? null : Math.min(...numbers),
    max: numbers.length === 0 ? null : Math.max(...numbers),
    firstWord: words.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))[0] ?? null,
    anyFlag: flags.length === 0 ? null : flags.some(Boolean),
    allFlags: flags.length === 0 ? null : flags.every(Boolean),
    some: some.length,
    someSum: sum(some.flatMap(({ n }) => n ?? [])),
    namedSum: name === "Ada" ? sum(numbers) : null,
  };
}

test("rollups, their filters, and reference paths equal the results computed in memory", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(child, { maxLength: 25 }), async (list) => {
      await world.sql(`delete from ${children.place}`);
      for (const [at, { parent, n, flag, word }] of list.entries()) {
        await world.sql(
          `insert into ${children.place} (id, parent, n, flag, word) values ($1, $2, $3, $4, $5)`,
          [recordId(at + 1), parent === null ? null : recordId(parent + 1), n, flag, word],
        );
      }
      const { data } = (await owner(`GET ${parents.path}?sort=id&limit=50`)).body;
      for (const [at, name] of PARENTS.entries()) {
        const own = list.filter(({ parent }) => parent === at);
        const { avg, kids, ...figures } = data[at];
        expect(figures).toMatchObject(figuresOf(name ?? null, own));
        expect(kids).toHaveLength(own.length);
        const numbers = own.flatMap(({ n }) => n ?? []);
        const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length;
        if (numbers.length === 0) expect(avg).toBeNull();
        else expect(avg).toBeCloseTo(mean, 10);
      }
      const named = list.flatMap(({ parent }, at) =>
        parent !== null && PARENTS[parent] === "Ada" ? [recordId(at + 1)] : [],
      );
      for (const path of ["parent.name", "parentName"]) {
        const query = encodeURIComponent(JSON.stringify({ [path]: "Ada" }));
        const found = (await owner(`GET ${children.path}?sort=id&limit=50&filter=${query}`)).body
          .data;
        expect(found.map(({ id }: any) => id)).toEqual(named);
      }
    }),
    { numRuns: tries(12) },
  );
});
