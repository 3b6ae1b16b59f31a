import { createServer, type AddressInfo } from "node:net";
import { expect, inject, test } from "vitest";
import { TEST_CA_PEM } from "#kernel/outbound/testing/server.ts";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startGate } from "../../testing/gate.ts";
import { startUpstream } from "../../testing/upstream.ts";

const { owner: server } = inject("database");
const password = String(server.password ?? "");
const upstream = await useFixture(startUpstream());
const gate = await useFixture(startGate(server));
const world = await useWorld({ env: upstream.env });
const owner = await world.member(["owner"]);
await world.sql("create schema shop; create table shop.items (id int primary key, name text)");
await world.sql("insert into shop.items select n, 'item ' || n from generate_series(1, 20) n");

const ALL = "/api/v1/connectors";

async function made(config: object = {}, auth: object = {}) {
  const { body, status } = await owner(`POST ${ALL}`, {
    name: "Shop",
    type: "postgres",
    config: {
      host: "127.0.0.1",
      port: gate.port,
      database: world.database.app.database,
      sslMode: "disable",
      ...config,
    },
    auth: { kind: "basic", username: server.user ?? "postgres", password, ...auth },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const path = `${ALL}/${body.data.id}`;
  const run = (action: string) => (sql: string, params?: unknown[]) =>
    owner(`POST ${path}/invoke`, { action, input: { sql, ...(params && { params }) } });
  return {
    path,
    query: run("query"),
    execute: run("execute"),
    test: async () => (await owner(`POST ${path}/test`)).body.data,
  };
}

const countItems = async (): Promise<number> =>
  (await world.sql("select count(*)::int as n from shop.items"))[0].n;

test("a query with parameters returns columns and rows as JSON values", async () => {
  const { query, test: tryOut } = await made();
  const answer = await query(
    "select id, name, id > $1 as late from shop.items where id = any($2) order by id",
    [3, [2, 4]],
  );
  expect(answer.events).toEqual(["connector.invoked", "connector.status_changed"]);
  expect(answer.body.data).toEqual({
    columns: ["id", "name", "late"],
    rows: [
      { id: 2, name: "item 2", late: false },
      { id: 4, name: "item 4", late: true },
    ],
    rowCount: 2,
    truncated: false,
  });
  const values = await query(
    `select 9007199254740993::int8 as big, 7::int8 as small, 1.10::numeric as exact, null as nothing,
            '{"a":[1]}'::jsonb as json, array['x','y'] as list, '2026-01-02 03:04:05+00'::timestamptz at time zone 'UTC' as at,
            '\\x0102'::bytea as bytes, 1 as same, 2 as same, $1::jsonb as given, '1 day'::interval as span`,
    [{ k: "v" }],
  );
  expect(values.body.data.rows).toEqual([
    {
      big: "9007199254740993",
      small: 7,
      exact: "1.10",
      nothing: null,
      json: { a: [1] },
      list: ["x", "y"],
      at: "2026-01-02 03:04:05",
      bytes: "\\x0102",
      same: 2,
      given: { k: "v" },
      span: "1 day",
    },
  ]);
  expect(await tryOut()).toMatchObject({ ok: true, status: "up" });
});

test.each([
  "insert into shop.items values (100, 'x')",
  "delete from shop.items",
  "with gone as (delete from shop.items returning *) select * from gone",
  "select 1; delete from shop.items",
  "commit; delete from shop.items",
  "create table shop.more ()",
  "do $$ begin commit; delete from shop.items; end $$",
  "select nextval('some_sequence')",
  "set transaction read write",
  "copy shop.items from stdin",
])("%j does not write", async (sql) => {
  const { query } = await made();
  await query(sql);
  await query("delete from shop.items");
  expect(await countItems()).toBe(20);
});

test("a writing statement runs if allowed, completely or not at all", async () => {
  const reading = await made();
  expect((await reading.execute("delete from shop.items")).body.code).toBe("unknown_action");
  const { execute, query } = await made({ allowWrites: true });
  const done = await execute("insert into shop.items values ($1, $2), ($3, $4) returning id", [
    101,
    "a",
    102,
    "b",
  ]);
  expect(done.body.data).toEqual({
    columns: ["id"],
    rows: [{ id: 101 }, { id: 102 }],
    rowCount: 2,
    truncated: false,
  });
  const failed = await execute("insert into shop.items values (103, 'c'), (101, 'again')");
  expect(failed.body).toMatchObject({ status: 502, upstreamCode: "23505", upstreamStatus: null });
  expect((await execute("delete from shop.items where id > 100")).body.data).toEqual({
    columns: [],
    rows: [],
    rowCount: 2,
    truncated: false,
  });
  expect(await countItems()).toBe(20);
  // Session settings of one call do not affect the next one.
  await execute("set search_path to shop");
  await execute("prepare leftover as select 1");
  expect((await query("select count(*) from items")).body.upstreamCode).toBe("42P01");
  expect((await query("select count(*) as n from pg_prepared_statements")).body.data.rows).toEqual([
    { n: 0 },
  ]);
});

test("rows and bytes have limits", async () => {
  const { query } = await made({ maxRows: 3 });
  const { data } = (await query("select n from generate_series(1, 100000) n")).body;
  expect(data).toMatchObject({
    rowCount: 3,
    truncated: true,
    rows: [{ n: 1 }, { n: 2 }, { n: 3 }],
  });
  const exact = (await query("select n from generate_series(1, 3) n")).body.data;
  expect(exact).toMatchObject({ rowCount: 3, truncated: false });
  const wide = await made({ maxRows: 10_000 });
  expect((await wide.query("select repeat('x', 2000000)")).body).toMatchObject({
    code: "upstream_failed",
    detail: "The response is larger than 1 MiB.",
  });
  expect((await wide.query("select 1 as one")).body.data.rows).toEqual([{ one: 1 }]);
});

test("a slow statement is cancelled, here and on the server", async () => {
  const { query } = await made({ timeoutMs: 300 });
  expect(await query("select pg_sleep(60) /* too long */")).toMatchObject({
    status: 504,
    body: { code: "upstream_timed_out" },
  });
  await until(async () => {
    const rows = await world.sql(
      "select 1 from pg_stat_activity where query like '%/* too long */' and state = 'active'",
    );
    return rows.length === 0;
  });
});

test("connections are reused within the limit, and replaced when they break", async () => {
  const { query } = await made({ maxConnections: 2 });
  const before = gate.connections;
  await Promise.all([1, 2, 3, 4, 5, 6].map((n) => query("select $1::int as n", [n])));
  await query("select 1");
  expect(gate.connections - before).toBeLessThanOrEqual(2);
  gate.cut();
  // The pool or the next call detects the broken connection.
  await until(async () => (await query("select 1")).status === 200);
});

test("database errors are returned with their code and without the password", async () => {
  const { query } = await made({}, { password: "planted-db-pass-71" });
  const refused = await query("select 1");
  if (password !== "") {
    expect(refused.body).toMatchObject({ code: "upstream_failed", upstreamCode: "28P01" });
  }
  expect(JSON.stringify(refused.body)).not.toContain("planted");
  const { query: sound, path } = await made();
  expect((await sound("selec 1")).body).toMatchObject({
    detail: 'The database returned an error: syntax error at or near "selec"',
    upstreamCode: "42601",
  });
  // An error response means that the server is up.
  expect((await owner(`GET ${path}`)).body.data.status).toBe("up");
  const none = await made({ database: "no_such_database" });
  expect((await none.query("select 1")).body.upstreamCode).toBe("3D000");
  expect(await none.test()).toMatchObject({ ok: false, status: "down" });
  const gone = await made({ port: 9, retries: 1 });
  expect((await gone.query("select 1")).body.detail).toContain("ECONNREFUSED");
});

test("TLS certificates are verified unless configured otherwise", async () => {
  await using secure = await startGate(server, { speaksTls: true });
  const at = { port: secure.port };
  const full = await made({ ...at, sslMode: "verify-full" });
  expect((await full.query("select 1 as one")).body.data.rows).toEqual([{ one: 1 }]);
  const own = await made({ ...at, sslMode: "verify-full", caCertificate: TEST_CA_PEM });
  expect((await own.query("select 1 as one")).status).toBe(200);
  const lax = await made({ ...at, sslMode: "require" });
  expect((await lax.query("select 1 as one")).status).toBe(200);
  // If the server does not support TLS, the client does not fall back to plain text.
  const plain = await made({ sslMode: "require", retries: 0 });
  expect((await plain.query("select 1")).body.code).toBe("upstream_failed");
});

test("disconnects from a server that sends without end", async () => {
  const flood = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    // A message that claims a length of one gigabyte; the driver would buffer all of it.
    const head = Buffer.from([0x52, 0x3f, 0xff, 0xff, 0xff]);
    const chunk = Buffer.alloc(1_048_576);
    socket.write(head);
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", more);
    socket.once("data", more);
  });
  await new Promise<void>((resolve) => flood.listen(0, "127.0.0.1", resolve));
  const { port } = flood.address() as AddressInfo;
  const { query } = await made({ port, timeoutMs: 60_000, retries: 0 });
  // The call fails long before the deadline.
  expect((await query("select 1")).status).toBe(502);
  await new Promise((resolve) => flood.close(resolve));
});
