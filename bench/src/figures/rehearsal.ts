import type { Product } from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import { spreadOf } from "../statistics.ts";
import { deploy } from "../workflow.ts";

const RUNS = 100;
const NODES = 12;
const TARGET_MS = 2_000;

const nodes = Array.from({ length: NODES }, (_, index) => ({
  id: `s${index}`,
  type: index % 3 === 0 ? "condition" : "set",
  config:
    index % 3 === 0
      ? { expression: "trigger.input.n >= 0" }
      : { values: { n: "{{ trigger.input.n + 1 }}", at: index } },
}));
const CHAIN = {
  name: "Chain",
  trigger: { type: "manual" },
  nodes,
  edges: nodes.slice(1).map(({ id }, index) => ({ from: `s${index}`, to: id })),
};

/** Replays a hundred stored runs of twelve steps with another definition. */
export const rehearsal: Figure = {
  name: "rehearsal",
  async measure(rig, { rounds, profileFolder }) {
    const product = await rig.startProduct({ profileFolder });
    const { id } = await deploy(product, CHAIN);
    for (let n = 0; n < RUNS; n += 1) {
      await call(product, `/api/v1/workflows/${id}/trigger`, { input: { n } });
    }
    const durations: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now();
      await call(product, `/api/v1/workflows/${id}/rehearse`, {
        lastRuns: RUNS,
        definition: CHAIN,
      });
      durations.push(performance.now() - startedAt);
    }
    const { median } = spreadOf(durations);
    return {
      ours: `${median.toFixed(0)} ms`,
      target: `≤ ${TARGET_MS} ms`,
      reached: median <= TARGET_MS,
      notes: [`${RUNS} runs of ${NODES} steps`],
      values: { durations },
    };
  },
};

async function call(product: Product, path: string, body: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${product.port}${path}`, {
    method: "POST",
    headers: { ...asMember(product.token), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
