/**
 * Two PostgreSQL servers, primary and standby, behind one address like a load balancer's. The standby is promoted
 * under load, once with all data of the primary and once without its latest. In the first case, a process starts
 * before the others have reconnected.
 */
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Receiver,
  startReceiver,
} from "../../../server/src/domains/webhooks/testing/receiver.ts";
import { eventIdOf } from "../../../server/src/kernel/log/event.ts";
import { until } from "../../../server/src/kernel/testing/world.ts";
import { type Ask, asker, dataOf, FIRST_OWNER, logIn, type Named } from "../dump/client.ts";
import { binOf, furnish } from "../dump/dump.ts";
import { Node } from "../nodes/node.ts";
import type { Finding, Proof } from "../proof.ts";
import { Doorway, linesWith, Postgres } from "./pair.ts";

const OWNER = "millrace_owner";
const DATABASE = "millrace";
const LIMIT_MS = 180_000;
const EVENTS_BEFORE = 60;
const EVENTS_AFTER = 60;
/** The number of events that are acknowledged but not replicated. */
const EVENTS_HELD = 20;
const RETRY_MS = 200;
/** A broken connection. */
const NO_ANSWER = { status: 0, body: undefined };

/** `npm run proof -- failover`. Requires the programs of a PostgreSQL server. */
export const failover: Proof = {
  name: "failover",
  usage: "[--bin /usr/lib/postgresql/15/bin]",
  run: async (options) => {
    const bin = binOf(options);
    const lines: string[] = [];
    let held = true;
    for (const loss of ["nothing", "the last"] as const) {
      const { faults, said } = await withStage(bin, (stage) => trial(stage, loss));
      lines.push(said, ...faults.map((fault) => `FAULT: ${fault}`));
      held &&= faults.length === 0;
    }
    return { held, lines } satisfies Finding;
  },
};

interface Stage {
  readonly primary: Postgres;
  readonly standby: Postgres;
  readonly doorway: Doorway;
  readonly receiver: Receiver;
  readonly logFile: string;
  readonly start: (role: "api" | "worker") => Promise<Node>;
}

async function withStage<T>(bin: string, work: (stage: Stage) => Promise<T>): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-failover-")));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const receiver = stack.use(await startReceiver());
  const primary = await Postgres.open(join(folder, "a"), bin);
  stack.defer(() => primary.kill());
  await primary.rows("postgres", `create role ${OWNER} login createrole`);
  await primary.rows("postgres", `create database ${DATABASE} owner ${OWNER}`);
  const standby = await Postgres.open(join(folder, "b"), bin, primary);
  stack.defer(() => standby.kill());
  const doorway = await Doorway.open(primary);
  stack.defer(() => doorway.close());
  const logFile = join(folder, "log");
  const env = {
    ...FIRST_OWNER,
    ...receiver.env,
    DATABASE_URL: `postgres://${OWNER}@127.0.0.1:${doorway.port}/${DATABASE}`,
    MILLRACE_MASTER_KEY: randomBytes(32).toString("base64"),
    MILLRACE_DATA_DIR: join(folder, "data"),
  };
  const start = async (role: "api" | "worker"): Promise<Node> => {
    const node = await Node.start({ role, env, logFile });
    stack.defer(async () => void (await node.kill()));
    return node;
  };
  return await work({ primary, standby, doorway, receiver, logFile, start });
}

async function trial(stage: Stage, loss: "nothing" | "the last") {
  const { primary, standby, doorway, start } = stage;
  const nodes = [await start("api"), await start("api"), await start("worker")];
  const token = await logIn(portOf(nodes[0]));
  const asks = nodes.slice(0, 2).map((node) => asker(portOf(node), token));
  const [ask] = asks as [Ask];
  await furnish(ask, stage.receiver);
  const writer = startWriter(asks);
  const follower = startFollower(ask);
  await until(async () => writer.ids.length >= EVENTS_BEFORE, LIMIT_MS);
  if (loss === "nothing") await writer.pause();
  if (loss === "the last") await primary.holdReplication();
  const heldFrom = writer.ids.length;
  if (loss === "the last") {
    await until(async () => writer.ids.length >= heldFrom + EVENTS_HELD, LIMIT_MS);
  } else {
    await until(async () => (await lagOf(primary)) === 0, LIMIT_MS);
    for (const { pid } of nodes) process.kill(pid, "SIGSTOP");
  }
  await primary.kill();
  await standby.promote();
  doorway.lead(standby);
  if (loss === "nothing") {
    // It starts first and begins the epoch; the other processes know only the old one.
    asks.push(asker(portOf(await start("api")), token));
    for (const { pid } of nodes) process.kill(pid, "SIGCONT");
    writer.resume();
  }
  const resumedAt = writer.ids.length;
  await until(async () => writer.ids.length >= resumedAt + EVENTS_AFTER, LIMIT_MS);
  await writer.pause();
  return check(stage, { writer, follower, loss, nodes });
}

