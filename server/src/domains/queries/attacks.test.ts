import { loadModule } from "libpg-query";
import pg from "pg";
import { expect, test } from "vitest";
import { ownerOf, readerOf, schemaOf, SQL_CONNECTIONS_MAX } from "#kernel/db/sql-runner.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { inspectStatement } from "./guard/guard.ts";
import { FUNCTIONS, NAMED_BY_ALIAS } from "./guard/functions.ts";
import { ATTACKS, ENDLESS } from "./testing/attacks.ts";

const columns = [
  { name: "name", type: "text" },
  { name: "amount", type: "integer" },
];

await loadModule();
const world = await useWorld();
const owner = await world.member(["owner"]);
const schema: string = schemaOf({ workspace: world.home, environment: "production" });
await owner("POST /api/v1/tables", { name: "Orders", slug: "orders", columns });
for (const amount of [1, 5]) {
  await owner("POST /api/v1/tables/orders/records", { name: `n${amount}`, amount });
}

const run = (sql: string, more: object = {}) => owner("POST /api/v1/queries/run", { sql, ...more });

/** Everything in the database that a statement might change. */
async function stateOfDatabase(): Promise<unknown> {
  const relations = await world.sql(
    `select format('%I.%I', n.nspname, c.relname) as name, c.relkind as kind, c.relacl::text as acl
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname !~ '^pg_toast' and (n.nspname !~ '^pg_' or n.nspname ~ '^pg_temp')
        and n.nspname <> 'information_schema' order by 1`,
  );
  const contents: unknown[] = [];
  for (const { name, kind } of relations) {
    if (kind !== "r" || name.startsWith("pg_temp")) continue;
    // Session usage is saved asynchronously.
    const text = name === "public.sessions" ? "(to_jsonb(t) - 'last_used_at')::text" : "t::text";
    const [row] = await world.sql(
      `select count(*)::int as n, md5(string_agg(${text}, '' order by ${text})) as sum from ${name} t`,
    );
    contents.push([name, row]);
  }
  const reader = readerOf({ workspace: world.home, environment: "production" });
  const others = await world.sql(
    `select (select count(*)::int from pg_largeobject_metadata) as objects,
            (select array_agg(extname::text order by 1) from pg_extension) as extensions,
            (select array_agg(proname::text order by 1) from pg_proc where pronamespace = 'public'::regnamespace) as functions,
            (select jsonb_agg(to_jsonb(r) - 'oid' order by rolname) from pg_roles r where rolname in ($1, $2, $3)) as roles,
            (select count(*)::int from pg_auth_members where member = $1::text::regrole) as memberships`,
    [
      reader,
      ownerOf({ workspace: world.home, environment: "production" }),
      world.database.sql.user,
    ],
  );
  return { relations, contents, others };
}

/** The state of each pool connection that could leak into the next query, as PostgreSQL reports it. */
async function stateOfPool(): Promise<unknown> {
  const text = `
    select (select jsonb_object_agg(name, setting)::text from pg_settings where name <> 'transaction_timeout'),
           (select count(*)::text from pg_prepared_statements where name <> ''),
           (select count(*)::text from pg_cursors where name <> ''),
           (select count(*)::text from pg_listening_channels()),
           (select count(*)::text from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'),
           pg_my_temp_schema()::int::text, current_user::text, session_user::text`;
  const question = { partition: undefined, text, values: [], timeoutMs: 10_000 };
  const states = await Promise.all(
    Array.from({ length: SQL_CONNECTIONS_MAX }, () => world.kernel.db.sql.run(question)),
  );
  return states.map(({ rows }) => rows[0]);
}

