import { beforeAll, describe, expect, test } from "vitest";
import { startNode, send } from "#domains/bus/testing/node.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable, pagesOf, recordId } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

function listOf(path: string, query: Readonly<Record<string, string>>, ask: Ask = owner) {
  return ask(`GET ${path}?${new URLSearchParams(query).toString()}`);
}

async function titlesOf(path: string, query: Readonly<Record<string, string>>, ask: Ask = owner) {
  const { body } = await listOf(path, query, ask);
  return body.errors ?? body.data.map(({ title }: { title: string | null }) => title);
}

describe("one record", () => {
  let table: FilledTable;

  beforeAll(async () => {
    const columns = [
      { name: "title", type: "text" },
      { name: "price", type: "decimal" },
      { name: "extra", type: "json" },
    ];
    const row = { title: "one", price: "12.50", extra: '{"a":[null]}', created_by: "usr_x" };
    table = await createFilledTable(world, owner, { columns }, [
      { ...row, created_at: "2026-01-31T09:00:00.5Z", updated_at: "2026-01-31T09:00:01Z" },
    ]);
  });

  test("returns the entire record, with its revision as the ETag", async () => {
    const { status, body, headers } = await owner(`GET ${table.path}/${table.ids[0]}`);
    expect([status, headers["etag"]]).toEqual([200, '"1"']);
    expect(body).toEqual({
      data: {
        id: table.ids[0],
        createdAt: "2026-01-31T09:00:00.500Z",
        updatedAt: "2026-01-31T09:00:01.000Z",
        createdBy: "usr_x",
        title: "one",
        price: 12.5,
        extra: { a: [null] },
      },
    });
    const route = `GET ${table.path}/${table.ids[0]}`;
    expect((await owner(route, undefined, { "if-none-match": '"1"' })).status).toBe(304);
  });

  test("returns a new ETag after a change to the table, and accepts both in If-Match", async () => {
    const { slug, path } = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "title", type: "text" }] },
      [],
    );
    const { body, headers } = await owner(`POST ${path}`, { title: "one" });
    const route = `${path}/${body.data.id}`;
    const tags = [headers["etag"] ?? ""];
    for (const change of [
      { addColumns: [{ name: "state", type: "text", default: "new" }] },
      { renameColumns: [{ from: "title", to: "name" }] },
    ]) {
      await owner(`PATCH /api/v1/tables/${slug}`, change);
      const before = { "if-none-match": tags.at(-1) ?? "" };
      const shown = await owner(`GET ${route}`, undefined, before);
      expect(shown.status).toBe(200);
      tags.push(shown.headers["etag"] ?? "");
      const now = { "if-none-match": tags.at(-1) ?? "" };
      expect((await owner(`GET ${route}`, undefined, now)).status).toBe(304);
    }
    expect(new Set(tags).size).toBe(3);
    const changed = async (name: string, tag: string) =>
      (await owner(`PATCH ${route}`, { name }, { "if-match": tag })).status;
    for (const tag of tags) expect(await changed("one", tag)).toBe(200);
    expect(await changed("two", tags.at(-1) ?? "")).toBe(200);
    for (const tag of tags) expect(await changed("three", tag)).toBe(412);
    const { headers: last } = await owner(`GET ${route}`);
    const removed = await owner(`DELETE ${route}`, undefined, { "if-match": last["etag"] ?? "" });
    expect(removed.status).toBe(204);
  });

  test("or returns selected fields, always with the id", async () => {
    const { body } = await owner(`GET ${table.path}/${table.ids[0]}?fields=price,createdBy`);
    expect(body.data).toEqual({ id: table.ids[0], createdBy: "usr_x", price: 12.5 });
  });

  test("returns 404 for a missing record", async () => {
    const { status, body } = await owner(`GET ${table.path}/${recordId(2)}`);
    expect([status, body.code]).toEqual([404, "not_found"]);
    expect((await owner(`GET /api/v1/tables/none/records/${recordId(1)}`)).status).toBe(404);
  });
});

describe("references", () => {
  test("replaces references with the referenced records", async () => {
    const left = await world.member(["member"]);
    const customers = await createFilledTable(
      world,
      owner,
      { columns: [{ name: "name", type: "text" }] },
      [{ name: "Ada" }, { name: "Bo" }],
    );
    const columns = [
      { name: "customer", type: "reference", options: { table: customers.slug } },
      { name: "agent", type: "reference", options: { table: "users" } },
    ];
    const { path, ids } = await createFilledTable(world, owner, { columns }, [
      { customer: recordId(1), agent: owner.userId },
      { customer: recordId(2), agent: left.userId },
      { customer: null, agent: null },
    ]);
    await world.sql("delete from memberships where user_id = $1", [left.userId]);
    const { body } = await listOf(path, { expand: "customer,agent", fields: "agent" });
    const agent = { id: owner.userId, name: "Somebody", email: `${owner.userId}@example.com` };
    expect(body.data).toMatchObject([
      { id: ids[2], customer: null, agent: null },
      {
        id: ids[1],
        customer: { id: recordId(2), name: "Bo" },
        agent: { id: left.userId, name: null, email: null },
      },
      { id: ids[0], customer: { id: recordId(1), name: "Ada" }, agent },
    ]);
    const one = await owner(`GET ${path}/${ids[0]}?expand=agent`);
    expect(one.body.data).toMatchObject({ customer: recordId(1), agent });
    expect(one.headers["etag"]).toBeUndefined();
  });
});