/** Publishes to the processes in turn, and repeats if the database is unavailable. */
function startWriter(asks: readonly Ask[]) {
  const ids: string[] = [];
  const statuses = new Map<number, number>();
  let paused = false;
  let turn: Promise<void> | undefined;
  const publishOne = async (n: number): Promise<void> => {
    for (;;) {
      const ask = asks[n % asks.length] as Ask;
      const message = { type: "order.placed", payload: { n } };
      const path = "POST /api/v1/events/topics/orders/publish";
      const answer = await ask(path, message, `order-${n}`).catch(() => NO_ANSWER);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status >= 200 && answer.status < 300)
        return void ids.push(dataOf<Named>(answer).id);
      await pause(RETRY_MS);
    }
  };
  const go = async (): Promise<void> => {
    while (!paused) await publishOne(ids.length);
  };
  turn = go();
  return {
    ids,
    statuses,
    pause: async (): Promise<void> => {
      paused = true;
      await turn;
    },
    resume: (): void => {
      paused = false;
      turn = go();
    },
  };
}

/** Follows the topic by the id of the last event that it saw. */
function startFollower(ask: Ask) {
  const seen: string[] = [];
  const step = async (): Promise<void> => {
    const after = seen.at(-1);
    const query = after === undefined ? "limit=100" : `limit=100&after=${after}`;
    const path = `GET /api/v1/events/topics/orders/events?${query}`;
    const answer = await ask(path).catch(() => NO_ANSWER);
    if (answer.status === 200) seen.push(...dataOf<Named[]>(answer).map(({ id }) => id));
    else await pause(RETRY_MS);
  };
  let ending = false;
  const ended = (async () => {
    while (!ending) await step().then(() => pause(RETRY_MS / 4));
  })();
  return {
    seen,
    stop: async (): Promise<void> => {
      ending = true;
      await ended;
    },
  };
}

const LOG = `
  select epoch, xid::text as xid, seq::text as seq, (data->>'n')::int as n
    from events where type = 'order.placed' order by epoch, xid, seq`;
const COUNTS = `
  select (select count(*) from events where type = 'order.placed')::int as there,
         (select count(*) from deliveries d join events e
            on (e.epoch, e.xid, e.seq) = (d.event_epoch, d.event_xid, d.event_seq)
          where d.status = 'succeeded' and e.type = 'order.placed')::int as sent,
         (select count(distinct event_id) from runs where status = 'completed')::int as ran,
         (select epoch from installation)::int as epoch`;

interface Outcome {
  readonly writer: ReturnType<typeof startWriter>;
  readonly follower: ReturnType<typeof startFollower>;
  readonly loss: "nothing" | "the last";
  readonly nodes: readonly Node[];
}

async function check(
  { standby, logFile }: Stage,
  { writer, follower, loss, nodes }: Outcome,
): Promise<{ faults: string[]; said: string }> {
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string): unknown => holds || faults.push(fault);
  const counts = async () => (await standby.rows(DATABASE, COUNTS))[0];
  await until(async () => {
    const { there, sent, ran } = await counts();
    return sent === there && ran === there;
  }, LIMIT_MS).catch(() => undefined);
  const { there, sent, ran, epoch } = await counts();
  const log = await standby.rows(DATABASE, LOG);
  const known = new Set(log.map(({ n }) => n));
  const ids = new Set(
    log.map(({ epoch: e, xid, seq }) =>
      eventIdOf({ epoch: e, xid: Number(xid), seq: Number(seq) }),
    ),
  );
  await until(async () => [...ids].every((id) => follower.seen.includes(id)), 10_000).catch(
    () => undefined,
  );
  await follower.stop();
  const skipped = [...ids].filter((id) => !follower.seen.includes(id));
  const lost = writer.ids.filter((id) => !ids.has(id));
  expect(skipped.length === 0, `the follower skipped ${skipped.length} events that exist`);
  expect(
    follower.seen.every((id, at) => at === 0 || id > (follower.seen[at - 1] ?? "")),
    "the follower saw an event twice or out of order",
  );
  expect(sent === there, `of ${there} events ${sent} were delivered`);
  expect(ran === there, `of ${there} events ${ran} started a run that completed`);
  expect(epoch === 2, `the epoch is ${epoch}`);
  expect((writer.statuses.get(500) ?? 0) === 0, `${writer.statuses.get(500)} answers were 500`);
  expect(
    nodes.every(({ isReady }) => isReady),
    "a process is not ready, and needs a restart",
  );
  if (loss === "nothing") expect(lost.length === 0, `${lost.length} acknowledged events are lost`);
  const told = await linesWith(logFile, '"firstLost"');
  if (loss === "the last") {
    expect(lost.length > 0, "nothing was lost, so nothing was shown");
    expect(
      told.some((line) => /"lost":[1-9]/.test(line)),
      "nobody told the operator of what was lost",
    );
  }
  const most = Math.max(0, ...told.map((line) => Number(/"lost":(\d+)/.exec(line)?.[1] ?? 0)));
  const answers = [...writer.statuses].map(([status, n]) => `${n} × ${status}`).join(", ");
  return {
    faults,
    said:
      `${loss} lost: ${writer.ids.length} acknowledged (${answers}), ${lost.length} of them gone, ${most} told by one process; ` +
      `${there} in the log (${known.size} different), ${sent} delivered, ${ran} runs, ${skipped.length} skipped by the follower; epoch ${epoch}`,
  };
}

/** The number of bytes of its log that the standby has not replayed. */
async function lagOf(primary: Postgres): Promise<number> {
  const [row] = await primary.rows(
    "postgres",
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 as lag from pg_stat_replication",
  );
  return row?.lag ?? Infinity;
}

function portOf(node: Node | undefined): number {
  return Number(new URL(node?.address ?? "").port);
}
