import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import { nowMs } from "../statistics.ts";

const MIB = 1024 * 1024;
const FILE_BYTES = 100 * MIB;
const CHUNK = Buffer.alloc(256 * 1024, 7);
const MORE_AT_MOST_MIB = 40;
const SAMPLE_MS = 50;
const WARM_UP = 5;
const LIMIT_MS = 120_000;
const UNDER_WAY: ReadonlySet<string> = new Set(["queued", "running", "waiting"]);

/** A file of 100 MiB that passes through two steps, downloaded and uploaded: the peak memory. */
export const stepFiles: Figure = {
  name: "step-files",
  async measure(rig) {
    const product = await rig.startProduct({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.0/8" } });
    let received = 0;
    let bytes = MIB;
    const upstream = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => (received += chunk.length));
      if (request.method !== "GET") return void request.on("end", () => response.end("{}"));
      response.writeHead(200, { "content-type": "application/octet-stream" });
      let sent = 0;
      const more = (): void => {
        while (sent < bytes) {
          sent += CHUNK.length;
          if (!response.write(CHUNK)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    }).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const headers = { ...asMember(product.token), "content-type": "application/json" };
    const call = async (path: string, body: object) => {
      const reply = await fetch(`http://127.0.0.1:${product.port}${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return ((await reply.json()) as { readonly data: Record<string, string> }).data;
    };
    const { id } = await call("/api/v1/workflows", {
      name: "Files",
      trigger: { type: "manual" },
      nodes: [
        { id: "get", type: "http", timeoutMs: 120_000, config: { url } },
        {
          id: "send",
          type: "http",
          timeoutMs: 120_000,
          config: { method: "PUT", url, body: "{{ steps.get.output.body }}" },
        },
      ],
      edges: [{ from: "get", to: "send" }],
    });
    await call(`/api/v1/workflows/${id}/publish`, {});
    const run = async () => {
      const begun = await call(`/api/v1/workflows/${id}/trigger`, {});
      const path = `http://127.0.0.1:${product.port}/api/v1/runs/${begun["runId"]}`;
      const endAtMs = nowMs() + LIMIT_MS;
      for (;;) {
        const { data } = (await (await fetch(path, { headers })).json()) as {
          readonly data: { readonly status: string };
        };
        if (!UNDER_WAY.has(data.status)) return data;
        if (nowMs() > endAtMs) throw new Error(`The run is ${data.status} after ${LIMIT_MS} ms.`);
        await pause(SAMPLE_MS);
      }
    };
    // Small files warm it up.
    for (let round = 0; round < WARM_UP; round += 1) await run();
    [bytes, received] = [FILE_BYTES, 0];
    const before = await memoryOf(product.port);
    let peak = before;
    const timer = setInterval(() => {
      void memoryOf(product.port).then((bytes) => (peak = Math.max(peak, bytes)));
    }, SAMPLE_MS);
    const { status } = await run();
    clearInterval(timer);
    upstream.close();
    const more = (peak - before) / MIB;
    return {
      ours: `${more.toFixed(0)} MiB more`,
      target: `≤ ${MORE_AT_MOST_MIB} MiB`,
      reached: status === "completed" && received === FILE_BYTES && more <= MORE_AT_MOST_MIB,
      notes: [
        `after ${WARM_UP} runs with a small file, from ${(before / MIB).toFixed(0)} MiB; ${status}, ${(received / MIB).toFixed(0)} MiB sent on`,
      ],
      values: { more, before, peak, received },
    };
  },
};

/** The resident memory of the Node process. */
async function memoryOf(port: number): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await reply.text())?.[1]);
}
