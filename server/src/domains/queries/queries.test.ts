import { expect, test, vi } from "vitest";
import { systemCaller } from "#kernel/access/caller.ts";
import { type Answer, useWorld } from "#kernel/testing/world.ts";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { runQuery } from "./run/run-query.ts";
import { CELLS } from "./testing/cells.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const orders = await createFilledTable(
  world,
  owner,
  {
    columns: [
      { name: "orderNo", type: "integer", indexed: true },
      { name: "amount", type: "decimal" },
      { name: "paid", type: "boolean" },
      { name: "tags", type: "multi_enum", options: { values: ["a", "b"] } },
      { name: "doc", type: "json" },
      { name: "day", type: "date" },
      { name: "due", type: "timestamp" },
    ],
  },
  [
    { orderNo: 1, amount: "12.50", paid: true, tags: ["a", "b"], doc: { x: [1] } },
    { orderNo: 2, day: "2026-02-28", due: "2026-02-28T09:30:00+01:00" },
    { orderNo: 3, amount: "5" },
  ],
);

const cause = { correlationId: "test", depth: 0 };
const run = (sql: string, more: object = {}): Promise<Answer> =>
  owner("POST /api/v1/queries/run", { sql, ...more });
const rowsOf = async (sql: string, ...params: unknown[]): Promise<unknown> => {
  const { status, body, events } = await run(sql, { params });
  expect([body.detail, status, events]).toEqual([undefined, 200, []]);
  return body.data.rows;
};

const [{ server_version_num: version }] = await world.sql("show server_version_num");

test.skipIf(Number(version) < 170_000)("SQL/JSON reads and makes documents", async () => {
  const sql = `select json_value(doc, '$.x[0]' returning int) as v, json_query(doc, '$.x') as q, t.n, t.i,
      json_object('no': "orderNo" returning jsonb) as o
    from ${orders.slug}, json_table(doc, '$.x[*]' columns (i for ordinality, n int path '$')) as t`;
  expect(await rowsOf(sql)).toEqual([{ v: 1, q: [1], n: 1, i: 1, o: { no: 1 } }]);
});

test("a table is queried by slug, with its columns and values in API form", async () => {
  const { body } = await run(`select * from ${orders.slug} where "orderNo" < 3 order by "orderNo"`);
  expect(body.data).toEqual({
    columns: [
      { name: "id", type: "text" },
      { name: "created_at", type: "timestamptz" },
      { name: "updated_at", type: "timestamptz" },
      { name: "created_by", type: "text" },
      { name: "orderNo", type: "bigint" },
      { name: "amount", type: "numeric" },
      { name: "paid", type: "boolean" },
      { name: "tags", type: "text[]" },
      { name: "doc", type: "jsonb" },
      { name: "day", type: "date" },
      { name: "due", type: "timestamptz" },
    ],
    rows: [
      expect.objectContaining({
        id: orders.ids[0],
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        orderNo: 1,
        amount: 12.5,
        paid: true,
        tags: ["a", "b"],
        doc: { x: [1] },
        day: null,
        due: null,
      }),
      expect.objectContaining({ day: "2026-02-28", due: "2026-02-28T08:30:00.000Z", paid: null }),
    ],
    rowCount: 2,
    truncated: false,
    durationMs: expect.any(Number),
  });
});

test("accepts columns without quotes and in API spelling", async () => {
  const { slug } = orders;
  expect(
    await rowsOf(
      `select x.orderno, updatedat = updated_at as a, "createdAt" = createdAt as b, createdby
         from ${slug} x where orderNo = 2`,
    ),
  ).toEqual([{ orderno: 2, a: true, b: true, createdby: "system" }]);
  // This has no cost if it is not used.
  expect(
    Object.keys(((await rowsOf(`select * from ${slug} limit 1`)) as object[])[0] ?? {}),
  ).not.toContain("createdat");
  expect((await run(`select revision from ${slug}`)).body.code).toBe("query_failed");
});

test("returns values in JSON form", async () => {
  const { body } = await run(`select ${CELLS.map(([sql]) => sql).join(", ")}`, {
    rowMode: "array",
  });
  expect(body.data.columns.map(({ type }: { type: string }) => type)).toEqual(
    CELLS.map(([, type]) => type),
  );
  expect(body.data.rows).toEqual([CELLS.map(([, , value]) => value)]);
});

