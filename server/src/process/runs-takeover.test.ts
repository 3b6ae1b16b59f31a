import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SHARDS } from "#kernel/work/shard-leases.ts";
import { type Loopback, serve } from "#kernel/outbound/testing/server.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { until } from "#kernel/testing/world.ts";
import { useServerDatabase } from "./testing/server-database.ts";
import { type Ask, asker, kill, launch, logIn, useProducts } from "./testing/product.ts";

/** Enough for a kill during the work. `npm run proof -- nodes` runs longer. */
const RUNS = tries(48, 120);
/** The number of concurrent requests that start runs. */
const STARTERS = 8;
/** From this call on, the endpoint does not respond until one of the workers is dead. */
const HELD_FROM = tries(12, 30);
/** At that time, each worker waits for this number of responses. */
const UNDER_WAY_MIN = tries(6, 15);
const ANSWER_MS = 5;
/** For a busy machine. A dead worker's lanes are free after five seconds. */
const WORK_LIMIT_MS = 50_000;
const HERE = { "x-workspace": "default" };

/** A request of a run's step to the endpoint. */
interface Call {
  readonly n: number;
  readonly key: string;
  readonly atMs: number;
}

// First, so that these two end after the products: hooks run in reverse.
const database = useServerDatabase();
let endpoint: Loopback;
let calls: Call[];
let released: PromiseWithResolvers<void>;
beforeEach(async () => {
  calls = [];
  released = Promise.withResolvers();
  endpoint = await serve((request, response) => void hear(request, response));
});
afterEach(() => endpoint[Symbol.asyncDispose]());

useProducts();

test(`a kill -9 of one of two workers during ${RUNS} runs: the other completes all of them and repeats no completed step`, async () => {
  const { ask, workers } = await launchThree();
  const workflowId = await deploy(ask);
  const started = startAll(ask, workflowId);
  await until(async () => (await nodesAtWork()).length === 2, WORK_LIMIT_MS);
  await kill(workers[0]!, "group");
  released.resolve();
  const runIds = await started;
  await until(async () => {
    const open = await database.rows("select from runs where finished_at is null limit 1");
    return open.length === 0;
  }, WORK_LIMIT_MS);

  await assertCompleted(runIds);
  await assertCalledOnce(runIds);
  const events = await database.rows(
    `select resource_id as id, array_agg(type order by epoch, xid, seq) as types from events
      where type like 'workflow.run_%' group by resource_id order by resource_id`,
  );
  const types = ["workflow.run_started", "workflow.run_completed"];
  expect(events).toEqual(runIds.toSorted().map((id) => ({ id, types })));
  // The remaining worker has all shards.
  expect(await sharesOfNodes()).toEqual([{ n: SHARDS }]);
});

/** An API node and two workers, after the workers have divided the lanes. */
async function launchThree() {
  const env = { ...database.env, MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" };
  const api = launch({ ...env, MILLRACE_ROLE: "api" });
  const workers = [0, 1].map(() => launch({ ...env, MILLRACE_ROLE: "worker" }));
  const [address = ""] = await Promise.all([api, ...workers].map(({ ready }) => ready));
  await until(async () => {
    const shares = await sharesOfNodes();
    return shares.length === 2 && shares.every(({ n }) => n === SHARDS / 2);
  }, WORK_LIMIT_MS);
  return { ask: asker(address, await logIn(address)), workers };
}

function sharesOfNodes(): Promise<any[]> {
  return database.rows(
    "select count(*)::int as n from lanes where name = 'runs.runner' group by node",
  );
}

/** Trigger, external call, computation, response. */
async function deploy(ask: Ask): Promise<string> {
  const definition = {
    name: "Double",
    trigger: { type: "manual" },
    nodes: [
      {
        id: "call",
        type: "http",
        timeoutMs: WORK_LIMIT_MS,
        config: {
          method: "POST",
          url: `http://127.0.0.1:${endpoint.port}/double`,
          body: { n: "{{ trigger.input.n }}" },
        },
      },
      {
        id: "keep",
        type: "set",
        config: { values: { twice: "{{ steps.call.output.body.twice }}" } },
      },
      { id: "answer", type: "respond", config: { body: "{{ steps.keep.output }}" } },
    ],
    edges: [
      { from: "call", to: "keep" },
      { from: "keep", to: "answer" },
    ],
  };
  const made = await ask("POST /api/v1/workflows", definition, HERE);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id } = made.body.data;
  const { status } = await ask(`POST /api/v1/workflows/${id}/publish`, undefined, HERE);
  expect(status).toBe(200);
  return id;
}

