import type { Product } from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import { spreadOf } from "../statistics.ts";

const RECORDS = 20_000;
const TARGET_MS = 30_000;
const ROUNDS_MAX = 3;

const COLUMNS = [
  { name: "number", type: "text", unique: true },
  { name: "title", type: "text" },
  { name: "total", type: "decimal" },
];

/** The undo of an import of twenty thousand records, in one transaction. */
export const undo: Figure = {
  name: "undo",
  async measure(rig, { rounds, profileFolder }) {
    const product = await rig.startProduct({ profileFolder });
    await send(product, "/api/v1/tables", { name: "Parts", slug: "parts", columns: COLUMNS });
    const lines = Array.from({ length: RECORDS }, (_, n) => `P-${n},Part ${n},${n / 4}`);
    const csv = ["number,title,total", ...lines].join("\n");
    const durations: number[] = [];
    for (let round = 0; round < Math.min(rounds, ROUNDS_MAX); round += 1) {
      const { headers } = await send(product, "/api/v1/tables/parts/records/import", csv);
      const startedAt = performance.now();
      const { body } = await send(product, "/api/v1/undo", {
        correlationId: headers.get("x-correlation-id"),
      });
      durations.push(performance.now() - startedAt);
      const { things } = (body as { data: { things: number } }).data;
      if (things !== RECORDS) throw new Error(`${things} records were undone.`);
    }
    const { median } = spreadOf(durations);
    return {
      ours: `${(median / 1_000).toFixed(1)} s`,
      target: `≤ ${TARGET_MS / 1_000} s`,
      reached: median <= TARGET_MS,
      notes: [`${RECORDS} records`],
      values: { durations },
    };
  },
};

async function send(
  product: Product,
  path: string,
  body: object | string,
): Promise<{ readonly headers: Headers; readonly body: unknown }> {
  const isText = typeof body === "string";
  const response = await fetch(`http://127.0.0.1:${product.port}${path}`, {
    method: "POST",
    headers: {
      ...asMember(product.token),
      "content-type": isText ? "text/csv" : "application/json",
    },
    body: isText ? body : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return { headers: response.headers, body: await response.json() };
}
