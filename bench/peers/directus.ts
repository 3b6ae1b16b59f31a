/** Directus: tables over HTTP, with an activity log and revisions of every change. */
import { join } from "node:path";
import { changesOf, newRecords, readsOf } from "../src/request.ts";
import { PAGE, RECORDS, type RecordTargets, STATUS } from "./ours.ts";
import type { Peer, Running, Work } from "./peer.ts";
import { type Connection, query } from "./postgres.ts";

const VERSION = "12.4.0";
const TOKEN = "a-static-token-for-the-benchmark";
const HEADERS = { authorization: `Bearer ${TOKEN}` };
const ITEMS = "/items/orders";

const field = (name: string, type: string, meta: object = {}, schema: object = {}) => ({
  field: name,
  type,
  meta,
  schema,
});
/** The columns of our table, and in the last three the equivalent features of Directus. */
const COLLECTION = {
  collection: "orders",
  schema: {},
  meta: {},
  fields: [
    field("id", "integer", { hidden: true }, { is_primary_key: true, has_auto_increment: true }),
    field("number", "string", { required: true }, { is_nullable: false }),
    field("status", "string"),
    field("price", "decimal", {}, { numeric_precision: 12, numeric_scale: 2 }),
    field("quantity", "integer"),
    field("note", "text"),
    field("date_created", "timestamp", { special: ["date-created"] }),
    field("date_updated", "timestamp", { special: ["date-updated"] }),
    field("user_created", "string", { special: ["user-created"] }),
  ],
};
const SEED = `
  insert into orders (number, status, price, quantity, note, date_created, date_updated)
  select 'ORD-' || n,
         case when n % 100 = 0 then 'returned' else (array['open', 'paid', 'sent'])[1 + n % 3] end,
         (n % 10000)::numeric / 100, n % 50, 'All is well.', at, at
    from generate_series(1, $1::int) as n
   cross join lateral (select timestamptz '2026-01-01' + n * interval '1 second' as at) as time`;

/** A collection with as many items as our table has records. */
export const directus: Peer = {
  name: "directus",
  title: `Directus ${VERSION}`,
  // Its pinned isolated-vm must be compiled and does not support Node 24; this one has binaries. Only flows with
  // scripts and sandboxed extensions use it.
  pin: { name: "directus", version: VERSION, overrides: { "isolated-vm": "6.1.2" } },
  notes: [
    "static admin token, no cache, no limiters, raw log; activity and revisions on, as it comes",
  ],
  async setUp(stage, folder) {
    const connection = await stage.postgres.create("peers_directus");
    const cwd = await stage.makeFolder("directus");
    const env = environment(connection, cwd);
    const program = join(folder, "node_modules/directus/cli.js");
    await stage.run({ file: process.execPath, args: [program, "bootstrap"], env, cwd });
    const start = async (records: RecordTargets): Promise<Running> => {
      const args = [program, "start"];
      const child = await stage.start({ args, env, readyPath: "/server/ping", cwd });
      await makeCollection(child.port);
      await query(connection, SEED, [RECORDS]);
      await query(connection, "create index orders_status on orders (status, id)");
      await query(connection, "vacuum analyze orders");
      return { ...child, work: workOf(child.port, records) };
    };
    return async (ours) => {
      const records = await ours.records();
      return [{ name: "", start: () => start(records) }];
    };
  },
};

function workOf(port: number, ours: RecordTargets): readonly Work[] {
  const to = (next: () => string) => ({ port, status: 200, next });
  const paths = Array.from({ length: 1_000 }, (_, at) => `${ITEMS}/${(at + 1) * 10}`);
  const filter = encodeURIComponent(JSON.stringify({ status: { _eq: STATUS } }));
  const list = `${ITEMS}?filter=${filter}&limit=${PAGE}&sort=-id`;
  return [
    { name: "record by id", peer: to(readsOf(paths, HEADERS)), ours: ours.read },
    { name: "list of 50", peer: to(readsOf([list], HEADERS)), ours: ours.list },
    { name: "create", peer: to(newRecords(ITEMS, HEADERS)), ours: ours.create },
    { name: "update", peer: to(changesOf(paths, HEADERS)), ours: ours.update },
  ];
}

function environment(connection: Connection, home: string): Record<string, string> {
  return {
    HOME: home,
    NODE_ENV: "production",
    KEY: "a-key-for-the-benchmark",
    SECRET: "a-secret-for-the-benchmark-that-is-long-enough",
    ADMIN_EMAIL: "admin@example.com",
    ADMIN_PASSWORD: "a password for the benchmark",
    ADMIN_TOKEN: TOKEN,
    DB_CLIENT: "pg",
    DB_HOST: connection.host,
    DB_PORT: String(connection.port),
    DB_DATABASE: connection.database,
    DB_USER: connection.user,
    DB_PASSWORD: connection.password,
    CACHE_ENABLED: "false",
    RATE_LIMITER_ENABLED: "false",
    // It would reject requests while its event loop is busy, as in this benchmark.
    PRESSURE_LIMITER_ENABLED: "false",
    TELEMETRY: "false",
    LOG_STYLE: "raw",
  };
}

async function makeCollection(port: number): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/collections`, {
    method: "POST",
    headers: { ...HEADERS, "content-type": "application/json" },
    body: JSON.stringify(COLLECTION),
  });
  if (!reply.ok) throw new Error(`Directus made no collection: ${await reply.text()}`);
}