/** Resolves to the ids of the runs by number. */
async function startAll(ask: Ask, workflowId: string): Promise<string[]> {
  const runIds: string[] = [];
  let next = 0;
  const startSome = async (): Promise<void> => {
    while (next < RUNS) {
      const n = next++;
      const { status, body } = await ask(
        `POST /api/v1/workflows/${workflowId}/trigger`,
        { input: { n } },
        HERE,
      );
      expect(status, JSON.stringify(body)).toBe(202);
      runIds[n] = body.data.runId;
    }
  };
  await Promise.all(Array.from({ length: STARTERS }, startSome));
  return runIds;
}

/** Responds with a delay. After a number of calls, waits for the release. */
async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const atMs = Date.now();
  const body = await json(request).catch(() => undefined);
  // An interrupted request was not received.
  if (body === undefined) return void response.destroy();
  const { n } = body as { n: number };
  calls.push({ n, key: String(request.headers["idempotency-key"]), atMs });
  if (calls.length >= HELD_FROM) await released.promise;
  setTimeout(() => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ twice: 2 * n }));
  }, ANSWER_MS);
}

/** The nodes waiting for enough responses of the endpoint, by the lanes of their runs. */
function nodesAtWork(): Promise<any[]> {
  const runIds = calls.slice(HELD_FROM - 1).map(({ key }) => key.slice(0, key.indexOf(":")));
  return database.rows(
    `select l.node from runs r join lanes l on l.name = 'runs.runner' and l.lane = r.lane
      where r.id = any($1) group by l.node having count(*) >= $2`,
    [runIds, UNDER_WAY_MIN],
  );
}

/** Each run has its own result, and its journal contains the end of each step once. */
async function assertCompleted(runIds: readonly string[]): Promise<void> {
  const rows = await database.rows(
    `select r.id, r.status, r.output -> 'body' as body,
            (select array_agg(line ->> 'path' order by j.entry, at)
               from run_journal j
               cross join jsonb_array_elements(j.records) with ordinality as one (line, at)
              where j.run_id = r.id and line ->> 'status' = 'completed') as completed
       from runs r order by (r.trigger -> 'input' ->> 'n')::int`,
  );
  expect(rows).toEqual(
    runIds.map((id, n) => ({
      id,
      status: "completed",
      body: { twice: 2 * n },
      completed: ["call", "keep", "answer"],
    })),
  );
}

/** All requests of a run had one key and came before the journal completed the step. */
async function assertCalledOnce(runIds: readonly string[]): Promise<void> {
  const keys = new Set(calls.map(({ n, key }) => `${n} ${key}`));
  expect(keys.size).toBe(RUNS);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(RUNS);
  const rows = await database.rows(
    `select run_id, extract(epoch from written_at)::float8 * 1000 as at from run_journal
      where records @> '[{"path": "call", "status": "completed"}]'`,
  );
  const keptAtMs = new Map(rows.map(({ run_id, at }) => [run_id, at]));
  const late = calls.filter(({ n, atMs }) => atMs > keptAtMs.get(runIds[n]));
  expect(late).toEqual([]);
  // The dead worker's calls were repeated; otherwise the test would prove nothing.
  expect(calls.length).toBeGreaterThanOrEqual(RUNS + UNDER_WAY_MIN);
}
