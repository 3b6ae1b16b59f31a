/**
 * Kills Node, PostgreSQL or both during an agent's work. The checkpoints of its turns need not be durable (ADR 0124),
 * so a crash of PostgreSQL can revert some. The model and the tool with an external effect count their requests.
 */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openaiAnswer } from "#domains/agents/testing/model-service.ts";
import { json, type Received, useUpstream } from "#domains/connectors/testing/upstream.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { type EmbeddedDatabase, startEmbedded } from "#kernel/embedded/embedded-database.ts";
import { signal } from "#kernel/embedded/processes.ts";
import { fastFolder } from "#kernel/testing/fast-folder.ts";
import { until } from "#kernel/testing/world.ts";
import { startedBefore } from "./testing/started-before.ts";
import {
  type Ask,
  asker,
  databaseOf,
  kill,
  killDatabase,
  launch,
  logIn,
  type Product,
  useProducts,
} from "./testing/product.ts";

/** For a busy machine. A dead worker's shards are free after five seconds. */
const WORK_LIMIT_MS = 50_000;
/** The requests to the model and the tool in order. Each turn except the third calls a computing tool. */
const ASKED = ["turn0", "turn1", "turn2", "effect", "turn3", "turn4"] as const;
type Asked = (typeof ASKED)[number];

/** A working agent, and its request that is held while a process is killed. */
interface Agent {
  readonly at: Asked;
  /** True if the checkpoint before the request was only in PostgreSQL's memory. */
  readonly isLost: boolean;
  /** The repeated requests. */
  readonly again: readonly Asked[];
}

interface Round {
  readonly victims: readonly ("node" | "database")[];
  /** In order of their start: an external effect makes all earlier checkpoints durable. */
  readonly agents: readonly Agent[];
}

const ROUNDS: readonly Round[] = [
  {
    victims: ["database"],
    agents: [
      { at: "effect", isLost: false, again: [] },
      { at: "turn2", isLost: true, again: [] },
    ],
  },
  { victims: ["node"], agents: [{ at: "turn2", isLost: false, again: ["turn2"] }] },
  {
    victims: ["node", "database"],
    agents: [
      { at: "turn3", isLost: false, again: ["turn3"] },
      { at: "turn2", isLost: true, again: ["turn2"] },
    ],
  },
];

const upstream = await useUpstream();
let [home, folder] = ["", ""];
let database: EmbeddedDatabase;
useProducts();

beforeAll(async () => {
  home = await mkdtemp(join(fastFolder(), "millrace-agents-crash-"));
  await chmod(home, 0o755);
  folder = join(home, "data");
  startedBefore(folder);
  database = await startDatabase();
});

afterAll(async () => {
  await database.stop();
  await rm(home, { recursive: true, force: true });
});

test(
  "an agent continues after crashes of PostgreSQL, alone and with Node: no answered request is repeated, and no step is missing",
  { timeout: 180_000 },
  async () => {
    const { host, port, user, password, database: name } = database.connection;
    const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    const env = {
      ...upstream.env,
      DATABASE_URL: `postgres://${login}@/${name}?host=${encodeURIComponent(host)}&port=${port}`,
      MILLRACE_MASTER_KEY: await readFile(join(folder, "master.key"), "utf8"),
    };
    upstream.answer = (received, response) => {
      const { agent, what, answer } = interpret(received, response);
      hearers.get(agent)?.(what, answer);
    };
    let product = launch(env);
    let ask = await member(product);
    const workflowId = await deploy(ask);
    for (const { victims, agents } of ROUNDS) {
      const thaw = await holdFlushes();
      const held = [];
      for (const [n, agent] of agents.entries())
        held.push(await beginAgent(ask, workflowId, n, agent));

      if (victims.includes("database")) killDatabase(databaseOf(folder)!);
      if (victims.includes("node")) await kill(product, "group");
      if (victims.includes("database")) {
        await database.stop();
        database = await startDatabase();
      } else await thaw();
      for (const { runId, before, isLost, about } of held) {
        const after = await countEntries(runId);
        const counts = `${victims.join(" and ")}, ${about}: of ${before} entries ${after} are left`;
        expect(after < before, counts).toBe(isLost);
      }
      if (victims.includes("node")) {
        product = launch(env);
        ask = await member(product);
      } else {
        await until(async () => (await ask("GET /readyz")).status === 200, WORK_LIMIT_MS);
        for (const { answer } of held) answer();
      }

      for (const { runId, asked, again, about: agent } of held) {
        const about = `${victims.join(" and ")}, ${agent}`;
        const run = await until(async () => {
          const { body } = await ask(`GET /api/v1/runs/${runId}`);
          return ["completed", "failed"].includes(body.data.status) && body.data;
        }, WORK_LIMIT_MS);
        expect(run.error, about).toBe(null);
        expect(run.output, about).toEqual({ text: "Done" });
        expect(asked.toSorted(), about).toEqual([...ASKED, ...again].toSorted());
        expect(await completedSteps(runId), about).toEqual(STEPS);
      }
    }
  },
);

/** The handlers of an agent's requests, by its number. */
const hearers = new Map<number, (what: Asked, answer: () => void) => void>();