test("duplicate column names keep all values", async () => {
  expect(await rowsOf("select 1 as a, 2 as a, 3 as a_2, 4 as a, 5 as __proto__")).toEqual([
    JSON.parse('{"a": 1, "a_3": 2, "a_2": 3, "a_4": 4, "__proto__": 5}'),
  ]);
  const { body } = await run("select 1 as a, 2 as a", { rowMode: "array" });
  expect(body.data).toMatchObject({ columns: [{ name: "a" }, { name: "a_2" }], rows: [[1, 2]] });
  expect(await rowsOf("select")).toEqual([{}]);
});

test("parameters get the type that their position requires", async () => {
  const { slug } = orders;
  expect(
    await rowsOf(`select orderno from ${slug} where orderno = any($1) order by 1`, [3, 1]),
  ).toEqual([{ orderno: 1 }, { orderno: 3 }]);
  expect(
    await rowsOf(`select orderno from ${slug} where doc @> $1 and amount > $2`, { x: [1] }, 12),
  ).toEqual([{ orderno: 1 }]);
  expect(
    await rowsOf(
      `select orderno from ${slug} where day > $1 and $2 limit $3`,
      "2026-01-01",
      true,
      5,
    ),
  ).toEqual([{ orderno: 2 }]);
  expect(await rowsOf("select $1 as a, $2::int as b", "x", null)).toEqual([{ a: "x", b: null }]);
});

test("a result is limited by rows and size", async () => {
  const few = await run("select n from generate_series(1, 20) n order by n desc", { limit: 3 });
  expect(few.body.data).toMatchObject({
    rows: [{ n: 20 }, { n: 19 }, { n: 18 }],
    rowCount: 3,
    truncated: true,
  });
  const all = await run("select n from generate_series(1, 3) n", { limit: 3 });
  expect(all.body.data).toMatchObject({ rowCount: 3, truncated: false });
  const usual = await run("select n from generate_series(1, 1001) n");
  expect(usual.body.data).toMatchObject({ rowCount: 1_000, truncated: true });
  const most = await run("select n from generate_series(1, 10001) n", { limit: 10_000 });
  expect(most.body.data).toMatchObject({ rowCount: 10_000, truncated: true });
  for (const limit of [0, 10_001, 1.5]) {
    expect((await run("select 1", { limit })).status).toBe(422);
  }
});

test("truncates large results, even at the first row", async () => {
  const caller = systemCaller({ workspace: world.home, environment: "production" }, cause);
  const ask = (sql: string) => runQuery(world.kernel, caller, { sql, timeoutMs: 30_000 });
  const MEBIBYTE = "(select string_agg('0123456789abcdef', '') from generate_series(1, 65536))";
  const large = await ask(`select n, ${MEBIBYTE} as text from generate_series(1, 17) n`);
  expect([large.rowCount, large.truncated]).toEqual([3, true]);
  expect(large.rows.map((row) => (row as { n: number }).n)).toEqual(
    Array.from({ length: 3 }, (_, n) => n + 1),
  );
  const one = await ask(`select string_agg(${MEBIBYTE}, '') from generate_series(1, 17)`);
  expect([one.rows, one.rowCount, one.truncated]).toEqual([[], 0, true]);
});

test("a query with an error is sent only once", async () => {
  const { slug } = await createFilledTable(
    world,
    owner,
    { columns: [{ name: "a", type: "integer" }] },
    [{ a: 1 }],
  );
  const asked = vi.spyOn(world.kernel.db.sql, "run");
  expect((await run(`select a from ${slug}`)).body.data.rows).toEqual([{ a: 1 }]);
  expect(await run(`select aa from ${slug}`)).toMatchObject({ status: 422 });
  expect(asked).toHaveBeenCalledTimes(2);
  asked.mockRestore();
});

