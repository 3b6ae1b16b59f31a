/**
 * Runs the server commands of docs/guide/backup.md: a database is dumped during writes and restored into another
 * cluster, once with lower transaction ids and once with higher ones, and the product continues there.
 */
import { randomBytes } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, startChild } from "../../../bench/src/child.ts";
import {
  type Receiver,
  startReceiver,
} from "../../../server/src/domains/webhooks/testing/receiver.ts";
import { until } from "../../../server/src/kernel/testing/world.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { type Ask, asker, dataOf, done, FIRST_OWNER, logIn, type Named } from "./client.ts";
import { Cluster } from "./cluster.ts";

const START = join(import.meta.dirname, "../../../server/start.mjs");
const OWNER = "millrace_owner";
const SECRET = { name: "PLANTED", value: "planted 31b" };
const EVENTS_BEFORE = 150;
const EVENTS_AFTER = 30;
const AGE_TRANSACTIONS = 30_000;
const LIMIT_MS = 90_000;

/** `npm run proof -- dump`. Requires the programs of a PostgreSQL server. */
export const dump: Proof = {
  name: "dump",
  usage: "[--bin /usr/lib/postgresql/15/bin]",
  run: async (options) => {
    const bin = binOf(options);
    const lines: string[] = [];
    let held = true;
    for (const ids of ["lower", "higher"] as const) {
      const { faults, said } = await withStage((stage) => trial(stage, bin, ids));
      lines.push(...said, ...faults.map((fault) => `FAULT: ${fault}`));
      held &&= faults.length === 0;
    }
    return { held, lines } satisfies Finding;
  },
};

interface Stage {
  readonly folder: string;
  readonly receiver: Receiver;
  readonly stack: AsyncDisposableStack;
}

async function withStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-dump-")));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const receiver = stack.use(await startReceiver());
  const interrupted = (): void => void stack.disposeAsync().then(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, interrupted);
    stack.defer(() => void process.off(signal, interrupted));
  }
  return await work({ folder, receiver, stack });
}

async function trial(stage: Stage, bin: string, ids: "lower" | "higher") {
  const { folder, receiver, stack } = stage;
  const from = stack.use(await Cluster.open(join(folder, "a"), bin));
  const to = stack.use(await Cluster.open(join(folder, "b"), bin));
  await (ids === "lower" ? from : to).age(AGE_TRANSACTIONS);
  await from.rows("postgres", `create role ${OWNER} login createrole`);
  await from.program("createdb", ["-O", OWNER, "millrace"]);
  const start = starter(stage, randomBytes(32).toString("base64"));
  const old = await start(from, "millrace");
  const token = await logIn(old.port);
  const ask = asker(old.port, token);
  await furnish(ask, receiver);
  const writer = startWriter(ask);
  await until(async () => writer.ids.length >= EVENTS_BEFORE, LIMIT_MS);
  const acknowledged = writer.ids.length;
  await from.program("pg_dumpall", ["--roles-only", "--no-role-passwords", "-f", "roles.sql"]);
  await from.program("pg_dump", ["-Fc", "-d", "millrace", "-f", "millrace.dump"]);
  await writer.stop();
  await old.stop();

  // Under the original name, and under another.
  const name = ids === "lower" ? "millrace" : "restored";
  await to.program("psql", ["-q", "-d", "postgres", "-f", join(from.folder, "roles.sql")]);
  await to.program("createdb", ["-O", OWNER, name]);
  await to.program("pg_restore", [
    "-d",
    name,
    "--exit-on-error",
    join(from.folder, "millrace.dump"),
  ]);
  await to.program("vacuumdb", ["-q", "-d", name, "--analyze-only"]);
  const product = await start(to, name);
  const faults = await check(asker(product.port, token), {
    rows: (text) => to.rows(name, text),
    receiver,
    acknowledged,
    greatest: writer.ids.toSorted().at(-1) ?? "",
  });
  const [facts] = await to.rows(
    name,
    `select (select epoch from installation) as epoch, (select count(*) from events)::int as events,
            (select max(xid) from events where epoch = 1) as before,
            (select min(xid) from events where epoch = 2) as after`,
  );
  return {
    faults,
    said: [
      `${ids} transaction ids: ${facts.events} events, the last of the old cluster at ${facts.before}, the first of ` +
        `the new one at ${facts.after}, epoch ${facts.epoch}; ${acknowledged} acknowledged before the dump, ${writer.ids.length} in all`,
    ],
  };
}

function starter({ folder, receiver, stack }: Stage, masterKey: string) {
  return async (cluster: Cluster, database: string): Promise<Child> => {
    const child = await startChild({
      args: [START],
      env: {
        ...FIRST_OWNER,
        ...receiver.env,
        DATABASE_URL: cluster.url(OWNER, database),
        MILLRACE_MASTER_KEY: masterKey,
        MILLRACE_DATA_DIR: join(folder, "data"),
      },
      logFile: join(folder, "log"),
    });
    stack.defer(() => child.stop());
    return child;
  };
}