test("rejects every attack before it reaches the database, without side effects", async () => {
  expect(new Set(ATTACKS).size).toBeGreaterThanOrEqual(60);
  const [database, pool] = [await stateOfDatabase(), await stateOfPool()];
  const place = { workspace: world.home, environment: "production" } as const;
  const texts = ATTACKS.map((attack) =>
    attack.replaceAll("$schema", schema).replaceAll("$owner", ownerOf(place)),
  );
  const passed: string[] = [];
  for (let from = 0; from < texts.length; from += 16) {
    const some = texts.slice(from, from + 16);
    for (const [at, { status, body, events }] of (
      await Promise.all(some.map((sql) => run(sql)))
    ).entries()) {
      const isRefused = status === 422 && body.code === "query_refused";
      // If the name is visible elsewhere in the statement, PostgreSQL reports the missing table.
      const isUnknown =
        body.code === "query_failed" && /relation "b" does not exist/.test(body.detail);
      if (!isRefused && !isUnknown) passed.push(`${some[at]}: ${status} ${body.code}`);
      expect(events).toEqual([]);
      expect(JSON.stringify(body.errors)).not.toMatch(/millrace_[a-z]*_|root:/);
    }
  }
  expect(passed).toEqual([]);
  expect(await stateOfDatabase()).toEqual(database);
  expect(await stateOfPool()).toEqual(pool);
  const { body } = await run("select name from orders order by 1");
  expect(body.data.rows).toEqual([{ name: "n1" }, { name: "n5" }]);
});

test("cancels endless statements, and the connection serves the next query", async () => {
  const [database, pool] = [await stateOfDatabase(), await stateOfPool()];
  const answers = await Promise.all(ENDLESS.map((sql) => run(sql, { timeoutMs: 300 })));
  expect(answers.map(({ body }) => body.code)).toEqual(ENDLESS.map(() => "query_timed_out"));
  expect(await stateOfDatabase()).toEqual(database);
  expect(await stateOfPool()).toEqual(pool);
});

test("rejects malformed statement texts for the right reason", async () => {
  const long = [
    `select '${"x".repeat(1_000_000)}'`,
    `select ${"(".repeat(24_000)}1${")".repeat(24_000)}`,
    `select 1${"+1".repeat(24_000)}`,
    `select ${"(select ".repeat(5_000)}1${")".repeat(5_000)}`,
    `select 1 where 1 in (${"1,".repeat(24_900)}1)${" or true".repeat(1_000)}`,
    "select 1\u0000",
    "select '\ud800'",
    "",
    "   ",
  ];
  for (const sql of long) {
    expect(await run(sql)).toMatchObject({
      status: expect.toSatisfy((n) => [413, 422].includes(n)),
    });
  }
  // Long, but otherwise valid.
  const list = await run(`select count(*) from orders where amount in (${"1,".repeat(20_000)}5)`);
  expect(list.body.data.rows).toEqual([{ count: 2 }]);
});

test("values are never interpreted as SQL", async () => {
  const words = [
    "'; drop table orders; --",
    "$1",
    "\\'",
    "') or true --",
    "x' || pg_sleep(9) || '",
  ];
  for (const word of words) {
    const { body } = await run("select $1 as a, count(*) from orders where name = $1", {
      params: [word],
    });
    expect(body.data.rows).toEqual([{ a: word, count: 0 }]);
  }
  const refused = [
    ["select $0", []],
    ["select $2", ["a"]],
    ["select $1", []],
    ["select $99999", ["a"]],
    ["select 1", ["a"]],
    ["select $2", ["a", "b"]],
    ["select $1::regclass", ["users"]],
  ] as const;
  for (const [sql, params] of refused) {
    expect(await run(sql, { params })).toMatchObject({
      status: 422,
      body: { code: "query_refused" },
    });
  }
});

test("rejects every function that is not allowed, and allowed ones have no side effects", async () => {
  const all = await world.sql(
    `select distinct proname as name from pg_proc where pronamespace = 'pg_catalog'::regnamespace`,
  );
  expect(all.length).toBeGreaterThan(2_000);
  const passed = all.filter(
    ({ name }) => !("errors" in inspectStatement(`select pg_catalog."${name}"()`, "read")),
  );
  const known = new Set(all.map(({ name }) => name as string));
  expect(new Set(passed.map(({ name }) => name))).toEqual(FUNCTIONS.intersection(known));
  const listed = [...FUNCTIONS];
  const unsteady = await world.sql(
    `select distinct proname as name from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and provolatile = 'v' and proname = any($1)
      order by 1`,
    [listed],
  );
  expect(unsteady.map(({ name }) => name)).toEqual([
    "clock_timestamp",
    "gen_random_uuid",
    "random",
  ]);
  // For these functions, the alias is not the name of the column; see `NAMED_BY_ALIAS`.
  const named = await world.sql(
    `select distinct proname as name from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and proname = any($1)
        and prorettype <> 'record'::regtype and proargmodes && array['o', 't', 'b']::"char"[]`,
    [listed],
  );
  expect(named.map(({ name }) => name).filter((name) => NAMED_BY_ALIAS.has(name))).toEqual([]);
  const relations = await world.sql(
    `select relname as name from pg_class
      where relnamespace = 'pg_catalog'::regnamespace and relname !~ '^pg_'`,
  );
  expect(relations).toEqual([]);
});

