/**
 * Kills the product during a run step of each kind with an external call or a wait. The other system counts requests,
 * which shows that a stored result is not requested again.
 */
import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { useUpstream } from "#domains/connectors/testing/upstream.ts";
import { until } from "#kernel/testing/world.ts";
import { useServerDatabase } from "./testing/server-database.ts";
import { startedBefore } from "./testing/started-before.ts";
import {
  ASKED,
  type Asked,
  BYTES,
  createStepSystem,
  type Question,
} from "./testing/step-system.ts";
import { all, type Ask, asker, kill, launch, logIn, useProducts } from "./testing/product.ts";
import { TEST_SEED } from "#kernel/testing/seed.ts";
import { tries } from "#kernel/testing/thorough.ts";

/** Each round kills during another kind of step: some chosen by the seed, all with `npm run proof -- crash`. */
const ROUNDS = Number(process.env["MILLRACE_CRASH_ROUNDS"] ?? tries(3, 23));
const SEED = Number(process.env["MILLRACE_CRASH_SEED"] ?? TEST_SEED);
/** A file for one line per round, for `npm run proof -- crash`. */
const REPORT = process.env["MILLRACE_CRASH_REPORT"];
/** A killed job is taken over when its lease expires, after minutes. */
const LIMIT_MS = 200_000 + ROUNDS * 200_000;

/** When to kill: before or after the response to a request, or during a wait. */
type Moment =
  | { readonly at: Asked | "feed"; readonly isAnswered: boolean }
  | { readonly at: "wait" | "embedding" };

/** Limits a proof to one kind of moment, such as `turn1`. */
const AT = process.env["MILLRACE_CRASH_AT"];

const EVERY_MOMENT: readonly Moment[] = [
  { at: "turn1", isAnswered: false },
  ...ASKED.flatMap((at) => [
    { at, isAnswered: true },
    { at, isAnswered: false },
  ]),
  { at: "wait" },
  { at: "embedding" },
  { at: "feed", isAnswered: false },
  { at: "feed", isAnswered: true },
];
const MOMENTS = EVERY_MOMENT.filter(({ at }) => AT === undefined || at === AT);

const upstream = await useUpstream();
const system = createStepSystem(upstream.url);
// First, so that the database is dropped after the products have ended. Without a server, the product uses its
// embedded database.
const database = process.env["TEST_DATABASE_URL"] === undefined ? undefined : useServerDatabase({});
useProducts();

const RECORDS_PER_ROUND = 12;

test(
  `a run killed during any kind of step continues and repeats no stored request (${ROUNDS} rounds)`,
  { timeout: LIMIT_MS },
  async () => {
    if (!database) startedBefore();
    const launched = () => launch({ ...upstream.env, ...database?.env });
    let product = launched();
    let address = await product.ready;
    const token = await logIn(address);
    const places = await furnish(member(address, token));
    // The requests before and after the kill.
    let lives: [Question[], Question[]] = [[], []];
    let life: 0 | 1 = 0;
    let onAsked: (what: Asked | "feed", answer: () => void) => void = (_, answer) => answer();
    upstream.answer = (received, response) => {
      const question = system.interpret(received, response);
      lives[life].push(question);
      onAsked(question.what, question.answer);
    };
    for (let round = 1; round <= ROUNDS; round += 1) {
      const moment = MOMENTS[(round - 1 + (ROUNDS > 1 ? SEED : 0)) % MOMENTS.length] ?? MOMENTS[0]!;
      const about = `round ${round}: ${JSON.stringify(moment)}`;
      const killed = Promise.withResolvers<void>();
      const doomed = product;
      let isDoomed = false;
      [lives, life] = [[[], []], 0];
      const strike = (): void => {
        if (isDoomed) return;
        isDoomed = true;
        void kill(doomed, "group").then(killed.resolve, killed.reject);
      };
      if (moment.at === "feed") await publishItems();
      onAsked = (what, answer) => {
        if (isDoomed || what !== moment.at) return answer();
        if ("isAnswered" in moment && moment.isAnswered) answer();
        // Before the kill, the received result may or may not be stored.
        return strike();
      };
      const ask = member(address, token);
      const records = moment.at === "embedding" ? await createRecords(ask, round) : [];
      const start = { workflowId: places.workflowId, key: `round-${round}` };
      // The kill may come before the response, so it is unknown whether the run exists.
      const begun = await startRun(ask, start).catch(() => undefined);
      if (moment.at === "wait") {
        await untilStatus(ask, begun ?? "", "waiting");
        strike();
      }
      if (moment.at === "embedding") {
        await until(async () => (await listStates(ask)).includes("embedded"));
        strike();
      }
      await killed.promise;

      life = 1;
      product = launched();
      address = await product.ready;
      const reborn = member(address, token);
      const runId = begun ?? (await startRun(reborn, start));
      await untilStatus(reborn, runId, "waiting");
      expect((await reborn(`POST ${places.toldOf(runId)}`, { ok: round })).status, about).toBe(202);
      const run = await untilStatus(reborn, runId, "completed");
      expect(run.output, about).toMatchObject({
        count: round,
        text: `Seen ${runId}`,
        answer: `Answer ${runId}`,
        called: round,
        rest: BYTES.length,
      });
      const again = assertAsked(lives, runId, about);
      const isLost = "isAnswered" in moment && !moment.isAnswered && moment.at !== "feed";
      // An unanswered request is repeated once, unless the run was lost too.
      if (isLost && begun !== undefined) expect(again, about).toBe(moment.at);
      expect((await reborn(`POST ${places.toldOf(runId)}`, { ok: 0 })).status, about).toBe(410);
      await assertFiles(reborn, address, token, { runId, file: run.output.file });
      if (moment.at === "feed") await assertItems(reborn, places.feedId);
      if (moment.at === "embedding") await assertRecords(reborn, round, records);
      note(round, moment, again === undefined ? "nothing asked again" : `${again} asked again`);
    }
  },
);