test("PostgreSQL errors are returned with their position, and without internal names", async () => {
  const { slug } = orders;
  const faults: readonly (readonly [string, string, number?])[] = [
    [`select amount /\n (orderno - 3) from ${slug}`, "division by zero"],
    [`select 1,\n  é from ${slug}`, 'line 2, column 3: column "é" does not exist', 12],
    [
      "; select '🦉', 'x'::int",
      'line 1, column 15: invalid input syntax for type integer: "x"',
      14,
    ],
    [
      "select lower(1)",
      "line 1, column 8: function lower(integer) does not exist " +
        "(No function matches the given name and argument types. You might need to add explicit type casts.)",
      7,
    ],
    [
      `select (select orderno from ${slug})`,
      "more than one row returned by a subquery used as an expression",
    ],
    [
      `select sum(amount), orderno from ${slug}`,
      expect.stringContaining("must appear in the GROUP BY"),
      20,
    ],
  ];
  for (const [sql, message, position] of faults) {
    const { status, body } = await run(sql);
    expect([status, body.code, body.errors]).toEqual([
      422,
      "query_failed",
      [{ path: "/sql", message, ...(position !== undefined && { position }) }],
    ]);
    expect(JSON.stringify(body)).not.toMatch(/tables_p_|millrace_r/);
  }
  const late = await run("select count(*) from generate_series(1, 100000000000)", {
    timeoutMs: 100,
  });
  expect(late).toMatchObject({ status: 422, body: { code: "query_timed_out" }, events: [] });
  expect((await run("select 1", { timeoutMs: 30_001 })).status).toBe(422);
});

test("a query without tables works if there are no tables yet", async () => {
  const elsewhere = await world.member(["owner"], await world.workspace("empty"));
  const ask = (sql: string, headers: Record<string, string> = {}) =>
    elsewhere("POST /api/v1/queries/run", { sql }, headers);
  expect((await ask("select 6 * 7 as n")).body.data.rows).toEqual([{ n: 42 }]);
  const refused = await ask(`select 1\nfrom ${orders.slug}`);
  expect(refused).toMatchObject({
    status: 422,
    body: {
      code: "query_refused",
      errors: [
        {
          path: "/sql",
          message: `line 2, column 6: the table ${orders.slug} does not exist, or you can't view it`,
          position: 14,
        },
      ],
    },
  });
  // Tables of one environment are not visible in another.
  const staged = await owner(
    "POST /api/v1/queries/run",
    { sql: `select * from ${orders.slug}` },
    { "x-environment": "staging" },
  );
  expect(staged).toMatchObject({ status: 422, body: { code: "query_refused" } });
});

test("a table changed on another node is reloaded", async () => {
  const { slug, place } = await createFilledTable(
    world,
    owner,
    { columns: [{ name: "a", type: "integer" }] },
    [{ a: 1 }],
  );
  expect(await rowsOf(`select a from ${slug}`)).toEqual([{ a: 1 }]);
  // Changes the table like another node, before the log notifies this one.
  await world.sql(`alter table ${place} rename column a to b`);
  await world.sql(
    `update user_tables set columns = jsonb_set(columns, '{0,name}', '"b"'), revision = revision + 1
      where slug = $1`,
    [slug],
  );
  expect(await rowsOf(`select b from ${slug}`)).toEqual([{ b: 1 }]);
});

test("slow queries do not block other workspaces", async () => {
  const { key } = await world.workspace("quiet");
  const leaving = new AbortController();
  const busy = {
    ...systemCaller({ workspace: world.home, environment: "production" }, cause),
    disconnected: leaving.signal,
  };
  let ended = 0;
  const slow = Array.from({ length: 8 }, () =>
    runQuery(world.kernel, busy, {
      sql: "select count(*) from generate_series(1, 100000000000)",
      timeoutMs: 30_000,
    }).finally(() => (ended += 1)),
  );
  const all = Promise.allSettled(slow);
  const quiet = systemCaller({ workspace: key, environment: "production" }, cause);
  const { rows } = await runQuery(world.kernel, quiet, { sql: "select 1 as n" });
  expect([rows, ended]).toEqual([[{ n: 1 }], 0]);
  leaving.abort();
  expect((await all).map(({ status }) => status)).toEqual(slow.map(() => "rejected"));
});

test("number columns use the same type regardless of the number of digits", async () => {
  const rows = (await rowsOf(`
    select x::numeric / 3 as third, 'NaN'::numeric * (x - 1) as odd, x::bigint * 9007199254740993 as big,
           sum(x) over () as total, avg(x) over () as mean
      from (values (0), (1), (3)) v (x)`)) as Record<string, unknown>[];
  for (const name of ["third", "big", "total", "mean"]) {
    expect(rows.map((row) => typeof row[name])).toEqual(["number", "number", "number"]);
  }
  // JSON has no number for these.
  expect(rows.map((row) => row["odd"])).toEqual([null, null, null]);
  expect(await rowsOf("select (1::numeric / 3)::text as exact")).toEqual([
    { exact: "0.33333333333333333333" },
  ]);
});
