/**
 * Kills Node, PostgreSQL or both in the middle of an agent. Of its turns the checkpoints need not be on the disk (ADR
 * 0124), so that a crash of PostgreSQL takes some back; the model and the tool with an effect count what they are
 * asked.
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
/** What the model and the tool are asked for, in order; each turn but the third calls a tool that only computes. */
const ASKED = ["turn0", "turn1", "turn2", "effect", "turn3", "turn4"] as const;
type Asked = (typeof ASKED)[number];

/** An agent at work, and the question of its that is held back while something dies. */
interface Agent {
  readonly at: Asked;
  /** Whether the checkpoint before that question was only in PostgreSQL's memory. */
  readonly isLost: boolean;
  /** What is asked a second time. */
  readonly again: readonly Asked[];
}

interface Round {
  readonly victims: readonly ("node" | "database")[];
  /** In the order in which they begin: an effect has all checkpoints before it written to the disk. */
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
  "an agent goes on after a crash of PostgreSQL, and of Node and it: nothing that was answered is asked again, and no step is missing",
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

/** Who hears the questions of an agent, by its number. */
const hearers = new Map<number, (what: Asked, answer: () => void) => void>();

/** Starts an agent; resolves once its question is held back, with what was written until then. */
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

/** The paths of the turns and of their calls; each is completed once. */
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
  // Killed processes lose what they have not given to the system; what they have, it keeps without a disk.
  return startEmbedded({ folder, log: () => undefined, settings: { fsync: "off" } });
}

/**
 * Keeps everybody but the run from writing to the disk what others committed: the writer of the log is stopped, and the
 * readers of events find their cursors locked. Undone by whoever calls the result, or by a crash of the database.
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

/** The first owner, in the workspace that there is at first. */
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
