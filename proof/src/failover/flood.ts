/** Failed logins for a member of very many workspaces, by an anonymous caller, while another user's webhook works. */
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Receiver,
  startReceiver,
} from "../../../server/src/domains/webhooks/testing/receiver.ts";
import { until } from "../../../server/src/kernel/testing/world.ts";
import { type Ask, asker, done, FIRST_OWNER, logIn } from "../dump/client.ts";
import { binOf, furnish } from "../dump/dump.ts";
import { Node } from "../nodes/node.ts";
import type { Proof } from "../proof.ts";
import { Doorway, Postgres } from "./pair.ts";

const OWNER = "millrace_owner";
const WORKSPACES = 2_000;
const GUESSES = 30;
const SAMPLES = 20;
const DELAY_MAX_MS = 1_000;
/** Ten per minute, regardless of the number of workspaces; the attempts may take longer than a minute. */
const EVENTS_MAX = 20;

/** `npm run proof -- flood`. Requires the programs of a PostgreSQL server. */
export const flood: Proof = {
  name: "flood",
  usage: "[--bin /usr/lib/postgresql/15/bin]",
  run: async (options) => {
    await using stack = new AsyncDisposableStack();
    const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-flood-")));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o755);
    const receiver = stack.use(await startReceiver());
    const postgres = await Postgres.open(join(folder, "a"), binOf(options));
    stack.defer(() => postgres.kill());
    await postgres.rows("postgres", `create role ${OWNER} login createrole`);
    await postgres.rows("postgres", `create database millrace owner ${OWNER}`);
    const doorway = await Doorway.open(postgres);
    stack.defer(() => doorway.close());
    const env = {
      ...FIRST_OWNER,
      ...receiver.env,
      DATABASE_URL: `postgres://${OWNER}@127.0.0.1:${doorway.port}/millrace`,
      MILLRACE_MASTER_KEY: randomBytes(32).toString("base64"),
      MILLRACE_DATA_DIR: join(folder, "data"),
      MILLRACE_LOGIN_RATE_LIMIT: "0",
    };
    const nodes: Node[] = [];
    for (const role of ["api", "worker"] as const) {
      const node = await Node.start({ role, env, logFile: join(folder, "log") });
      stack.defer(async () => void (await node.kill()));
      nodes.push(node);
    }
    const port = Number(new URL(nodes[0]?.address ?? "").port);
    const ask = asker(port, await logIn(port));
    await furnish(ask, receiver);
    await postgres.rows("millrace", JOIN_MANY);
    return await measure(postgres, receiver, ask, asker(port));
  },
};

/**
 * The first owner becomes a member of all workspaces. Their keys sort after the first workspace's, like those of newer
 * workspaces: with random keys, another workspace would be the oldest, and each attempt would give two events, one
 * there and one in the workspace with the workflow.
 */
const JOIN_MANY = `
  with made as (
    insert into workspaces (key, slug, name, created_at, updated_at)
    select ('ffffffff-ffff-7fff-bfff-' || lpad(to_hex(n), 12, '0'))::uuid, 'flood-' || n, 'Flood ' || n, now(), now()
      from generate_series(1, ${WORKSPACES}) n returning key)
  insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
  select m.key, u.id, '{owner}', now(), now() from made m, users u`;
const EVENTS = "select count(*)::int as n from events where type like 'audit.auth.%'";

async function measure(postgres: Postgres, receiver: Receiver, ask: Ask, stranger: Ask) {
  const sample = async (n: number): Promise<number> => {
    const from = performance.now();
    const before = receiver.received.length;
    const message = { type: "order.placed", payload: { n } };
    await done(ask("POST /api/v1/events/topics/orders/publish", message));
    await until(async () => receiver.received.length > before);
    return performance.now() - from;
  };
  const samples = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < SAMPLES; n += 1) times.push(await sample(n));
    return times.toSorted((a, b) => a - b);
  };
  await samples();
  const quiet = await samples();
  const [before] = await postgres.rows("millrace", EVENTS);
  const guess = { email: "admin@example.com", password: "wrong" };
  const guesses = Array.from({ length: GUESSES }, () => stranger("POST /api/v1/auth/token", guess));
  const flooded = await samples();
  const statuses = new Set((await Promise.all(guesses)).map(({ status }) => status));
  const [after] = await postgres.rows("millrace", EVENTS);
  const later = await samples();
  const worst = Math.max(...flooded, ...later);
  const events = after.n - before.n;
  const of = (times: number[]) =>
    `${Math.round(times[SAMPLES / 2] ?? 0)} ms (at most ${Math.round(times.at(-1) ?? 0)})`;
  const held = worst - (quiet[SAMPLES / 2] ?? 0) < DELAY_MAX_MS && events <= EVENTS_MAX;
  return {
    held,
    lines: [
      `${GUESSES} wrong passwords (${[...statuses].join(", ")}) for a member of ${WORKSPACES + 1} workspaces wrote ${events} events; ` +
        `from publishing to the webhook: quiet ${of(quiet)}, meanwhile ${of(flooded)}, afterwards ${of(later)}`,
    ],
  };
}
