import { expect, inject, test, vi } from "vitest";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { startMysqlServer } from "../../testing/mysql-server.ts";

/** `npm run proof -- databases` provides a real server instead of the fixture. */
const real = URL.parse(process.env["MILLRACE_TEST_MYSQL"] ?? "");
const world = await useWorld({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" } });
const server = await useFixture(
  startMysqlServer({ ...inject("database").owner, database: world.database.app.database }),
);
const owner = await world.member(["owner"]);
const ALL = "/api/v1/connectors";

async function made(config: object = {}, auth: object = {}) {
  const { body, status } = await owner(`POST ${ALL}`, {
    name: "Shop",
    type: "mysql",
    config: {
      host: "127.0.0.1",
      port: Number(real?.port ?? server.port),
      database: "shop",
      sslMode: "disable",
      ...config,
    },
    auth: {
      kind: "basic",
      username: real?.username ?? server.user,
      password: real?.password ?? server.password,
      ...auth,
    },
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

const writer = await made({ allowWrites: true });
await writer.execute("drop table if exists shop_items");
await writer.execute(
  "create table shop_items (id int primary key, name varchar(50), price double precision)",
);

test("a statement with parameters writes, and a query returns columns and rows as JSON values", async () => {
  const added = await writer.execute("insert into shop_items values (?, ?, ?), (?, ?, ?)", [
    1,
    "Straße 🚲",
    1.5,
    2,
    null,
    2.25,
  ]);
  expect(added.status).toBe(200);
  expect(added.events).toEqual(["connector.invoked"]);
  expect(added.body.data).toMatchObject({ columns: [], rows: [], rowCount: 2, truncated: false });
  const { query, test: tryOut } = await made();
  const answer = await query(
    "select id, name, price from shop_items where id <= ? order by id limit ?",
    [5, 10],
  );
  expect(answer.body.data).toEqual({
    columns: ["id", "name", "price"],
    rows: [
      { id: 1, name: "Straße 🚲", price: 1.5 },
      { id: 2, name: null, price: 2.25 },
    ],
    rowCount: 2,
    truncated: false,
  });
  expect(await tryOut()).toMatchObject({ ok: true, status: "up" });
});

test.each([
  "insert into shop_items values (9, 'x', 1)",
  "delete from shop_items",
  "update shop_items set name = 'x'",
  "create table shop_more (id int)",
  "select 1; delete from shop_items",
])("%j does not write", async (sql) => {
  const { query } = await made();
  expect((await query(sql)).status).toBe(502);
  const { body } = await query("select count(*) as n from shop_items");
  expect(Number(body.data.rows[0].n)).toBe(2);
});

test("rows and bytes are limited, a statement has a timeout, and the next call uses another connection", async () => {
  const { query, execute } = await made({ maxRows: 1, timeoutMs: 700, retries: 0 });
  expect((await execute("delete from shop_items")).body.code).toBe("unknown_action");
  const cut = await query("select id from shop_items order by id");
  expect(cut.body.data).toMatchObject({ rows: [{ id: 1 }], rowCount: 1, truncated: true });
  const large = await query("select repeat(?, 1200000) as text", ["x"]);
  expect(large.body.detail).toContain("larger than 1 MiB");
  const slow = await query(real ? "select sleep(30)" : "select pg_sleep(30)");
  expect(slow.body.code).toBe("upstream_timed_out");
  expect((await query("select id from shop_items where id = 2")).body.data.rowCount).toBe(1);
});

test.skipIf(real)("an unrequested truncated packet closes only its connection", async () => {
  const { query } = await made({ maxConnections: 1, retries: 0 });
  const resets = server.resets;
  await query("select 1");
  await vi.waitFor(() => expect(server.resets).toBeGreaterThan(resets));
  const before = server.connections;
  // An error packet without its number.
  server.sendUnasked(Buffer.from([1, 0, 0, 0, 0xff]));
  await vi.waitFor(async () => {
    expect((await query("select 1")).status).toBe(200);
    expect(server.connections).toBeGreaterThan(before);
  });
});

test("errors do not contain the password, and only permitted addresses are reached", async () => {
  const wrong = await writer.query("select nothing from shop_items");
  expect([wrong.status, wrong.body.code]).toEqual([502, "upstream_failed"]);
  const stranger = await made({ retries: 0 }, { password: "another word" });
  const denied = await stranger.query("select 1");
  expect(denied.body.detail).toContain("Access denied");
  expect(JSON.stringify(denied.body)).not.toContain("another word");
  const refused = await owner(`POST ${ALL}`, {
    name: "Inside",
    type: "mysql",
    config: { host: "10.0.0.1", database: "shop" },
    auth: { kind: "basic", username: "x", password: "y" },
  });
  expect(refused.body.errors.map(({ path }: any) => path)).toEqual([
    "/config/host",
    "/config/host",
  ]);
  // The server has no TLS, so the client does not connect.
  const secure = await made({ sslMode: "require", retries: 0 });
  expect(await secure.test()).toMatchObject({ ok: false });
});
