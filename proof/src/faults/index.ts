import { parseArgs } from "node:util";
import { seeded } from "../../../server/src/kernel/testing/random.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { clocks } from "./cases/clocks.ts";
import { clients } from "./cases/clients.ts";
import { idleConnections } from "./cases/idle-connections.ts";
import { disk } from "./cases/full-disk.ts";
import { droppedConnections } from "./cases/dropped-connections.ts";
import { embeddedDatabase } from "./cases/embedded-database.ts";
import { restarts } from "./cases/restarts.ts";
import { slowDatabase } from "./cases/slow-database.ts";
import type { Fault, Seen } from "./fault.ts";

const FAULTS: readonly Fault[] = [
  ...restarts,
  ...slowDatabase,
  ...droppedConnections,
  ...embeddedDatabase,
  ...disk,
  ...clocks,
  ...clients,
  ...idleConnections,
];

/** Tests the product under faults: each fault under a light mixed load, before, during and after. */
export const faults: Proof = {
  name: "faults",
  usage: `[${FAULTS.map(({ name }) => name).join("|")} …] [--seed N] [--database URL]`,
  run,
};

async function run(options: Options): Promise<Finding> {
  const { values, positionals } = parseArgs({
    args: [...options],
    allowPositionals: true,
    options: { seed: { type: "string", default: "1" }, database: { type: "string" } },
  });
  const unknown = positionals.filter((name) => !FAULTS.some((fault) => fault.name === name));
  if (unknown.length > 0) throw new Error(`There is no fault called ${unknown.join(", ")}.`);
  const wanted = FAULTS.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const lines = [`seed ${values.seed}`];
  let held = true;
  for (const fault of wanted) {
    const seen = await suffer(fault, { seed: Number(values.seed), url: values.database });
    held &&= seen.wrong.length === 0;
    const told = [
      `${seen.wrong.length === 0 ? "held" : "BROKE"}: ${fault.name}, ${fault.about}`,
      ...seen.lines.map((line) => `  ${line}`),
      ...seen.wrong.map((line) => `  WRONG: ${line}`),
    ];
    process.stderr.write(`${told.join("\n")}\n`);
    lines.push(...told);
  }
  return { held, lines };
}

async function suffer(
  fault: Fault,
  { seed, url }: { readonly seed: number; readonly url: string | undefined },
): Promise<Seen> {
  const stages: AsyncDisposable[] = [];
  let ending: Promise<unknown> | undefined;
  const interrupted = (): void => {
    const ends = stages.map((stage) => stage[Symbol.asyncDispose]());
    ending = Promise.allSettled(ends).then(() => process.exit(130));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
  try {
    const onStage = (stage: AsyncDisposable): void => void stages.push(stage);
    return await fault.run({ url, random: seeded(seed), onStage });
  } catch (error) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { lines: [], wrong: [words] };
  } finally {
    // The fault fails as soon as its stage is closed, but closing takes longer.
    await ending;
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupted);
  }
}
