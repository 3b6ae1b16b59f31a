import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import { median } from "../statistics.ts";

const MIB = 1024 * 1024;
const FILE_BYTES = 64 * MIB;
const CHUNK_BYTES = 256 * 1024;
const RATIO_AT_LEAST = 0.5;

/** Upload and download of a 64 MiB file, against a bare server that writes it to disk. */
export const files: Figure = {
  name: "files",
  async measure(rig, { rounds }) {
    const product = await rig.startProduct();
    const worker = new Worker(new URL("../bare-files.ts", import.meta.url));
    const [barePort] = (await once(worker, "message")) as [number];
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const mine = await measureFile(
        `http://127.0.0.1:${product.port}`,
        asMember(product.token),
        round,
      );
      const other = await measureFile(`http://127.0.0.1:${barePort}`, {}, round);
      // The first is a warm-up.
      if (round === 0) continue;
      ours.push(mine);
      bare.push(other);
    }
    worker.postMessage("end");
    await once(worker, "message");
    await worker.terminate();
    const [rate, reference] = [median(ours), median(bare)];
    const ratio = rate / reference;
    return {
      ours: `${rate.toFixed(0)} MiB/s`,
      reference: `${reference.toFixed(0)} MiB/s`,
      ratio: ratio.toFixed(2),
      target: `≥ ${RATIO_AT_LEAST}`,
      reached: ratio >= RATIO_AT_LEAST,
      notes: ["up and down, hashed, sniffed and synced"],
      values: { rate, reference, ratio },
    };
  },
};

/** Sends a file and reads it again. Returns MiB per second for both directions together. */
async function measureFile(
  origin: string,
  headers: Readonly<Record<string, string>>,
  fill: number,
): Promise<number> {
  const startedAt = performance.now();
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (sent >= FILE_BYTES) return controller.close();
      const chunk = Buffer.alloc(CHUNK_BYTES, fill);
      chunk.writeUInt32LE(sent);
      sent += CHUNK_BYTES;
      controller.enqueue(chunk);
    },
  });
  const { "content-type": _, ...sentHeaders } = headers;
  const answer = await fetch(`${origin}/api/v1/files?name=large.bin`, {
    method: "POST",
    headers: sentHeaders,
    body,
    duplex: "half",
  } as RequestInit);
  if (answer.status !== 201) throw new Error(`An upload got ${answer.status}.`);
  const { data } = (await answer.json()) as { data?: { id: string } };
  const download = await fetch(`${origin}/api/v1/files/${data?.id ?? ""}/content`, {
    headers: sentHeaders,
  });
  let bytes = 0;
  for await (const chunk of download.body ?? []) bytes += (chunk as Uint8Array).length;
  if (bytes !== FILE_BYTES) throw new Error(`A download has ${bytes} bytes.`);
  return (2 * FILE_BYTES) / MIB / ((performance.now() - startedAt) / 1000);
}
