import { expect, test } from "vitest";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import { createFilledTable } from "#domains/records/testing/records.ts";

/** A viewer sees rows of the blue team and their own rows, and the salary only in their own. */
const world = await useWorld();
const owner = await world.member(["owner"]);
const viewer = await world.member(["viewer"]);
const people = await createFilledTable(
  world,
  owner,
  {
    columns: [
      { name: "name", type: "text" },
      { name: "team", type: "text" },
      { name: "userId", type: "text" },
      { name: "salary", type: "integer" },
      { name: "note", type: "text" },
    ],
    rules: [
      {
        roles: ["viewer"],
        actions: ["read"],
        where: { team: "blue" },
        fields: ["name", "team", "userId"],
      },
      { roles: ["*"], actions: ["read"], where: { userId: "$user.id" } },
    ],
  },
  [
    { name: "Ada", team: "blue", salary: 5, note: "12" },
    { name: "Bob", team: "red", salary: 7, note: "not a number" },
    { name: "Cay", team: "red", userId: viewer.userId, salary: 9, note: "34" },
    { name: "Dan", team: "blue", salary: 0, note: "secret" },
  ],
);

const askedBy = async (ask: Ask, sql: string, params: unknown[] = []): Promise<any> => {
  const { body } = await ask("POST /api/v1/queries/run", { sql, params });
  return body.data?.rows ?? `${body.code}: ${body.detail}`;
};

test("with access rules, callers see only their rows, and only their fields", async () => {
  const sql = `select name, team, salary, note from ${people.slug} order by name`;
  expect(await askedBy(viewer, sql)).toEqual([
    { name: "Ada", team: "blue", salary: null, note: null },
    { name: "Cay", team: "red", salary: 9, note: "34" },
    { name: "Dan", team: "blue", salary: null, note: null },
  ]);
  expect(await askedBy(owner, sql)).toHaveLength(4);
  const builder = await world.member(["builder"]);
  expect(await askedBy(builder, `select count(*) from ${people.slug}`)).toEqual([{ count: 0 }]);
  // A member without read access to a table cannot query it.
  const { slug } = await createFilledTable(
    world,
    owner,
    {
      columns: [{ name: "a", type: "integer" }],
      rules: [{ roles: ["agent"], actions: ["read"] }],
    },
    [{ a: 1 }],
  );
  expect(await askedBy(viewer, `select 1 from ${slug}`)).toMatch(
    /^query_refused: .* the table .* does not exist/,
  );
  expect(await askedBy(owner, `select a from ${slug}`)).toEqual([{ a: 1 }]);
});

test("counts, sorting, groups, searches and errors reveal no hidden data", async () => {
  const { slug } = people;
  const seen: readonly (readonly [string, unknown])[] = [
    [`select count(*), count(salary), sum(salary), max(note) from ${slug}`, [[3, 1, 9, "34"]]],
    [`select name from ${slug} where salary <= 7`, []],
    [`select name from ${slug} where name like 'B%' or team = 'red'`, [["Cay"]]],
    [`select name from ${slug} order by salary nulls last, name`, [["Cay"], ["Ada"], ["Dan"]]],
    [
      `select team, count(*) from ${slug} group by team order by 1`,
      [
        ["blue", 2],
        ["red", 1],
      ],
    ],
    // Each of these would fail on a hidden row or field.
    [
      `select name from ${slug} where 1 / (coalesce(salary, 1) - 7) = 0 order by 1`,
      [["Ada"], ["Cay"], ["Dan"]],
    ],
    [`select name from ${slug} where 1 / (salary - 5) = 0 order by 1`, [["Cay"]]],
    [`select name from ${slug} where 1 / salary < 1 order by 1`, [["Cay"]]],
    [`select name from ${slug} where note::int > 1`, [["Cay"]]],
    [`select sum(note::int) from ${slug}`, [[34]]],
    [
      `select name from ${slug} where 1 / length(replace(name, 'Bob', '')) = 0 order by 1`,
      [["Ada"], ["Cay"], ["Dan"]],
    ],
    [`with x as (select * from ${slug} where note::int = 34) select name from x`, [["Cay"]]],
    [
      `select a.name from ${slug} a join ${slug} b on 1 / (b.salary - 7) = 0 and a.salary = b.salary`,
      [["Cay"]],
    ],
    [`select p.salary, to_jsonb(p) ->> 'note' from ${slug} p where name = 'Ada'`, [[null, null]]],
    [
      `select (select max(x.salary) from ${slug} x where x.team = p.team) from ${slug} p where name = 'Cay'`,
      [[9]],
    ],
  ];
  for (const [sql, rows] of seen) {
    const { body } = await viewer("POST /api/v1/queries/run", { sql, rowMode: "array" });
    expect([sql, body.detail ?? body.data.rows]).toEqual([sql, rows]);
  }
  // The owner sees all rows, and gets the error.
  for (const sql of [
    `select name from ${slug} where 1 / (salary - 7) = 0`,
    `select sum(note::int) from ${slug}`,
  ]) {
    expect(await askedBy(owner, sql)).toMatch(/^query_failed/);
  }
});