/** Starts an agent. Resolves when its request is held, with the data written so far. */
async function beginAgent(ask: Ask, workflowId: string, number: number, agent: Agent) {
  const asked: Asked[] = [];
  const held = Promise.withResolvers<() => void>();
  hearers.set(number, (what, answer) => {
    const isHeld = what === agent.at && !asked.includes(what);
    asked.push(what);
    if (isHeld) held.resolve(answer);
    else answer();
  });
  const input = { input: { agent: number } };
  const { body } = await ask(`POST /api/v1/workflows/${workflowId}/trigger`, input);
  const { runId } = body.data;
  const answer = await held.promise;
  const before = await countEntries(runId);
  return { ...agent, runId, asked, answer, before, about: `an agent at ${agent.at}` };
}

/** The paths of the turns and of their calls. Each is completed once. */
const STEPS = [
  ...["stamp", "stamp", "post", "stamp"].flatMap((tool, turn) => [
    `bot[${turn}].$calls`,
    `bot[${turn}].$calls[0].$answer`,
    `bot[${turn}].$calls[0].$tool`,
    `bot[${turn}].$calls[0].${tool}`,
    `bot[${turn}].$turn`,
    `bot[${turn}].$until`,
  ]),
  "bot[4].$calls",
  "bot[4].$turn",
  "bot[4].$until",
].toSorted();

async function completedSteps(runId: string): Promise<string[]> {
  const found = await rows(
    `select r ->> 'path' as path from run_journal, json_array_elements(records::json) r
      where run_id = $1 and r ->> 'status' = 'completed' and r ->> 'path' like 'bot[%'`,
    [runId],
  );
  return found.map(({ path }) => path).toSorted();
}

function startDatabase(): Promise<EmbeddedDatabase> {
  // Killed processes lose only data not yet passed to the system, which keeps the rest without a disk.
  return startEmbedded({ folder, log: () => undefined, settings: { fsync: "off" } });
}

/**
 * Prevents other processes from making commits durable: the WAL writer is stopped, and the cursors of event readers
 * are locked. Reverted by calling the result, or by a database crash.
 */
async function holdFlushes(): Promise<() => Promise<void>> {
  const client = new pg.Client(database.connection);
  client.on("error", () => undefined);
  await client.connect();
  const activity = "select pid from pg_stat_activity where backend_type = 'walwriter'";
  const writer = (await client.query(activity)).rows[0].pid;
  signal(writer, "SIGSTOP");
  await client.query("begin; select from readers for update");
  return async () => {
    signal(writer, "SIGCONT");
    await client.end();
  };
}

async function countEntries(runId: string): Promise<number> {
  const [row] = await rows("select entries from runs where id = $1", [runId]);
  return row.entries;
}

function rows(text: string, values: readonly unknown[] = []): Promise<any[]> {
  return withOwnerClient(
    database.connection,
    async (client) => (await client.query(text, [...values])).rows,
  );
}

/** The first owner in the initial workspace. */
async function member(product: Product): Promise<Ask> {
  const address = await product.ready;
  const ask = asker(address, await logIn(address));
  return (route, body, headers = {}) => ask(route, body, { "x-workspace": "default", ...headers });
}

async function deploy(ask: Ask): Promise<string> {
  const connector = await ask("POST /api/v1/connectors", {
    name: "Model",
    type: "openai",
    config: { baseUrl: `${upstream.url}/v1` },
    auth: { kind: "bearer", token: "sk-test-0123456789" },
  });
  expect(connector.status, JSON.stringify(connector.body)).toBe(201);
  const parameters = { type: "object", properties: {} };
  const workflow = await ask("POST /api/v1/workflows", {
    name: "Agent",
    trigger: { type: "manual" },
    nodes: [
      {
        id: "bot",
        type: "agent",
        config: {
          connectorId: connector.body.data.id,
          model: "gpt-4.1-mini",
          stream: false,
          prompt: "Agent {{ trigger.input.agent }}",
          tools: [
            {
              name: "stamp",
              description: "Computes something else each time",
              parameters,
              type: "set",
              config: { values: { at: "{{ $millis() & ' ' & $random() }}" } },
            },
            {
              name: "post",
              description: "Has an effect",
              parameters,
              type: "http",
              config: { url: `${upstream.url}/effect/{{ trigger.input.agent }}`, method: "POST" },
            },
          ],
        },
      },
      { id: "end", type: "set", config: { values: { text: "{{ steps.bot.output.text }}" } } },
    ],
    edges: [{ from: "bot", to: "end" }],
  });
  expect(workflow.status, JSON.stringify(workflow.body)).toBe(201);
  const { id } = workflow.body.data;
  const published = await ask(`POST /api/v1/workflows/${id}/publish`, {});
  expect(published.status, JSON.stringify(published.body)).toBe(200);
  return id;
}

function interpret(
  { path, text }: Received,
  response: ServerResponse,
): { readonly agent: number; readonly what: Asked; readonly answer: () => void } {
  const [, effect] = /^\/effect\/(\d)/.exec(path) ?? [];
  if (effect !== undefined)
    return { agent: Number(effect), what: "effect", answer: () => json(response, { ok: true }) };
  const { messages } = JSON.parse(text) as {
    readonly messages: readonly { readonly role: string }[];
  };
  const [, agent = ""] = /Agent (\d)/.exec(text) ?? [];
  const turn = messages.filter(({ role }) => role === "tool").length;
  const said =
    turn === 4
      ? { text: "Done" }
      : { calls: [{ name: turn === 2 ? "post" : "stamp", arguments: {} }] };
  const what = `turn${turn}` as Asked;
  return { agent: Number(agent), what, answer: () => json(response, openaiAnswer(said)) };
}
