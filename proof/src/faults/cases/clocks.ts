import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { all } from "../asker.ts";
import { duringWork, type Fault } from "../fault.ts";
import { CREATE_SHIFTED_CLOCK, MOVE_SHIFTED_CLOCK, USE_SHIFTED_CLOCK } from "../shifted-clock.ts";
import { Stage } from "../stage.ts";

const HOUR_MS = 3_600_000;
const JUMPS_MS = [2 * HOUR_MS, -2 * HOUR_MS, 30 * HOUR_MS, -30 * HOUR_MS, 0];
const SHIM = join(import.meta.dirname, "../clock-shim.ts");

/** A resource with an id and a creation time. */
interface Made {
  readonly id: string;
  readonly createdAt: string;
}

/** Duplicate ids, or ids whose order differs from the creation times by more than a moment. */
async function disorder(stage: Stage): Promise<string[]> {
  const runs = await all<Made>(stage.ask, "/api/v1/runs");
  const wrong: string[] = [];
  if (new Set(runs.map(({ id }) => id)).size !== runs.length) wrong.push("an id came twice");
  const times = runs.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((run) => run.createdAt);
  const back = times.filter(
    (time, n) => Date.parse(time) < Date.parse(times[n - 1] ?? time) - 1_000,
  );
  if (back.length > 0) wrong.push(`${back.length} runs are out of order by their ids`);
  return wrong;
}

const processClock: Fault = {
  name: "process-clock",
  about:
    "the clock of the product's machine jumps by hours, ahead and back; the database's does not",
  async run({ onStage, url }) {
    const folder = mkdtempSync(join(tmpdir(), "millrace-clock-"));
    const file = join(folder, "shift");
    writeFileSync(file, "0");
    try {
      await using stage = await Stage.open({
        database: "server",
        url,
        env: { PROOF_CLOCK_FILE: file, MILLRACE_RATE_LIMIT: "1000000" },
        flags: ["--import", SHIM],
      });
      onStage(stage);
      const wrong: string[] = [];
      const seen = await duringWork(stage, async (work) => {
        for (const jumpMs of JUMPS_MS) {
          writeFileSync(file, String(jumpMs));
          await pause(1_000);
          await work.flows(5, 30_000);
          const { status } = await stage.ask("GET /api/v1/auth/me");
          if (status !== 200)
            wrong.push(`the session answered ${status} after a jump of ${jumpMs} ms`);
        }
        wrong.push(...(await disorder(stage)));
      });
      return { lines: seen.lines, wrong: [...wrong, ...seen.wrong] };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** The product reads the database clock once a minute. */
const NOTICED_MS = 62_000;

const databaseClock: Fault = {
  name: "database-clock",
  about: "the database's clock jumps two hours ahead, and two hours back again",
  async run({ onStage, url }) {
    await using stage = await Stage.open({ database: "server", url });
    onStage(stage);
    await stage.sql(CREATE_SHIFTED_CLOCK);
    await stage.sql(USE_SHIFTED_CLOCK);
    stage.proxy.cutAll();
    const wrong: string[] = [];
    const seen = await duringWork(stage, async (work) => {
      for (const away of ["2 hours", "0"]) {
        await stage.sql(MOVE_SHIFTED_CLOCK, [away]);
        await pause(NOTICED_MS);
        await work.flows(5, 30_000);
        const { status } = await stage.ask("GET /api/v1/auth/me");
        if (status !== 200) wrong.push(`the session answered ${status}, ${away} ahead`);
      }
    });
    const [row] = await stage.sql<{ n: number }>(
      "select count(*)::int as n from events where created_at > pg_catalog.now() + interval '1 hour'",
    );
    if (row?.n === 0) wrong.push("the product did not notice");
    return {
      lines: [`${row?.n} events were written in the hours that were not`, ...seen.lines],
      wrong: [...wrong, ...seen.wrong],
    };
  },
};

/** Faults of clocks. */
export const clocks: readonly Fault[] = [processClock, databaseClock];
