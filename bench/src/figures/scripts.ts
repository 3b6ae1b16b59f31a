import type { Product } from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import { load, type Load, type Target } from "../load.ts";
import { asMember, posts } from "../request.ts";
import { spreadOf } from "../statistics.ts";

const PER_SECOND_MIN = 500;
const LOOPS = 2;
const LOOP_MS = 60_000;
const WARM_UP_MS = 3_000;

/** Executions of a tiny script over HTTP; and the same while scripts of another workspace never end. */
export const scripts: Figure = {
  name: "scripts",
  async measure(rig, { rounds, roundMs, profileFolder }) {
    const product = await rig.startProduct({ profileFolder });
    const tiny = await saved(product, "default", "return { sum: input.a + input.b };");
    const target: Target = {
      port: product.port,
      status: 200,
      next: posts(`${tiny}/execute`, { inputPayload: { a: 1, b: 2 } }, asMember(product.token)),
    };
    await load(target, { forMs: WARM_UP_MS });
    const alone: Load[] = [];
    for (let round = 0; round < rounds; round += 1)
      alone.push(await load(target, { forMs: roundMs }));
    const loops = await startLoops(product);
    const beside: Load[] = [];
    for (let round = 0; round < rounds; round += 1)
      beside.push(await load(target, { forMs: roundMs }));
    loops.abort();
    const rate = (all: readonly Load[]): number =>
      spreadOf(all.map(({ perSecond }) => perSecond)).median;
    const share = rate(beside) / rate(alone);
    return {
      ours: `${Math.round(rate(alone))}/s`,
      reference: `${Math.round(rate(beside))}/s beside ${LOOPS} endless scripts`,
      ratio: share.toFixed(2),
      target: `≥ ${PER_SECOND_MIN}/s, and ≥ 0.8 of it beside endless ones`,
      reached: rate(alone) >= PER_SECOND_MIN && share >= 0.8,
      notes: [
        `latency alone: p50 ${spreadOf(alone.map(({ p50Ms }) => p50Ms)).median.toFixed(1)} ms`,
      ],
      values: { alone, beside },
    };
  },
};

/** Scripts of another workspace that never end by themselves. */
async function startLoops(product: Product): Promise<AbortController> {
  const stop = new AbortController();
  const noisy = { name: "Noisy", slug: "noisy" };
  await call(product, { workspace: "default", path: "/api/v1/workspaces", body: noisy });
  const loop = await saved(product, "noisy", "for (;;);");
  for (let n = 0; n < LOOPS; n += 1) {
    const execution = {
      workspace: "noisy",
      path: `${loop}/execute`,
      body: {},
      signal: stop.signal,
    };
    void call(product, execution).catch(() => undefined);
  }
  return stop;
}

/** Saves an artifact; tells its path. */
async function saved(product: Product, workspace: string, scriptSource: string): Promise<string> {
  const body = {
    name: "bench",
    artifactType: "workflow_node",
    detail: { scriptSource, timeoutMs: LOOP_MS },
  };
  const answer = await call(product, { workspace, path: "/api/flowsdk/artifacts", body });
  const { data } = (await answer.json()) as { data: { id: string } };
  return `/api/flowsdk/artifacts/${data.id}`;
}

interface Call {
  readonly workspace: string;
  readonly path: string;
  readonly body: unknown;
  readonly signal?: AbortSignal;
}

async function call(
  { port, token }: Product,
  { workspace, path, body, signal }: Call,
): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { ...asMember(token), "x-workspace": workspace, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}
