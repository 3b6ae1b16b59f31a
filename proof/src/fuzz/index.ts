import { parseArgs } from "node:util";
import type { Finding, Options, Proof } from "../proof.ts";
import { lookAfter } from "./aftermath.ts";
import { Product } from "./product.ts";
import { fuzz, type FuzzResult } from "./run.ts";

const MEMORY_MAX_MIB = 1_500;
/** The maximum number of log characters shown for a product that has ended. */
const LAST_WORDS = 4_000;
/** Operations that cannot succeed in this setup, with the reason. */
const OUT_OF_REACH: Readonly<Record<string, string>> = {
  "mfa.remove_webauthn":
    "the security key of its samples is bound to port 8080; the test in CI reaches it",
};

/** Sends random input of all kinds to every operation of contract/openapi.json and checks every response. */
export const fuzzing: Proof = {
  name: "fuzz",
  usage: "[--requests 200000] [--seed 1] [--connections 16] [--only operationId]",
  run,
};

async function run(options: Options): Promise<Finding> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      requests: { type: "string", default: "200000" },
      seed: { type: "string", default: "1" },
      connections: { type: "string", default: "16" },
      only: { type: "string" },
    },
  });
  const { only } = values;
  const [requests, seed, connections] = [values.requests, values.seed, values.connections].map(
    Number,
  ) as [number, number, number];
  await using product = await Product.start();
  // The product must end with this process.
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const memory = [product.memoryMiB];
  const startedAt = performance.now();
  const onProgress = (sent: number): void => {
    memory.push(product.memoryMiB);
    const rate = Math.round(sent / ((performance.now() - startedAt) / 1_000));
    process.stderr.write(`${sent} requests, ${rate}/s, ${memory.at(-1)} MiB\n`);
  };
  const { signal } = interrupted;
  const onFault = (fault: string): void => {
    // The interruption may have ended the product too, and then all requests fail.
    if (!signal.aborted) process.stderr.write(`FAULT ${fault}\n`);
  };
  await using result = await fuzz(product, {
    requests,
    seed,
    connections,
    only,
    signal,
    onProgress,
    onFault,
  });
  if (signal.aborted) return { held: false, lines: ["It was interrupted."] };
  const after = await lookAfter(product, result, product.log);
  memory.push(product.memoryMiB);
  const most = Math.max(...memory);
  if (most > MEMORY_MAX_MIB) result.ledger.blame("memory", `${most} MiB`, memory.join(" "));
  if (memory.at(-1) === 0)
    result.ledger.blame("process", "it is gone", product.log.slice(-LAST_WORDS));
  process.off("SIGINT", stop).off("SIGTERM", stop);
  return tell(result, OUT_OF_REACH, [
    `seed ${seed}, ${connections} connections`,
    ...after,
    `memory at the start ${memory[0]} MiB, at most ${most}, at the end ${memory.at(-1)}`,
  ]);
}

/** Reports the results, and whether every operation has succeeded at least once. */
export function tell(
  result: FuzzResult,
  excused: Readonly<Record<string, string>>,
  more: readonly string[],
): Finding {
  const { ledger, operations, durationMs, families, walks } = result;
  const idle = operations.filter(({ id }) => ledger.successes(id) === 0);
  const missed = idle.filter(({ id }) => !(id in excused));
  for (const { id } of missed) ledger.blame(id, "never answered with success", "");
  const rate = Math.round(ledger.requests / (durationMs / 1_000));
  const { slowest } = ledger;
  const held = ledger.faults.length === 0;
  return {
    held,
    lines: [
      `${ledger.requests} requests in ${Math.round(durationMs / 1_000)} s (${rate}/s)`,
      ...more,
      `statuses: ${ledger.byStatus.map(([status, count]) => `${status} ×${count}`).join(", ")}`,
      `${walks} walks through ${families} families of resources`,
      `${ledger.shed} requests were refused to shed load or for want of an upstream`,
      `the slowest answer: ${Math.round(slowest.durationMs)} ms, ${slowest.operation}`,
      ...idle.map(({ id }) => `never answered with success: ${id}, ${excused[id] ?? "a fault"}`),
      `operations, each with its successes and refusals:`,
      ...coverage(result),
      ...ledger.faults,
    ],
  };
}

const COLUMNS = 3;

function coverage({ operations, ledger }: FuzzResult): string[] {
  const cells = operations.map(({ id }) => `${id} ${ledger.successes(id)}/${ledger.refusals(id)}`);
  const rows = Math.ceil(cells.length / COLUMNS);
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: COLUMNS }, (__, column) => (cells[column * rows + row] ?? "").padEnd(45))
      .join("")
      .trimEnd(),
  );
}
