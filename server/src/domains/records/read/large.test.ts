import { beforeAll, describe, expect, test } from "vitest";
import { tries } from "#kernel/testing/thorough.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable, pagesOf } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const LENGTH = 1_000_000;
const TITLE = { name: "title", type: "text" };
const TEXTS = [TITLE, { name: "body", type: "text", options: { maxLength: LENGTH } }];

/** Records with long texts, sixteen of which fit into a page. */
async function fill({ place }: FilledTable, count: number): Promise<void> {
  await world.sql(
    `insert into ${place} (id, title, body)
     select 'rec_' || lpad(n::text, 26, '0'), n::text, repeat('x', $2::int)
       from generate_series(1, $1::int) as n`,
    [count, LENGTH],
  );
}

const titles = (pages: readonly (readonly { title: string }[])[]) =>
  pages.flat().map(({ title }) => title);

const numbers = (first: number, last: number) =>
  Array.from({ length: Math.abs(last - first) + 1 }, (_, index) =>
    String(first + index * Math.sign(last - first)),
  );

test("shortens a page of large records and continues on the next page", async () => {
  const table = await createFilledTable(world, owner, { columns: TEXTS }, []);
  await fill(table, 20);
  // The second pass knows from the first page on that the table has large records.
  const orders = [
    ["createdAt,id", numbers(1, 20)],
    ["-id", numbers(20, 1)],
  ] as const;
  for (const [sort, expected] of orders.slice(0, tries(1, 2))) {
    const pages = await pagesOf(owner, table.path, { limit: "200", sort });
    expect(pages.map((page) => page.length)).toEqual([16, 4]);
    expect(titles(pages)).toEqual(expected);
  }
  const short = await pagesOf(owner, table.path, { limit: "15", fields: "title" });
  expect(short.map((page) => page.length)).toEqual([15, 5]);
});

test("a large record counts once per reference that expands it", async () => {
  const bodies = await createFilledTable(world, owner, { columns: TEXTS }, []);
  await fill(bodies, 1);
  const names = ["one", "two", "three"];
  const columns = names.map((name) => ({
    name,
    type: "reference",
    options: { table: bodies.slug },
  }));
  const table = await createFilledTable(world, owner, { columns: [TITLE, ...columns] }, []);
  await world.sql(
    `insert into ${table.place} (id, title, one, two, three)
     select 'rec_' || lpad(n::text, 26, '0'), n::text, b.id, b.id, b.id
       from generate_series(1, 12) as n, ${bodies.place} as b`,
  );
  const query = { limit: "200", expand: names.join(), fields: "title" };
  const pages = await pagesOf(owner, table.path, query);
  expect(pages.map((page) => page.length)).toEqual([5, 5, 2]);
  expect(titles(pages)).toEqual(numbers(12, 1));
  expect(pages[1]?.[4].three.body).toHaveLength(LENGTH);
});

describe("pages of events with large records end early too", () => {
  const titlesOf = (pages: readonly (readonly any[])[]) =>
    pages.flat().flatMap(({ data }) => data.after?.title ?? []);
  let record = "";

  beforeAll(async () => {
    const { path } = await createFilledTable(world, owner, { columns: TEXTS }, []);
    const made = await owner(`POST ${path}`, { title: "0", body: "" });
    record = `${path}/${made.body.data.id}`;
    const body = "x".repeat(LENGTH);
    for (const title of numbers(1, 10)) {
      const answer = await owner(`PATCH ${record}`, { title, body });
      expect(answer.body.errors ?? answer.status).toBe(200);
    }
  });

  test.each([
    ["the audit log", (): string => "/api/v1/audit", { type: "record.updated", limit: "200" }],
    ["a history", (): string => `${record}/history`, {}],
  ] as const)("of %s", async (_, route, query) => {
    const pages = await pagesOf(owner, route(), query);
    expect(titlesOf(pages)).toEqual(numbers(10, 1));
    // Each event holds the record before and after the change.
    expect(pages[0]?.length).toBe(8);
  });

  test("event topics", async () => {
    await world.settled();
    const found: any[][] = [];
    let after = "";
    for (let hasMore = true; hasMore;) {
      const { body } = await owner(`GET /api/v1/events/topics/record/events?limit=200${after}`);
      found.push(body.data);
      after = `&after=${body.pagination.nextCursor}`;
      ({ hasMore } = body.pagination);
    }
    expect(titlesOf(found)).toEqual(numbers(1, 10));
    expect(found.length).toBe(2);
  });
});