test("without the guard, the role could still read only its own schema", async () => {
  const neighbour = await world.workspace("next-door");
  const other = await world.member(["owner"], neighbour);
  await other("POST /api/v1/tables", { name: "Theirs", slug: "theirs", columns });
  const theirs = schemaOf({ workspace: neighbour.key, environment: "production" });
  const own = { workspace: world.home, environment: "production" } as const;
  // A copied database does not keep the revoked privileges of `prepareDatabase`.
  await world.sql(`revoke temporary on database "${world.database.sql.database}" from public`);
  const client = new pg.Client(world.database.sql);
  await client.connect();
  const outcome = async (text: string): Promise<string> => {
    await client.query("begin");
    try {
      return String((await client.query(text)).rowCount);
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await client.query("rollback");
    }
  };
  const DENIED = "42501";
  try {
    // The role itself can read nothing.
    expect(await outcome(`select * from "${schema}"."orders"`)).toBe(DENIED);
    await client.query(`set role "${readerOf(own)}"`);
    // Not even if it talked itself out of reading only.
    await client.query("set default_transaction_read_only = off");
    expect(await outcome(`select * from "${schema}"."orders"`)).toBe("2");
    for (const text of [
      `select * from "${theirs}"."theirs"`,
      "select * from public.users",
      "select * from public.secrets",
      "select * from public.user_tables",
      "select * from public.events",
      `insert into "${schema}"."orders" (name) values ('x')`,
      `update "${schema}"."orders" set name = 'x'`,
      `delete from "${schema}"."orders"`,
      `truncate "${schema}"."orders"`,
      `drop table "${schema}"."orders"`,
      `create table "${schema}"."mine" (a int)`,
      "create table public.mine (a int)",
      "create temp table mine (a int)",
      "create schema mine",
      `set role "${ownerOf(own)}"`,
      "set role millrace_app",
      "set session authorization postgres",
      "select pg_read_file('/etc/passwd')",
      "copy (select 1) to program 'id'",
      "select * from pg_authid",
      "select public.make_user_schema()",
      "set temp_file_limit = '-1'",
      "create extension dblink",
    ]) {
      expect([text, await outcome(text)]).toEqual([text, expect.toSatisfy(isDenied)]);
    }
    // Access to another workspace's schema is prevented by the guard, and because the server sets the role.
    expect(await outcome(`set role "${readerOf({ ...own, workspace: neighbour.key })}"`)).toBe(
      "null",
    );
    expect(await outcome("select * from pg_class limit 1")).toBe("1");
  } finally {
    await client.end();
  }
});

/** Permission denied; for a role, also that it does not exist or cannot be set. */
function isDenied(code: string): boolean {
  return ["42501", "22023"].includes(code);
}

test("without the guard, no session state would remain after the query", async () => {
  const before = await stateOfPool();
  const partition = { workspace: world.home, environment: "production" } as const;
  const ask = (text: string) =>
    world.kernel.db.sql.run({ partition, text, values: [], timeoutMs: 5_000 });
  await ask("select pg_advisory_lock(42), set_config('search_path', 'public', false)");
  await ask("listen news");
  await expect(ask("select 1; select 2")).rejects.toMatchObject({ code: "42601" });
  await expect(ask("commit")).resolves.toBeDefined();
  await ask("set session statement_timeout = 0").catch(() => undefined);
  await ask("prepare left_over as select 1");
  // Servers before PostgreSQL 16 do not treat this as a write; it is rolled back anyway.
  await ask("select lo_create(0)").catch(() => undefined);
  expect(await world.sql("select from pg_largeobject_metadata")).toEqual([]);
  expect(await stateOfPool()).toEqual(before);
});
