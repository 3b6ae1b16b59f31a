import { ReadableStream } from "node:stream/web";
import { setTimeout as pause } from "node:timers/promises";
import type { Product } from "../../endpoint.ts";
import type { Figure } from "../../figure.ts";
import { asMember } from "../../request.ts";
import { ask } from "../../sales.ts";
import { nowMs } from "../../statistics.ts";

const MANY = 1_000_000;
/**
 * The share of lines in a smaller file that is imported first: it shows the fixed cost of an import, and the
 * difference shows the cost per line.
 */
const BEFORE_SHARE = 0.1;
const GROWTH_MAX_MB = 100;
const SAMPLE_MS = 200;

/** Imports a file of a million lines with memory use independent of its size. */
export const imports: Figure = {
  name: "imports",
  async measure(rig, effort) {
    const size = effort.size ?? MANY;
    const product = await rig.startProduct({ ...effort, readers: "on" });
    const before = await importLines(product, Math.round(size * BEFORE_SHARE));
    const { growthBytes, seconds, bytes } = await importLines(product, size);
    const growthMb = growthBytes / 1e6;
    return {
      ours: `${Math.round(size / seconds)} lines/s, ${growthMb.toFixed(0)} MB more`,
      target: `within ${GROWTH_MAX_MB} MB`,
      reached: growthMb <= GROWTH_MAX_MB,
      notes: [
        `${size} lines, ${(bytes / 1e6).toFixed(0)} MB, in ${seconds.toFixed(0)} s`,
        `a tenth of them before, in a fresh process: ${(before.growthBytes / 1e6).toFixed(0)} MB more`,
      ],
      values: { growthBytes, seconds, bytes, before },
    };
  },
};

async function importLines(product: Product, lines: number) {
  const { id: fileId, bytes } = await upload(product, lines);
  const before = await residentBytes(product.port);
  const from = nowMs();
  const made = await ask(product, "POST", "/api/v1/imports", { fileId });
  const path = `/api/v1/imports/${made.id}`;
  let most = before;
  const until = async (states: readonly string[]): Promise<any> => {
    for (;;) {
      // On a busy machine, a status request may be rejected by load shedding.
      const now = await ask(product, "GET", path).catch(() => ({ state: "unknown" }));
      most = Math.max(most, await residentBytes(product.port).catch(() => 0));
      if (states.includes(now.state)) return now;
      if (now.state === "failed")
        throw new Error(`The import failed: ${JSON.stringify(now).slice(0, 500)}`);
      await pause(SAMPLE_MS);
    }
  };
  await until(["ready"]);
  const newTable = { slug: `lines_${lines}`, name: `Lines ${lines}` };
  await ask(product, "PATCH", path, { newTable });
  await ask(product, "POST", `${path}/start`);
  await until(["completed"]);
  return { growthBytes: most - before, seconds: (nowMs() - from) / 1_000, bytes };
}

async function upload({ port, token }: Product, lines: number) {
  let bytes = 0;
  async function* write(): AsyncGenerator<Buffer> {
    yield Buffer.from("number;day;amount;customer;paid\r\n");
    for (let n = 0; n < lines; n += 1_000) {
      const part = Array.from({ length: Math.min(1_000, lines - n) }, (_, at) => {
        const no = n + at + 1;
        const day = `${String(1 + (no % 28)).padStart(2, "0")}.${String(1 + (no % 12)).padStart(2, "0")}.2026`;
        return `A-${no};${day};${no % 1_000},${String(no % 100).padStart(2, "0")};Customer ${no % 997};${no % 2 ? "yes" : "no"}\r\n`;
      }).join("");
      bytes += part.length;
      yield Buffer.from(part);
    }
  }
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/files?name=lines.csv`, {
    method: "POST",
    headers: { ...asMember(token), "content-type": "text/csv" },
    body: ReadableStream.from(write()),
    duplex: "half",
  } as never);
  const { data } = (await answer.json()) as { data: { id: string } };
  return { id: data.id, bytes };
}

async function residentBytes(port: number): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await reply.text())?.[1]);
}
