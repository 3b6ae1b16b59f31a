import { beforeAll, expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable, pagesOf } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);

const COUNT = 53;
let table: FilledTable;

beforeAll(async () => {
  const rows = Array.from({ length: COUNT }, (_, index) => ({
    title: `t${index % 7}`,
    rank: index % 5 === 0 ? null : index % 4,
  }));
  const columns = [
    { name: "title", type: "text" },
    { name: "rank", type: "integer", indexed: true },
  ];
  const rules = [{ roles: ["agent"], actions: ["read"], where: { rank: { gte: 2 } } }];
  table = await createFilledTable(world, owner, { columns, rules }, rows);
});

function read(query: Readonly<Record<string, string>>, ask: Ask = owner) {
  return ask(`GET ${table.path}?${new URLSearchParams(query).toString()}`);
}

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);

test.each(["-id", "id", "rank", "-rank", "title,-rank", "-rank,title"])(
  "a list by %s is the same from both ends and from every offset",
  async (sort) => {
    const all = idsOf((await pagesOf(owner, table.path, { sort, limit: "1000" })).flat());
    expect(all).toHaveLength(COUNT);
    const last = await read({ sort, limit: "7", at: "1" });
    expect(last.body.pagination).toMatchObject({ nextCursor: null, offset: COUNT - 7 });
    const pages = [idsOf(last.body.data)];
    for (let before = last.body.pagination.previousCursor; before !== undefined;) {
      const { body } = await read({ sort, limit: "7", before });
      pages.unshift(idsOf(body.data));
      const forward = await read({ sort, limit: "7", after: body.pagination.nextCursor });
      expect(idsOf(forward.body.data)).toEqual(pages[1]);
      before = body.pagination.previousCursor;
    }
    expect(pages.flat()).toEqual(all);
    for (const offset of [0, 1, 26, 52, 53, 999]) {
      const { body } = await read({ sort, limit: "5", offset: String(offset) });
      expect(idsOf(body.data)).toEqual(all.slice(offset, offset + 5));
      expect(body.pagination.previousCursor !== undefined).toBe(offset > 0 && offset < COUNT);
    }
    for (const at of ["0", "0.25", "0.75", "1"]) {
      const { body } = await read({ sort, limit: "5", at });
      const place = Math.min(Math.floor(Number(at) * COUNT), COUNT - 5);
      expect(body.pagination.offset).toBe(place);
      expect(idsOf(body.data)).toEqual(all.slice(place, place + 5));
    }
  },
);

test("each record of a list has the revision for conditional changes", async () => {
  const { body } = await read({ limit: "1", at: "0.5" });
  const [{ id, revision }] = body.data;
  const change = (tag: number) =>
    owner(`PATCH ${table.path}/${id}`, { title: `new ${tag}` }, { "if-match": `"${tag}"` });
  expect((await change(revision)).status).toBe(200);
  expect((await change(revision)).status).toBe(412);
});

test("a filter can use times relative to now", async () => {
  const countOf = async (filter: object) => {
    const { status, body } = await read({ filter: JSON.stringify(filter), limit: "1000" });
    return status === 200 ? body.data.length : status;
  };
  const since = (time: string) => countOf({ createdAt: { gte: time } });
  expect(await Promise.all([since("$now-100y"), since("$now+1d"), since("$now-1x")])).toEqual([
    COUNT,
    0,
    422,
  ]);
});

test("access rules apply to jumps and estimates", async () => {
  const seen = (await pagesOf(agent, table.path, { sort: "id" })).flat();
  const { body } = await read({ sort: "id", limit: "1000", at: "0", count: "estimate" }, agent);
  expect(idsOf(body.data)).toEqual(idsOf(seen));
  expect(body.pagination).toMatchObject({ total: seen.length, offset: 0 });
  const second = await read({ sort: "id", limit: "1", offset: "1" }, agent);
  expect(idsOf(second.body.data)).toEqual(idsOf(seen).slice(1, 2));
});

test("the number of records in a large table is estimated, and a jump by share lands close to its target", async () => {
  const columns = [{ name: "n", type: "integer", indexed: true }];
  const many = await createFilledTable(world, owner, { columns }, []);
  await world.sql(
    `insert into ${many.place} (id, n)
     select 'rec_' || lpad(n::text, 26, '0'), n from generate_series(1, 30000) as n`,
  );
  await world.sql(`analyze ${many.place}`);
  const half = await owner(`GET ${many.path}?sort=n&limit=2&at=0.5&count=estimate`);
  expect(half.body.pagination).toMatchObject({ isEstimate: true, offset: expect.any(Number) });
  expect(half.body.pagination.total / 30_000).toBeCloseTo(1, 1);
  expect(half.body.data[0].n / 30_000).toBeCloseTo(0.5, 1);
  const end = await owner(`GET ${many.path}?sort=n&limit=2&at=1`);
  expect(end.body.data.map(({ n }: { n: number }) => n)).toEqual([29_999, 30_000]);
});

test("lists of other objects support backward paging and jumps", async () => {
  for (let index = 0; index < 5; index += 1)
    await owner("POST /api/v1/notes", { title: `n${index}`, body: "Text" });
  const list = async (query: string) => (await owner(`GET /api/v1/notes?sort=title&${query}`)).body;
  const third = await list("limit=2&offset=2");
  expect(third.data.map(({ title }: { title: string }) => title)).toEqual(["n2", "n3"]);
  const back = await list(`limit=2&before=${third.pagination.previousCursor}`);
  expect(back.data.map(({ title }: { title: string }) => title)).toEqual(["n0", "n1"]);
  expect(back.pagination.previousCursor).toBeUndefined();
});
