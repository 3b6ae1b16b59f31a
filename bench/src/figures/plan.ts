import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import { spreadOf } from "../statistics.ts";

const THINGS = 300;
const TARGET_MS = 3_000;

/** A third each of workflows, tables and queries. */
const numbers = Array.from({ length: THINGS / 3 }, (_, index) => index);
const items = (word: string) => ({
  tables: numbers.map((n) => ({
    slug: `plan_${n}`,
    name: `Plan ${n}`,
    columns: [
      { name: "number", type: "text", unique: true },
      { name: "total", type: "decimal" },
    ],
  })),
  queries: numbers.map((n) => ({ name: `Plan ${n}`, sql: `select ${n} as n`, description: word })),
  workflows: numbers.map((n) => ({
    key: `Plan ${n}`,
    definition: {
      name: `Plan ${n}`,
      trigger: { type: "manual" },
      nodes: [
        { id: "read", type: "records", config: { operation: "list", table: `plan_${n}` } },
        { id: "large", type: "condition", config: { expression: "$count(steps.read.output) > 3" } },
        { id: "told", type: "set", config: { values: { n: "{{ trigger.input.n + 1 }}" } } },
      ],
      edges: [
        { from: "read", to: "large" },
        { from: "large", to: "told", when: "true" },
      ],
    },
  })),
});

/** The plan of a project with 300 resources, a third of which have changed. */
export const plan: Figure = {
  name: "plan",
  async measure(rig, { rounds, profileFolder }) {
    const product = await rig.startProduct({ profileFolder });
    const send = async (query: string, word: string): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${product.port}/api/v1/code/apply${query}`, {
        method: "POST",
        headers: { ...asMember(product.token), "content-type": "application/json" },
        body: JSON.stringify({ project: "plan", items: items(word) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 500)}`);
      return (text.match(/"act":"update"/g) ?? []).length;
    };
    await send("", "before");
    const durations: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now();
      const changed = await send("?dryRun=true", `round ${round}`);
      durations.push(performance.now() - startedAt);
      if (changed !== numbers.length) throw new Error(`${changed} things differ.`);
    }
    const { median } = spreadOf(durations);
    return {
      ours: `${median.toFixed(0)} ms`,
      target: `≤ ${TARGET_MS} ms`,
      reached: median <= TARGET_MS,
      notes: [`${THINGS} things, of which ${numbers.length} changed`],
      values: { durations },
    };
  },
};