/** A webhook, a workflow, a secret, and a table with a record. */
export async function furnish(ask: Ask, { url }: Receiver): Promise<void> {
  const hook = { name: "orders", url: `${url}/orders`, events: ["order.*"], format: "cloudevents" };
  const workflow = {
    name: "Orders",
    trigger: { type: "event_bus", topic: "orders" },
    nodes: [{ id: "keep", type: "set", config: { values: { n: "{{ trigger.event.data.n }}" } } }],
    edges: [],
  };
  await done(ask("POST /api/v1/webhooks", hook));
  await done(ask("POST /api/v1/secrets", SECRET, "s"));
  const { id } = dataOf<Named>(await done(ask("POST /api/v1/workflows", workflow)));
  await done(ask(`POST /api/v1/workflows/${id}/publish`));
  const columns = [{ name: "region", type: "text" }];
  await done(ask("POST /api/v1/tables", { name: "Sales", columns }));
  await done(ask("POST /api/v1/tables/sales/records", { region: "north" }));
}

/** Publishes orders one by one until it is stopped. */
function startWriter(ask: Ask) {
  const ids: string[] = [];
  let ending = false;
  const ended = (async () => {
    while (!ending) ids.push(await publish(ask, ids.length));
  })();
  return {
    ids,
    stop: async (): Promise<void> => {
      ending = true;
      await ended;
    },
  };
}

export async function publish(ask: Ask, n: number): Promise<string> {
  const message = { type: "order.placed", payload: { n } };
  const answer = await done(ask("POST /api/v1/events/topics/orders/publish", message));
  return dataOf<Named>(answer).id;
}

interface Known {
  readonly rows: (text: string) => Promise<any[]>;
  readonly receiver: Receiver;
  readonly acknowledged: number;
  readonly greatest: string;
}

/** The failed checks as messages. */
async function check(
  ask: Ask,
  { rows, receiver, acknowledged, greatest }: Known,
): Promise<string[]> {
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string): unknown => holds || faults.push(fault);
  const order =
    "select (data->>'n')::int as n from events where type = 'order.placed' order by epoch, xid, seq";
  const kept = (await rows(order)).map(({ n }) => n);
  expect(
    kept.every((n, at) => n === at),
    "the restored log is out of order or has a gap",
  );
  expect(
    kept.length >= acknowledged,
    `of ${acknowledged} acknowledged events ${kept.length} are there`,
  );

  const replayed = await ask("POST /api/v1/secrets", SECRET, "s");
  expect(
    replayed.headers.get("idempotency-replayed") === "true",
    `the key was not known: ${replayed.status}`,
  );
  await done(ask("POST /api/v1/tables/sales/records", { region: "south" }));
  await done(ask("POST /api/v1/tables", { name: "More", columns: [{ name: "x", type: "text" }] }));
  const asked = await done(
    ask("POST /api/v1/queries/run", { sql: "select count(*)::int as n from sales" }),
  );
  expect(
    JSON.stringify(asked.body).includes("2"),
    `SQL of people counts ${JSON.stringify(asked.body)}`,
  );
  for (let n = 0; n < EVENTS_AFTER; n += 1) {
    expect(
      (await publish(ask, 1_000_000 + n)) > greatest,
      "a new event has an id before an old one",
    );
  }
  const all = kept.length + EVENTS_AFTER;
  const counts = `
    select (select count(*) from deliveries where status = 'succeeded')::int as sent,
           (select count(distinct (event_epoch, event_xid, event_seq)) from deliveries)::int as heard,
           (select count(*) from runs where status = 'completed')::int as ran,
           (select count(distinct event_id) from runs)::int as started,
           (select events from topic_counts where topic = 'orders')::int as counted,
           (select count(*) from parked_events)::int as parked`;
  await until(async () => {
    const [row] = await rows(counts);
    return row.sent >= all && row.ran >= all && row.counted >= all;
  }, LIMIT_MS).catch(() => undefined);
  const [row] = await rows(counts);
  for (const name of ["sent", "heard", "ran", "started", "counted"]) {
    expect(row[name] === all, `${name}: ${row[name]} of ${all}`);
  }
  expect(row.parked === 0, `${row.parked} events were parked`);
  const byId = Map.groupBy(receiver.received, ({ body }) => body.id);
  const twofold = [...byId.values()].filter(
    (some) => new Set(some.map(({ text }) => text)).size > 1,
  );
  expect(twofold.length === 0, `${twofold.length} ids came with different contents`);
  const [open] = await rows(
    `select exists (select from pg_database d, aclexplode(d.datacl) a where d.datname = current_database()
        and a.grantee = 0) or datacl is null as to_all from pg_database where datname = current_database()`,
  );
  expect(!open.to_all, "everybody may connect to the restored database");
  return faults;
}

export function binOf(options: Options): string {
  const at = options.indexOf("--bin");
  const found =
    at === -1 ? globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1) : options[at + 1];
  if (found === undefined || !existsSync(join(found, "pg_dump"))) {
    throw new Error("There is no pg_dump. Say with --bin where the programs of PostgreSQL are.");
  }
  return found;
}
