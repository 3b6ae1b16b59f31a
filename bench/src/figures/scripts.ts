import { CONSTRUCTORS, TAMPERING } from "../../../server/src/kernel/sandbox/testing/escapes.ts";
import { EXHAUSTION, TRICKS } from "../../../server/src/kernel/sandbox/testing/excesses.ts";
import { together, WARM_UP_MS } from "../compare.ts";
import type { Product } from "../endpoint.ts";
import type { Effort, Figure, Measured } from "../figure.ts";
import { load, type Load, type Target } from "../load.ts";
import { asMember, newOrders, posts, readsOf } from "../request.ts";
import { call, makeNoisy, NOISY, saved } from "../scripting.ts";
import { spreadOf } from "../statistics.ts";
import { deploy } from "../workflow.ts";

const PER_SECOND_MIN = 500;
const SHARE_MIN = 0.8;
const HEALTH_MS_MAX = 100;
const STEP_MS_MAX = 3;
const LOOPS = 2;
const LOOP_MS = 60_000;
/** Hostile scripts are stopped after this time. */
const HOSTILE_MS = 1_000;
const HOSTILE_AT_A_TIME = 8;
const PROBES = 2;

/**
 * Scripts: executions of a tiny one over HTTP, alone and during endless scripts; the latency of the server while every
 * hostile test script runs; the overhead of a script step in a run; and expressions over HTTP.
 */
export const scripts: Figure = {
  name: "scripts",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    await makeNoisy(product);
    return together({
      executions: await executions(product, effort),
      health: await health(product, effort),
      step: await step(product, effort),
      transforms: await transforms(product, effort),
    });
  },
};

async function executions(product: Product, effort: Effort): Promise<Measured> {
  const source = "return { sum: input.a + input.b };";
  const tiny = await saved(product, "default", { name: "tiny", source, timeoutMs: LOOP_MS });
  const body = { inputPayload: { a: 1, b: 2 } };
  const target = targetOf(product, posts(`${tiny}/execute`, body, asMember(product.token)));
  const alone = await measured(target, effort);
  const loops = await startLoops(product);
  const beside = await measured(target, effort);
  loops.abort();
  const share = rateOf(beside) / rateOf(alone);
  return {
    ours: `${Math.round(rateOf(alone))}/s`,
    reference: `${Math.round(rateOf(beside))}/s beside ${LOOPS} endless scripts`,
    ratio: share.toFixed(2),
    target: `≥ ${PER_SECOND_MIN}/s, and ≥ ${SHARE_MIN} of it beside endless ones`,
    reached: rateOf(alone) >= PER_SECOND_MIN && share >= SHARE_MIN,
    notes: [`latency alone: p50 ${latencyOf(alone).toFixed(1)} ms`],
    values: { alone, beside },
  };
}

/** Starts endless scripts in another workspace. */
async function startLoops(product: Product): Promise<AbortController> {
  const stop = new AbortController();
  const endless = { name: "endless", source: "for (;;);", timeoutMs: LOOP_MS };
  const loop = await saved(product, NOISY, endless);
  for (let n = 0; n < LOOPS; n += 1) {
    const { signal } = stop;
    const execution = { workspace: NOISY, path: `${loop}/execute`, body: {}, signal };
    void call(product, execution).catch(() => undefined);
  }
  return stop;
}

