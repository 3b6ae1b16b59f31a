import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { duringWork, type Fault } from "../fault.ts";
import { Stage } from "../stage.ts";

const END_MAX_MS = 60_000;

/** Its process id in the lock file. */
export function postmasterOf(stage: Stage): number {
  const file = join(stage.folder, "data/postgres/postmaster.pid");
  return Number(readFileSync(file, "utf8").split("\n")[0]);
}

/** Waits for the product's exit and restarts it, like a service manager. */
export async function supervise(stage: Stage): Promise<string> {
  const begunAt = performance.now();
  const how = await Promise.race([stage.product.ended, pause(END_MAX_MS, "still there" as const)]);
  const tookMs = Math.round(performance.now() - begunAt);
  if (how !== 1) throw new Error(`Without its database the product should end with 1: ${how}`);
  await stage.startAgain();
  return `it ended with ${how} after ${tookMs} ms, and was started again`;
}

const killed: Fault = {
  name: "embedded-killed",
  about:
    "the embedded database is killed -9 under the product, twice; a service manager starts the product again",
  async run({ onStage }) {
    await using stage = await Stage.open({ database: "embedded" });
    onStage(stage);
    const told: string[] = [];
    const seen = await duringWork(
      stage,
      async (work) => {
        for (let round = 0; round < 2; round += 1) {
          process.kill(postmasterOf(stage), "SIGKILL");
          told.push(await supervise(stage));
          await work.flows(3, 30_000);
        }
      },
      { cutsClients: true },
    );
    const said = /stopping: the database ended/.test(stage.product.log);
    const wrong = said ? [] : ["the log does not say why it ended"];
    return { lines: [...told, ...seen.lines], wrong: [...seen.wrong, ...wrong] };
  },
};

const backendKilled: Fault = {
  name: "embedded-backend-killed",
  about:
    "one server process of the embedded database is killed -9: PostgreSQL restarts itself, the product stays",
  async run({ onStage }) {
    await using stage = await Stage.open({ database: "embedded" });
    onStage(stage);
    return await duringWork(
      stage,
      async () => {
        const parent = postmasterOf(stage);
        const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8");
        const pids = children.trim().split(" ").map(Number);
        const backend = pids.findLast((pid) =>
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("millrace millrace"),
        );
        process.kill(backend ?? pids.at(-1) ?? 0, "SIGKILL");
        await pause(1_000);
      },
      { mustShed: true },
    );
  },
};

/** Faults of the embedded database. */
export const embeddedDatabase: readonly Fault[] = [killed, backendKilled];
