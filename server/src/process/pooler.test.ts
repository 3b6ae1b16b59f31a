import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { type Receiver, startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { roleNames } from "#kernel/db/setup/roles.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { until } from "#kernel/testing/world.ts";
import { useServerDatabase } from "./testing/server-database.ts";
import { startTransactionPooler, type TransactionPooler } from "./testing/transaction-pooler.ts";
import { type Ask, asker, launch, logIn, type Product, useProducts } from "./testing/product.ts";

const RECORDS = tries(12, 30);
/** The number of repetitions of the same user SQL. */
const TURNS = tries(2, 4);
/** For a busy machine. */
const WORK_LIMIT_MS = 50_000;
const HERE = { "x-workspace": "default" };

// First, so that these end after the products: hooks run in reverse.
const database = useServerDatabase();
let receiver: Receiver;
let pooler: TransactionPooler;
beforeEach(async () => {
  receiver = await startReceiver();
  receiver.answer = (_received, response) => void response.end();
  const { host = "", port = 5432 } = inject("database").owner;
  const folder = host.startsWith("/");
  pooler = await startTransactionPooler(
    folder ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
  );
});
afterEach(async () => {
  await pooler.close();
  await receiver[Symbol.asyncDispose]();
});

useProducts();

test("everything works through a pooler that assigns each transaction to another server connection", async () => {
  const env = { ...database.env, ...receiver.env, MILLRACE_DATABASE_POOLER: await poolerUrl() };
  const api = launch({ ...env, MILLRACE_ROLE: "api" });
  const worker = launch({ ...env, MILLRACE_ROLE: "worker" });
  const [address] = await Promise.all([api.ready, worker.ready]);
  const ask = asker(address, await logIn(address));
  await assertWhole(ask);

  // Each process listens on a direct connection; all other connections use the pooler.
  const { app, system, sql } = roleNames(await databaseName());
  const listening = await database.rows(
    "select usename, query from pg_stat_activity where query like 'listen %' and datname = current_database()",
  );
  expect(listening).toEqual([system, system].map((usename) => ({ usename, query: LISTEN })));
  const logins = await database.rows(
    "select usename, count(*)::int as n from pg_stat_activity where usename = any($1) group by 1",
    [[app, sql]],
  );
  for (const { n } of logins) expect(n).toBeLessThanOrEqual(3);
  expect(pooler.traffic.moves).toBeGreaterThan(RECORDS);
  for (const product of [api, worker]) expect(complaintsOf(product)).toEqual([]);
});

test("works even if DATABASE_URL uses a pooler, without immediate notifications, and reports it", async () => {
  const product = launch({
    ...database.env,
    ...receiver.env,
    DATABASE_URL: await poolerUrl("owner"),
  });
  const address = await product.ready;
  await assertWhole(asker(address, await logIn(address)));
  expect(pooler.traffic.moves).toBeGreaterThan(RECORDS);
  expect(complaintsOf(product)).toHaveLength(1);
  expect(complaintsOf(product)[0]).toContain("MILLRACE_DATABASE_POOLER");
});

const LISTEN = "listen millrace_log";

/** Records, user SQL, a table change, a webhook and a run: each has its effects once. */
async function assertWhole(ask: Ask): Promise<void> {
  await expectStatus(201, ask("POST /api/v1/tables", TABLE, HERE));
  const hook = { name: "all", url: receiver.url, events: ["record.created"] };
  await expectStatus(201, ask("POST /api/v1/webhooks", hook, HERE));
  const path = "/api/v1/tables/orders/records";
  // Concurrent and of one kind, so that every statement would be named.
  const makings = Array.from({ length: RECORDS }, (_, n) =>
    ask(`POST ${path}`, { title: `order ${n}` }, { ...HERE, "idempotency-key": `order-${n}` }),
  );
  const made = (await Promise.all(makings)).map(({ status, body }) => {
    expect(status, JSON.stringify(body)).toBe(201);
    return body.data.id as string;
  });
  const again = await ask(
    `POST ${path}`,
    { title: "order 0" },
    { ...HERE, "idempotency-key": "order-0" },
  );
  expect([again.status, again.body.data.id]).toEqual([201, made[0]]);
  const grown = { addColumns: [{ name: "note", type: "text" }] };
  await expectStatus(200, ask("PATCH /api/v1/tables/orders", grown, HERE));
  const read = await Promise.all(made.map((id) => ask(`GET ${path}/${id}`, undefined, HERE)));
  expect(read.map(({ body }) => body.data?.title)).toEqual(made.map((_, n) => `order ${n}`));
  // In another environment of the same connection there are no rows.
  const elsewhere = { ...HERE, "x-environment": "staging" };
  await expectStatus(404, ask(`GET ${path}/${made[0]}`, undefined, elsewhere));

  const count = { sql: "select count(*) as n from orders where note is null" };
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { body } = await ask("POST /api/v1/queries/run", count, HERE);
    expect(body.data?.rows, JSON.stringify(body)).toEqual([{ n: RECORDS }]);
  }
  await assertRuns(ask);
  await until(async () => receiver.received.length >= RECORDS, WORK_LIMIT_MS);
  const told = receiver.received.map(({ body }) => body.data.id as string);
  expect(told.toSorted()).toEqual(made.toSorted());
}

async function assertRuns(ask: Ask): Promise<void> {
  const { body } = await ask("POST /api/v1/workflows", GREETING, HERE);
  const published = await ask(`POST /api/v1/workflows/${body.data.id}/publish`, undefined, HERE);
  const url = new URL(published.body.data.trigger?.url ?? published.body.data.url);
  for (const name of ["Ada", "Grace", "Mary"]) {
    const answer = await ask(`POST ${url.pathname}`, { name });
    expect([answer.status, answer.body]).toEqual([200, { text: `Hello ${name}` }]);
  }
}

const TABLE = { name: "Orders", columns: [{ name: "title", type: "text", unique: true }] };
const GREETING = {
  name: "Greet",
  trigger: { type: "webhook" },
  nodes: [
    {
      id: "make",
      type: "set",
      config: { values: { text: "Hello {{ trigger.input.body.name }}" } },
    },
    { id: "answer", type: "respond", config: { body: "{{ steps.make.output }}" } },
  ],
  edges: [{ from: "make", to: "answer" }],
};

async function expectStatus(status: number, answer: ReturnType<Ask>): Promise<void> {
  const { status: found, body } = await answer;
  expect(found, JSON.stringify(body)).toBe(status);
}

async function databaseName(): Promise<string> {
  const [row] = await database.rows("select current_database() as name");
  return row.name;
}

/** The pooler's address, with or without the owner's login. */
async function poolerUrl(as?: "owner"): Promise<string> {
  const { user = "", password = "" } = inject("database").owner;
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(String(password))}@`;
  const name = await databaseName();
  return `postgres://${as === "owner" ? login : ""}127.0.0.1:${pooler.port}/${name}`;
}

/** Log lines above the info level. */
function complaintsOf({ lines }: Product): string[] {
  return lines.filter((line) => /^\{"level":[4-6]/.test(line));
}
