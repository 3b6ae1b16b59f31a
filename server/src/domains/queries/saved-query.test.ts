import { expect, inject, test } from "vitest";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const SQL = "select n from generate_series(1, $1) as n where n > $2 order by n";

async function lastEvent(): Promise<any> {
  return (await owner("GET /api/v1/audit?limit=1")).body.data[0];
}

test("saves, reads, changes, runs and deletes a query, each with an event", async () => {
  const parameters = [
    { name: "to", type: "integer", default: 3 },
    { name: "above", type: "integer" },
  ];
  const saved = await owner("POST /api/v1/queries", { name: "Numbers", sql: SQL, parameters });
  const { id, createdAt, updatedAt, createdBy } = saved.body.data;
  expect(saved).toMatchObject({
    status: 201,
    events: ["query.created"],
    headers: { location: `/api/v1/queries/${id}`, etag: '"1"' },
  });
  const query = { id, name: "Numbers", description: "", sql: SQL, parameters };
  expect(saved.body.data).toEqual({ ...query, createdBy, createdAt, updatedAt });
  expect(await lastEvent()).toMatchObject({
    type: "query.created",
    resource: { type: "query", id, displayName: "Numbers" },
    data: query,
  });
  expect((await owner(`GET /api/v1/queries/${id}`)).body).toEqual(saved.body);

  const run = (body?: object) => owner(`POST /api/v1/queries/${id}/run`, body);
  const rowsOf = async (params: unknown) => (await run({ params })).body.data.rows;
  expect(await rowsOf({ to: 5, above: 3 })).toEqual([{ n: 4 }, { n: 5 }]);
  expect(await rowsOf([5, 4])).toEqual([{ n: 5 }]);
  expect(await rowsOf({ above: 2 })).toEqual([{ n: 3 }]);
  expect(await rowsOf([null, 2])).toEqual([]);
  const faults = async (params?: unknown) =>
    (await run({ ...(params !== undefined && { params }) })).body.errors;
  expect(await faults()).toEqual([{ path: "/params/1", message: "is required" }]);
  expect(await faults({ to: "5", above: 1, beside: 2 })).toEqual([
    { path: "/params/beside", message: "is not a parameter of this query" },
    { path: "/params/to", message: expect.stringContaining("must be a whole number") },
  ]);
  expect(await faults([1, 2, 3])).toEqual([
    { path: "/params/2", message: "is not a parameter of this query" },
  ]);

  const changed = await owner(
    `PATCH /api/v1/queries/${id}`,
    { name: "One number", sql: "select $1 as n", parameters: [{ name: "n" }] },
    { "if-match": '"1"' },
  );
  expect(changed).toMatchObject({
    status: 200,
    events: ["query.updated"],
    headers: { etag: '"2"' },
  });
  expect((await lastEvent()).data).toMatchObject({
    before: { name: "Numbers", sql: SQL },
    after: { name: "One number", sql: "select $1 as n" },
    changes: ["name", "sql", "parameters"],
  });
  expect(await rowsOf({ n: "a" })).toEqual([{ n: "a" }]);
  const stale = await owner(`PATCH /api/v1/queries/${id}`, { name: "x" }, { "if-match": '"1"' });
  expect(stale).toMatchObject({ status: 412, events: [] });

  const deleted = await owner(`DELETE /api/v1/queries/${id}`);
  expect(deleted).toMatchObject({ status: 204, events: ["query.deleted"] });
  expect((await lastEvent()).data).toMatchObject({ id, name: "One number" });
  expect((await run()).status).toBe(404);
});

test("the statement is validated when saved, and must match its parameters", async () => {
  const refused = async (body: object) => {
    const answer = await owner("POST /api/v1/queries", { name: "Not saved", ...body });
    expect(answer).toMatchObject({ status: 422, events: [] });
    return [answer.body.code, answer.body.errors.map(({ path }: { path: string }) => path)];
  };
  expect(await refused({ sql: "delete from orders" })).toEqual(["query_refused", ["/sql"]]);
  expect(await refused({ sql: "select * from pg_class, public.users" })).toEqual([
    "query_refused",
    ["/sql", "/sql"],
  ]);
  expect(
    await refused({ sql: "select $1, $3", parameters: [{ name: "a" }, { name: "a" }] }),
  ).toEqual(["invalid", ["/parameters/1/name", "/parameters/1", "/parameters"]]);
  expect(
    await refused({ sql: "select $1", parameters: [{ name: "a", type: "date", default: "soon" }] }),
  ).toEqual(["invalid", ["/parameters/0/default"]]);
  expect(await refused({ sql: "select $200" })).toEqual([
    "invalid",
    expect.arrayContaining(["/parameters"]),
  ]);
  // A table may come later, or be in another environment only.
  const later = await owner("POST /api/v1/queries", {
    name: "Later",
    sql: "select * from later where a = $1",
  });
  expect(later).toMatchObject({
    status: 201,
    events: ["query.created"],
    body: { data: { parameters: [{ name: "p1" }] } },
  });
  const { id } = later.body.data;
  expect(await owner(`POST /api/v1/queries/${id}/run`, { params: [1] })).toMatchObject({
    status: 422,
    body: { code: "query_refused" },
  });
  await owner("POST /api/v1/tables", {
    name: "later",
    columns: [{ name: "a", type: "integer" }],
  });
  const found = await owner(`POST /api/v1/queries/${id}/run`, { params: [1], rowMode: "array" });
  expect(found).toMatchObject({ status: 200, body: { data: { rows: [] } }, events: [] });
  for (const body of [{ sql: "select 1" }, { parameters: [] }, { sql: "drop table later" }]) {
    expect(await owner(`PATCH /api/v1/queries/${id}`, body)).toMatchObject({
      status: 422,
      events: [],
    });
  }
});