/**
 * An earlier request is stored before the next one is sent, so only the last may be repeated. Returns which one. On a
 * busy machine, the process may send further requests shortly before the kill.
 */
function assertAsked(
  lives: readonly [readonly Question[], readonly Question[]],
  runId: string,
  about: string,
): string | undefined {
  const [before = [], after = []] = lives.map((all) =>
    all.filter(({ run }) => run === runId).map(({ what }) => what),
  );
  const again = after.find((what) => what === before.at(-1));
  const all = [...before.filter((what) => what !== again), ...after];
  const order = `${before.join(" ")} | ${after.join(" ")}`;
  expect(all.toSorted(), `${about}: ${order}`).toEqual(ASKED.toSorted());
  return again;
}

const MOMENT_CHARACTERS = 34;

/** Writes a line for a successful round: the moment and the outcome. */
function note(round: number, moment: Moment, outcome: string): void {
  if (REPORT === undefined) return;
  const when = !("isAnswered" in moment)
    ? "while nothing is asked"
    : moment.isAnswered
      ? "as it was answered"
      : "before it was answered";
  const about = `${moment.at}, ${when}`.padEnd(MOMENT_CHARACTERS);
  appendFileSync(REPORT, `${String(round).padStart(4)}  ${about}killed  completed, ${outcome}\n`);
}

const HERE = { "x-workspace": "default" };

/** The first owner in the initial workspace. */
function member(address: string, token: string): Ask {
  const ask = asker(address, token);
  return (route, body, headers = {}) => ask(route, body, { ...HERE, ...headers });
}

interface Places {
  readonly workflowId: string;
  /** The workflow started by a feed. */
  readonly feedId: string;
  /** The path of the call that a run waits for. */
  readonly toldOf: (runId: string) => string;
}

/** Creates the connector, table and workflow of all rounds. */
async function furnish(ask: Ask): Promise<Places> {
  const table = await ask("POST /api/v1/tables", {
    name: "Notes",
    slug: "notes",
    columns: [
      { name: "title", type: "text" },
      { name: "round", type: "integer" },
      { name: "meaning", type: "embedding", options: { columns: ["title"] } },
    ],
  });
  expect(table.status, JSON.stringify(table.body)).toBe(201);
  const connector = await ask("POST /api/v1/connectors", {
    name: "Model",
    type: "openai",
    config: { baseUrl: `${upstream.url}/v1` },
    auth: { kind: "bearer", token: "sk-test-0123456789" },
  });
  expect(connector.status, JSON.stringify(connector.body)).toBe(201);
  return {
    workflowId: await deploy(ask, system.definition(connector.body.data.id)),
    feedId: await deploy(ask, {
      name: "Feed",
      trigger: { type: "rss", feedUrl: `${upstream.url}/feed`, everyMs: 10_000 },
      nodes: [{ id: "note", type: "set", config: { values: { id: "{{ trigger.input }}" } } }],
      edges: [],
    }),
    toldOf: (runId) => system.told.get(runId) ?? "",
  };
}