async function health(product: Product, effort: Effort): Promise<Measured> {
  const stop = new AbortController();
  const paths = await hostilePaths(product);
  let ended = 0;
  const torment = async (from: number): Promise<void> => {
    for (let at = from; !stop.signal.aborted; at += HOSTILE_AT_A_TIME) {
      const path = `${paths[at % paths.length]}/execute`;
      await call(product, { workspace: NOISY, path, body: {}, signal: stop.signal }).then(
        () => (ended += 1),
        () => undefined,
      );
    }
  };
  const tormentors = Array.from({ length: HOSTILE_AT_A_TIME }, (_, at) => torment(at));
  const target = { ...targetOf(product, readsOf(["/healthz"])), connections: PROBES };
  const rounds = await measured(target, effort);
  stop.abort();
  await Promise.all(tormentors);
  const worstMs = spreadOf(rounds.map(({ p99Ms }) => p99Ms)).max;
  return {
    ours: `/healthz p99 ${worstMs.toFixed(1)} ms`,
    reference: `${ended} hostile scripts beside it`,
    ratio: "",
    target: `< ${HEALTH_MS_MAX} ms`,
    reached: worstMs < HEALTH_MS_MAX,
    notes: [`${paths.length} different ones, ${HOSTILE_AT_A_TIME} at a time`],
    values: { rounds, ended },
  };
}

/** The hostile scripts that can be saved. Some are rejected when saving, which also ends them. */
async function hostilePaths(product: Product): Promise<string[]> {
  const paths: string[] = [];
  for (const { name, source } of [...CONSTRUCTORS, ...TAMPERING, ...TRICKS, ...EXHAUSTION]) {
    const script = { name, source, timeoutMs: HOSTILE_MS };
    await saved(product, NOISY, script).then(
      (path) => paths.push(path),
      () => undefined,
    );
  }
  return paths;
}

async function step(product: Product, effort: Effort): Promise<Measured> {
  const trigger = { type: "webhook" };
  const respond = { id: "answer", type: "respond", config: { body: { done: true } } };
  const source = "return { total: input.trigger.input.body.price * 3 };";
  const sum = { id: "sum", type: "script", config: { source } };
  const without = await deploy(product, {
    name: "Without a script",
    trigger,
    nodes: [respond],
    edges: [],
  });
  const withOne = await deploy(product, {
    name: "With a script",
    trigger,
    nodes: [sum, respond],
    edges: [{ from: "sum", to: "answer" }],
  });
  // One at a time, because the overhead is measured and not the queueing.
  const [plain, scripted] = [without, withOne].map(({ hookPath }) => ({
    ...targetOf(product, newOrders(hookPath)),
    connections: 1,
  })) as [Target, Target];
  const before = await measured(plain, effort);
  const after = await measured(scripted, effort);
  const addedMs = latencyOf(after) - latencyOf(before);
  return {
    ours: `${addedMs.toFixed(2)} ms added by a script's step`,
    reference: `a run without: ${latencyOf(before).toFixed(2)} ms`,
    ratio: "",
    target: `≤ ${STEP_MS_MAX} ms`,
    reached: addedMs <= STEP_MS_MAX,
    notes: [`a run with one: p50 ${latencyOf(after).toFixed(2)} ms`],
    values: { before, after },
  };
}

async function transforms(product: Product, effort: Effort): Promise<Measured> {
  const body = {
    expression: "$sum(lines.(price * quantity)) * $rate",
    input: { lines: [{ price: 3, quantity: 2 }] },
    bindings: { rate: 1.19 },
  };
  const path = "/api/v1/transformer/evaluate";
  const rounds = await measured(
    targetOf(product, posts(path, body, asMember(product.token))),
    effort,
  );
  return {
    ours: `${Math.round(rateOf(rounds))} transforms/s`,
    reference: "",
    ratio: "",
    target: "none was set",
    reached: true,
    notes: [`latency: p50 ${latencyOf(rounds).toFixed(1)} ms`],
    values: { rounds },
  };
}

function targetOf({ port }: Product, next: () => string): Target {
  return { port, status: 200, next };
}

async function measured(target: Target, { rounds, roundMs }: Effort): Promise<Load[]> {
  await load(target, { forMs: WARM_UP_MS });
  const all: Load[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await load(target, { forMs: roundMs }));
  return all;
}

function rateOf(all: readonly Load[]): number {
  return spreadOf(all.map(({ perSecond }) => perSecond)).median;
}

function latencyOf(all: readonly Load[]): number {
  return spreadOf(all.map(({ p50Ms }) => p50Ms)).median;
}
