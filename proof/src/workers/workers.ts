import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "../nodes/client.ts";
import { openDatabase, type SharedDatabase } from "../nodes/database.ts";
import { Fleet } from "../nodes/fleet.ts";
import { endOnInterrupt, interruptible } from "../nodes/interruption.ts";
import { Ledger } from "../nodes/ledger.ts";
import { logIn, PRODUCT_ENV } from "../nodes/product.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { WaitingRoom } from "./waiting-room.ts";

const RATIO_MIN = 1.6;
const STARTERS = 8;
const LOOK_MS = 50;
const ROUND_MAX_MS = 120_000;
/** The maximum number of a workspace's runs in one worker; see the runner. */
const IN_HAND = 500;

/** Compares the throughput of two workers with one, if neither the database nor the cores are the limit. */
export const workers: Proof = {
  name: "workers",
  usage: "[--rounds 3] [--runs 3000] [--wait-ms 4000] [--database URL]",
  run,
};

interface Round {
  readonly perSecond: number;
  /** The used share of the machine's cores, by all processes. */
  readonly busy: number;
  readonly most: number;
}

async function run(options: Options): Promise<Finding> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      rounds: { type: "string", default: "3" },
      runs: { type: "string", default: "3000" },
      "wait-ms": { type: "string", default: "4000" },
      database: { type: "string" },
    },
  });
  const runs = Number(values.runs);
  endOnInterrupt();
  await using undo = interruptible(new AsyncDisposableStack());
  const folder = await mkdtemp(join(tmpdir(), "millrace-workers-"));
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const database = undo.use(await openDatabase(values.database));
  const room = undo.use(await WaitingRoom.start(Number(values["wait-ms"])));
  const env = { ...PRODUCT_ENV, ...database.env, MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" };
  const front = undo.use(await Fleet.start({ env, folder, api: 1, worker: 0 }));
  const ledger = new Ledger();
  const client = new Client(front, ledger, await logIn(front));
  const workflow = await deploy(client, room.url);
  if (workflow === undefined) throw new Error(ledger.faults.join("\n"));
  const rounds: Record<1 | 2, Round[]> = { 1: [], 2: [] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const count of [1, 2] as const) {
      await using around = interruptible(new AsyncDisposableStack());
      const fleet = around.use(await Fleet.start({ env, folder, api: 0, worker: count }));
      await divided(database, count);
      const start = (n: number) => startRun(client, workflow, `${round}-${count}-${n}`);
      const measured = await measure({ database, room, runs, count, start });
      process.stderr.write(`${count} worker: ${Math.round(measured.perSecond)} runs/s\n`);
      rounds[count].push(measured);
      if (fleet.complaints.length > 0) ledger.faults.push(...fleet.complaints);
    }
  }
  return judge(rounds, runs, ledger);
}

function judge(rounds: Record<1 | 2, readonly Round[]>, runs: number, ledger: Ledger): Finding {
  const ratios = rounds[1].map(({ perSecond }, at) => (rounds[2][at]?.perSecond ?? 0) / perSecond);
  const least = Math.min(...ratios);
  const line = (count: 1 | 2): string => {
    const rates = rounds[count].map(({ perSecond }) => Math.round(perSecond));
    const busy = Math.max(...rounds[count].map((one) => one.busy));
    const most = Math.max(...rounds[count].map((one) => one.most));
    return `${count} worker: ${rates.join(", ")} runs/s; at most ${most} runs waited at once; the cores were ${Math.round(busy * 100)} % busy at most`;
  };
  return {
    held: least >= RATIO_MIN && ledger.faults.length === 0,
    lines: [
      `${runs} runs a round, each with a step that waits for somebody else; a worker has ${IN_HAND} of a workspace in hand, and that is the limit here`,
      line(1),
      line(2),
      `2 workers carry out ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")} times what one does (at least ${RATIO_MIN})`,
      ...ledger.faults.map((fault) => `FAULT ${fault}`),
    ],
  };
}

interface Course {
  readonly database: SharedDatabase;
  readonly room: WaitingRoom;
  readonly runs: number;
  readonly count: number;
  readonly start: (n: number) => Promise<void>;
}

/** Starts all runs while no responses are sent, then measures from the first response until all runs have ended. */
async function measure({ database, room, runs, count, start }: Course): Promise<Round> {
  room.shut();
  let next = 0;
  const starter = async (): Promise<void> => {
    while (next < runs) await start(next++);
  };
  await Promise.all(Array.from({ length: STARTERS }, starter));
  const full = Math.min(runs, IN_HAND * count);
  await until(() => Promise.resolve(room.inside >= full));
  const before = timesOf();
  const beganAt = performance.now();
  room.open();
  await until(async () => {
    const open = await database.rows("select from runs where finished_at is null limit 1");
    return open.length === 0;
  });
  const seconds = (performance.now() - beganAt) / 1_000;
  const after = timesOf();
  const busy = 1 - (after.idle - before.idle) / (after.all - before.all);
  return { perSecond: runs / seconds, busy, most: room.most };
}

/** When each worker has its share of the lanes. */
function divided(database: SharedDatabase, count: number): Promise<void> {
  return until(async () => {
    const shares = await database.rows(
      `select count(*)::int as n from lanes
        where name = 'runs.runner' and held_until > clock_timestamp() group by node`,
    );
    return shares.length === count && shares.every(({ n }) => n === 16 / count);
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const limit = Date.now() + ROUND_MAX_MS;
  while (!(await isSo())) {
    if (Date.now() > limit) throw new Error("It takes too long.");
    await pause(LOOK_MS);
  }
}

async function startRun(client: Client, workflow: string, id: string): Promise<void> {
  const route = `POST /api/v1/workflows/${workflow}/trigger`;
  await client.act({ id: `run-${id}`, route, body: { input: {} }, status: 202 });
}

async function deploy(client: Client, url: string): Promise<string | undefined> {
  const definition = {
    name: "Waits",
    trigger: { type: "manual" },
    nodes: [
      { id: "call", type: "http", timeoutMs: 300_000, config: { method: "POST", url, body: {} } },
      {
        id: "keep",
        type: "set",
        config: { values: { it: "{{ steps.call.output.body.waited }}" } },
      },
    ],
    edges: [{ from: "call", to: "keep" }],
  };
  const route = "POST /api/v1/workflows";
  const made = await client.act({ id: "make", route, body: definition, status: 201 });
  const publish = `${route}/${made?.data.id}/publish`;
  const done = await client.act({ id: "publish", route: publish, body: {}, status: 200 });
  return done && made?.data.id;
}

/** The times of all cores since the machine started. */
function timesOf(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, one) => sum + one.idle, 0);
  const all = times.reduce(
    (sum, { user, nice, sys, idle: rest, irq }) => sum + user + nice + sys + rest + irq,
    0,
  );
  return { idle, all };
}
