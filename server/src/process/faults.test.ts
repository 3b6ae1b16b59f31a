import { randomUUID } from "node:crypto";
import { parseConnectionUrl } from "#kernel/db/setup/owner-connection.ts";
import { expect, test } from "vitest";
import { until } from "#kernel/testing/world.ts";
import { Proxy, upstreamOf } from "./testing/proxy.ts";
import { useServerDatabase } from "./testing/server-database.ts";
import { launch, logIn, useProducts } from "./testing/product.ts";

const WORK_LIMIT_MS = 50_000;
/** Far below the ten-second timeout for a connection, and long enough for a busy machine. */
const LOOK_MS = 3_000;
const PUBLISH = "/api/v1/events/topics/orders/publish";

// First, so that the database is dropped after the product has ended: hooks run in reverse.
const database = useServerDatabase();
useProducts();

test("a database lost during a commit and a stalled one: no wrong responses, 503 with Retry-After, and automatic recovery", async () => {
  const url = database.env["DATABASE_URL"] ?? "";
  await using proxy = await Proxy.open(() => upstreamOf(parseConnectionUrl(url)));
  // In this role only requests commit.
  const env = { ...database.env, DATABASE_URL: throughPort(url, proxy.port), MILLRACE_ROLE: "api" };
  const address = await launch({ ...env, MILLRACE_DATABASE_POOL: "2" }).ready;
  const token = await logIn(address);
  const unused = await logIn(address);
  const ask = async (path: string, body?: unknown, key?: string, as = token) => {
    const reply = await fetch(address + path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${as}`,
        "x-workspace": "default",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await reply.arrayBuffer();
    return { status: reply.status, headers: reply.headers };
  };
  const read = () => ask("/api/v1/workspaces/default");
  const order = { type: "order.placed", payload: { key: randomUUID() } };

  proxy.commitsToLose = 1;
  const lost = await ask(PUBLISH, order, "order-1");
  expect(lost.status).toBe(503);
  expect(lost.headers.get("retry-after")).toBe("1");
  expect(proxy.commitsToLose).toBe(0);
  // The write was committed: the repetition returns the lost response.
  const again = await ask(PUBLISH, order, "order-1");
  expect(again.status).toBe(201);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  const events = "select count(*)::int as n from events where type = 'order.placed'";
  expect(await database.rows(events)).toEqual([{ n: 1 }]);

  // Both connections are open and in use when it stalls.
  await Promise.all([read(), read(), read(), read()]);
  proxy.weather = "stalled";
  const stuck = [read(), read(), read(), read()];
  await until(async () => (await Promise.race([read(), nothing()]))?.status === 503, WORK_LIMIT_MS);
  const shed = await read();
  expect([shed.status, shed.headers.get("retry-after")]).toEqual([503, "1"]);
  expect((await ask("/readyz")).status).toBe(503);
  expect((await ask("/metrics")).status).toBe(200);
  expect((await ask("/healthz")).status).toBe(200);
  proxy.weather = "calm";
  const late = await Promise.all(stuck);
  expect(late.map(({ status }) => status).filter((status) => status !== 503)).toContain(200);
  await until(async () => (await read()).status === 200, WORK_LIMIT_MS);
  await until(async () => (await ask("/readyz")).status === 200, WORK_LIMIT_MS);

  // Requests that share a token look-up do not each wait for a connection.
  const readAnew = () => ask("/api/v1/workspaces/default", undefined, undefined, unused);
  proxy.weather = "stalled";
  const sharing = [readAnew(), readAnew()];
  const isShed = async () => (await Promise.race([readAnew(), nothing()]))?.status === 503;
  await until(isShed, WORK_LIMIT_MS);
  proxy.weather = "calm";
  await Promise.all(sharing);
  await until(async () => (await readAnew()).status === 200, WORK_LIMIT_MS);
});

test("a stop without a database reports the loss in one line and ends", async () => {
  const url = database.env["DATABASE_URL"] ?? "";
  await using proxy = await Proxy.open(() => upstreamOf(parseConnectionUrl(url)));
  const product = launch({ ...database.env, DATABASE_URL: throughPort(url, proxy.port) });
  await product.ready;
  proxy.weather = "refusing";
  product.child.kill("SIGTERM");
  expect(await product.ended).toBe(1);
  const said = product.lines.filter((line) => line.includes("the shutdown failed"));
  expect(said).toHaveLength(1);
  expect(JSON.parse(said[0] ?? "")).toMatchObject({
    level: 50,
    msg: expect.stringContaining(": "),
  });
  // All lines are log lines: no error was thrown.
  expect(product.lines.filter((line) => /^\s|^\w*Error|^node:|^Node\.js/.test(line))).toEqual([]);
  expect(product.lines.join()).not.toContain("secretKey");
});

/** A timeout for responses that may take long. */
async function nothing(): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

function throughPort(url: string, port: number): string {
  const { user = "", password = "", database: name } = parseConnectionUrl(url);
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(String(password))}`;
  return `postgres://${login}@127.0.0.1:${port}/${name}`;
}