async function deploy(ask: Ask, definition: object): Promise<string> {
  const workflow = await ask("POST /api/v1/workflows", definition);
  expect(workflow.status, JSON.stringify(workflow.body)).toBe(201);
  const { id } = workflow.body.data;
  const published = await ask(`POST /api/v1/workflows/${id}/publish`, {});
  expect(published.status, JSON.stringify(published.body)).toBe(200);
  return id;
}

const ITEMS_PER_ROUND = 5;

/** Adds items after the existing ones were recorded, which the second poll shows. */
async function publishItems(): Promise<void> {
  await until(async () => system.looks > 1, LIMIT_MS);
  system.items += ITEMS_PER_ROUND;
}

/** Each added item has started one run. */
async function assertItems(ask: Ask, feedId: string): Promise<void> {
  const seen = async () =>
    (await all(ask, "/api/v1/runs")).filter(({ workflowId }) => workflowId === feedId).length;
  await until(async () => (await seen()) >= system.items - 1, LIMIT_MS);
  const before = system.looks;
  await until(async () => system.looks > before + 1, LIMIT_MS);
  expect(await seen()).toBe(system.items - 1);
}

async function startRun(
  ask: Ask,
  { workflowId, key }: { readonly workflowId: string; readonly key: string },
): Promise<string> {
  const headers = { "idempotency-key": key };
  const { status, body } = await ask(`POST /api/v1/workflows/${workflowId}/trigger`, {}, headers);
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body.data.runId;
}

function untilStatus(ask: Ask, runId: string, status: string): Promise<any> {
  return until(async () => {
    const { body } = await ask(`GET /api/v1/runs/${runId}`);
    if (["failed", "cancelled"].includes(body.data.status))
      throw new Error(JSON.stringify(body.data.error));
    return body.data.status === status && body.data;
  }, LIMIT_MS);
}

async function createRecords(ask: Ask, round: number): Promise<readonly string[]> {
  const records = Array.from({ length: RECORDS_PER_ROUND }, (_, n) => ({
    title: `Note ${n} about coffee and tea`,
    round,
  }));
  const { status, body } = await ask("POST /api/v1/tables/notes/records/bulk", { records });
  expect(status, JSON.stringify(body)).toBe(201);
  const made = await all(ask, "/api/v1/tables/notes/records");
  return made.filter((record) => record.round === round).map(({ id }) => id);
}

/** Each record of the round has its embedding. */
async function assertRecords(ask: Ask, round: number, records: readonly string[]): Promise<void> {
  await until(async () => !(await listStates(ask)).includes("pending"), LIMIT_MS);
  const found = await ask("POST /api/v1/tables/notes/records/similar", {
    text: "coffee",
    filter: { round },
    limit: 100,
  });
  const ids = found.body.data.map(({ record }: any) => record.id).toSorted();
  expect(ids, `round ${round}`).toEqual(records.toSorted());
}

async function listStates(ask: Ask): Promise<readonly unknown[]> {
  return (await all(ask, "/api/v1/tables/notes/records")).map(({ meaning }) => meaning);
}

/** The file is complete, and the run has only the two files created by its steps. */
async function assertFiles(
  ask: Ask,
  address: string,
  token: string,
  { runId, file }: { readonly runId: string; readonly file: { readonly $file: string } },
): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, ...HERE };
  const content = await fetch(`${address}/api/v1/files/${file.$file}/content`, { headers });
  expect(Buffer.from(await content.arrayBuffer()).equals(BYTES)).toBe(true);
  const { body } = await ask(`GET /api/v1/files?attachedTo=${runId}`);
  expect(body.data.map(({ size }: any) => size)).toEqual([BYTES.length, BYTES.length]);
}