describe("rules", () => {
  const columns = [
    { name: "title", type: "text" },
    { name: "salary", type: "integer" },
    { name: "holder", type: "reference", options: { table: "users" } },
  ];
  let agent: Ask & { userId: string };
  let builder: Ask & { userId: string };
  let table: FilledTable;

  beforeAll(async () => {
    agent = await world.member(["agent"]);
    builder = await world.member(["builder"]);
    const rules = [
      {
        roles: ["agent"],
        actions: ["read"],
        where: { title: { ne: "secret" } },
        fields: ["title"],
      },
      { roles: ["agent"], actions: ["read"], where: { holder: "$user.id" } },
    ];
    table = await createFilledTable(world, owner, { columns, rules }, [
      { title: "secret", salary: 1 },
      { title: "open", salary: 2 },
      { title: "mine", salary: 3, holder: agent.userId },
      { title: "other", salary: 4, holder: owner.userId },
    ]);
  });

  test("hide records, and fields of visible records", async () => {
    const { body } = await listOf(
      table.path,
      { count: "exact", fields: "title,salary,holder" },
      agent,
    );
    expect(body.data).toEqual([
      { id: table.ids[3], title: "other", salary: null, holder: null, revision: 1 },
      { id: table.ids[2], title: "mine", salary: 3, holder: agent.userId, revision: 1 },
      { id: table.ids[1], title: "open", salary: null, holder: null, revision: 1 },
    ]);
    expect(body.pagination.total).toBe(3);
    const all = await listOf(table.path, { count: "exact" });
    expect(all.body.pagination.total).toBe(4);
  });

  test("hide all records without a matching rule", async () => {
    expect(await titlesOf(table.path, {}, builder)).toEqual([]);
    expect((await builder(`GET ${table.path}/${table.ids[1]}`)).status).toBe(404);
  });

  test("apply to a single record too", async () => {
    expect((await agent(`GET ${table.path}/${table.ids[0]}`)).status).toBe(404);
    const seen = await agent(`GET ${table.path}/${table.ids[3]}?expand=holder`);
    expect(seen.body.data).toMatchObject({ title: "other", salary: null, holder: null });
    expect(seen.body.data.createdAt).toBeNull();
    const mine = await agent(`GET ${table.path}/${table.ids[2]}`);
    expect(mine.body.data).toMatchObject({ title: "mine", salary: 3, createdBy: "system" });
  });

  test("hidden values do not affect filters, sorting and searches", async () => {
    const filtered = (filter: object) =>
      titlesOf(table.path, { filter: JSON.stringify(filter) }, agent);
    expect(await filtered({ salary: { gt: 0 } })).toEqual(["mine"]);
    expect(await filtered({ salary: null })).toEqual(["other", "open"]);
    expect(await filtered({ not: { salary: 4 } })).toEqual(["other", "mine", "open"]);
    expect(await filtered({ title: "secret" })).toEqual([]);
    expect(await titlesOf(table.path, { q: "secret" }, agent)).toEqual([]);
    const sorted = await pagesOf(agent, table.path, { sort: "-salary,-title", limit: "1" });
    expect(sorted.flat().map(({ title }) => title)).toEqual(["other", "open", "mine"]);
  });

  test("apply to expanded references", async () => {
    const columns = [{ name: "person", type: "reference", options: { table: table.slug } }];
    const { path } = await createFilledTable(world, owner, { columns }, [
      { person: table.ids[0] },
      { person: table.ids[1] },
    ]);
    const { body } = await listOf(path, { expand: "person" }, agent);
    expect(body.data.map(({ person }: { person: unknown }) => person)).toEqual([
      expect.objectContaining({ id: table.ids[1], title: "open", salary: null }),
      null,
    ]);
  });
});

test("a list continues after long texts, and returns an error if no cursor can hold the value", async () => {
  const rows = [5_000, 4_000, 13_000, 14_000].map((length, at) => ({
    title: `${at}`.padEnd(length, "x"),
  }));
  const columns = [{ name: "title", type: "text", options: { maxLength: 20_000 } }];
  const { path } = await createFilledTable(world, owner, { columns }, rows);
  const query = { sort: "title", limit: "1" };
  const first = await listOf(path, query);
  const after = first.body.pagination.nextCursor;
  const second = await listOf(path, { ...query, after });
  expect(second.body.data).toMatchObject([rows[1]]);
  const third = await listOf(path, { ...query, after: second.body.pagination.nextCursor });
  expect(third).toMatchObject({ status: 422, body: { errors: [{ path: "?sort" }] } });
});

test("a column that another node added can be queried immediately", async () => {
  const columns = [{ name: "title", type: "text" }];
  const { path, slug, ids } = await createFilledTable(world, owner, { columns }, [{ title: "a" }]);
  await using node = await startNode(world);
  const asked = [
    (name: string) => `GET ${path}?sort=${name}`,
    (name: string) => `GET ${path}?fields=${name}`,
    (name: string) => `GET ${path}?filter={"${name}":null}`,
    (name: string) => `GET ${path}?expand=${name}`,
    (name: string) => `GET ${path}/${ids[0]}?expand=${name}`,
    (name: string) => `GET ${path}/export?fields=${name}`,
  ];
  for (const [index, route] of asked.entries()) {
    expect((await owner(`GET ${path}`)).status).toBe(200);
    const column = { name: `c${index}`, type: "reference", options: { table: "users" } };
    await send(node.app, owner, `PATCH /api/v1/tables/${slug}`, { addColumns: [column] });
    expect((await owner(route(column.name))).status).toBe(200);
    expect((await owner(route("nothing"))).status).toBe(422);
  }
  const body = { addColumns: [{ name: "note", type: "text" }] };
  await send(node.app, owner, `PATCH /api/v1/tables/${slug}`, body);
  const imported = await owner(`POST ${path}/import`, { csv: "note\nb\n" });
  expect(imported.body).toMatchObject({ data: { imported: 1 } });
});