test("parameters of the query and of the rules do not conflict", async () => {
  const sql = `select name from ${people.slug} where name = any($2) and team <> $1 and salary > $3`;
  expect(await askedBy(viewer, sql, ["blue", ["Ada", "Cay", "Bob"], 1])).toEqual([{ name: "Cay" }]);
  expect(await askedBy(viewer, "select $1 as a", ["x"])).toEqual([{ a: "x" }]);
  const joined = `select a.name from ${people.slug} a join ${people.slug} b using (id) where a.name = $1`;
  expect(await askedBy(viewer, joined, ["Dan"])).toEqual([{ name: "Dan" }]);
});

test("a plan and name completion reveal no more than a query", async () => {
  const sql = `select team, count(*) from ${people.slug} where name > $1 group by team`;
  const explain = async (ask: Ask, body: object) =>
    (await ask("POST /api/v1/queries/explain", { sql, params: ["A"], ...body })).body;
  const whole = await explain(owner, { run: true });
  expect(whole.data.isLimited).toBe(false);
  const scan = whole.data.nodes.find(({ relation }: { relation?: string }) => relation);
  expect(scan).toMatchObject({ relation: people.slug, condition: expect.stringContaining("name") });
  expect(scan.rows).toBeGreaterThan(0);
  expect(JSON.stringify(whole.data)).not.toMatch(/tables_[psd]_|\(answer\)|\(sized\)/);
  const shape = await explain(viewer, { run: true });
  expect(shape.data).toMatchObject({ isLimited: true, truncated: false });
  expect(new Set(shape.data.nodes.flatMap((node: object) => Object.keys(node)))).toEqual(
    new Set(["id", "parent", "type", "relation"]),
  );
  expect(
    await explain(owner, { sql: "select nope from generate_series(1, 2) as n", params: [] }),
  ).toMatchObject({
    code: "query_failed",
    errors: [{ path: "/sql", position: 7 }],
  });
  expect(await explain(viewer, { sql: "delete from x", params: [] })).toMatchObject({
    code: "query_refused",
  });
  const schemaOf = async (ask: Ask) => (await ask("GET /api/v1/queries/schema")).body.data;
  const { relations, functions } = await schemaOf(viewer);
  expect(functions).toContain("date_trunc");
  for (const { name, columns } of relations as { name: string; columns: { name: string }[] }[]) {
    const list = columns.map((column) => `"${column.name}"`).join(", ");
    expect(await askedBy(viewer, `select ${list} from "${name}" limit 0`)).toEqual([]);
  }
  expect(relations.length).toBeLessThanOrEqual((await schemaOf(owner)).relations.length);
});

test("cancels a query after its client disconnected", async () => {
  const address = await world.app.listen({ port: 0, host: "127.0.0.1" });
  const isRunning = async () => {
    const rows = await world.sql(
      "select from pg_stat_activity where datname = current_database() and state = 'active' and query ~ 'left alone'",
    );
    return rows.length === 2;
  };
  const leaving = new AbortController();
  const answer = fetch(`${address}/api/v1/queries/run`, {
    method: "POST",
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${viewer.token}`,
      "x-workspace": "default",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      sql: 'select count(*) as "left alone" from generate_series(1, 100000000000)',
      timeoutMs: 30_000,
    }),
  });
  // The test's own monitoring query is the second.
  await until(isRunning);
  leaving.abort();
  await expect(answer).rejects.toThrow("aborted");
  await until(async () => !(await isRunning()));
  expect(await askedBy(viewer, "select 1 as n")).toEqual([{ n: 1 }]);
});

test("SQL cannot read tables without the permission to read records", async () => {
  const { slug } = await createFilledTable(
    world,
    owner,
    { columns: [{ name: "amount", type: "integer" }] },
    [{ amount: 7 }],
  );
  const roleWith = async (permissions: string[]) => {
    const { body } = await owner("POST /api/v1/settings/roles", {
      name: permissions.join(" "),
      permissions,
    });
    return world.member([body.data.id]);
  };
  const asker = await roleWith(["queries:run"]);
  const reader = await roleWith(["queries:run", "records:read"]);
  const sql = `select amount from ${slug}`;
  expect(await askedBy(reader, sql)).toEqual([{ amount: 7 }]);
  expect(await askedBy(asker, sql)).toContain(
    `the table ${slug} does not exist, or you can't view it`,
  );
  expect(await askedBy(asker, "select 1 as one")).toEqual([{ one: 1 }]);
  const named = async (ask: Ask) =>
    (await ask("GET /api/v1/queries/schema")).body.data.relations.map(({ name }: any) => name);
  expect(await named(reader)).toContain(slug);
  expect(await named(asker)).not.toContain(slug);
});