/** Runs work while a transaction with these statements is open, and then commits it. */
function during<T>(statements: readonly string[], work: () => Promise<T>): Promise<T> {
  const { database } = world.database.app;
  return withOwnerClient({ ...inject("database").owner, database }, async (client) => {
    await client.query("begin");
    for (const text of statements) await client.query(text);
    const result = await work();
    await client.query("commit");
    return result;
  });
}

test("parameters are validated against the statement at that time, and a concurrent change is a conflict", async () => {
  const { body } = await owner("POST /api/v1/queries", {
    name: "Raced",
    sql: "select $1 as n",
    parameters: [{ name: "n" }],
  });
  const { id } = body.data;
  const change = () =>
    owner(`PATCH /api/v1/queries/${id}`, { parameters: [{ name: "m", type: "integer" }] });
  expect(await change()).toMatchObject({ status: 200, events: ["query.updated"] });
  const { changing } = await during(
    [
      // Readers continue, and writers wait.
      "lock table saved_queries in exclusive mode",
      `update saved_queries set sql = 'select $1, $2' where id = '${id}'`,
    ],
    async () => {
      const asked = change();
      await world.waiting(1);
      return { changing: asked };
    },
  );
  expect(await changing).toMatchObject({ status: 409, body: { code: "conflict" }, events: [] });
  expect(await change()).toMatchObject({ status: 422, body: { code: "invalid" }, events: [] });
  const nothing = "qry_01jd0000000000000000000000";
  expect((await owner(`PATCH /api/v1/queries/${nothing}`, { parameters: [] })).status).toBe(404);
});

test("one of two concurrent saves of the last allowed query succeeds", async () => {
  const workspace = await world.workspace("full");
  const ask = await world.member(["builder"], workspace);
  await world.sql(
    `insert into saved_queries (id, workspace_id, name, sql, created_by, created_at, updated_at)
     select 'qry_' || n, $1, 'Query ' || n, 'select 1', 'somebody', now(), now()
       from generate_series(1, 1999) as n`,
    [workspace.key],
  );
  const { saving } = await during(["lock table saved_queries in share mode"], async () => {
    const asked = ["a", "b"].map((name) => ask("POST /api/v1/queries", { name, sql: "select 1" }));
    await world.waiting(2);
    return { saving: Promise.all(asked) };
  });
  const [made, refused] = (await saving).toSorted((one, other) => one.status - other.status);
  expect(made).toMatchObject({ status: 201, events: ["query.created"] });
  expect(refused).toMatchObject({ status: 409, body: { code: "too_many_queries" }, events: [] });
});

test("names are unique, the list is newest first, and queries are the same in all environments", async () => {
  const workspace = await world.workspace("listed");
  const ask = await world.member(["builder"], workspace);
  for (const name of ["a", "b", "c"]) await ask("POST /api/v1/queries", { name, sql: "select 1" });
  expect(await ask("POST /api/v1/queries", { name: "a", sql: "select 2" })).toMatchObject({
    status: 409,
    body: { code: "query_name_taken" },
    events: [],
  });
  const staging = { "x-environment": "staging" };
  const first = await ask("GET /api/v1/queries?limit=2", undefined, staging);
  expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(["c", "b"]);
  const { nextCursor } = first.body.pagination;
  const second = await ask(`GET /api/v1/queries?limit=2&after=${nextCursor}`);
  expect(second.body.data.map(({ name }: { name: string }) => name)).toEqual(["a"]);
  expect(second.body.pagination).toEqual({ nextCursor: null, hasMore: false, limit: 2 });
});

test("viewers run queries, builders save them, and members may do neither", async () => {
  const { body } = await owner("POST /api/v1/queries", { name: "By role", sql: "select 1 as n" });
  const expected = { builder: [200, 200, 201], viewer: [200, 200, 403], member: [403, 403, 403] };
  for (const [role, statuses] of Object.entries(expected)) {
    const ask = await world.member([role]);
    const answers = [
      await ask("POST /api/v1/queries/run", { sql: "select 1" }),
      await ask(`POST /api/v1/queries/${body.data.id}/run`),
      await ask("POST /api/v1/queries", { name: `By ${role}`, sql: "select 1" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  }
});
