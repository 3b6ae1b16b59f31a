import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { comesTrue, isAlive } from "./processes.ts";
import {
  base,
  killGroup,
  outcome,
  rows,
  runChild,
  serverOf,
  start,
  startedBefore,
  useFolders,
  write,
} from "./testing/cluster.ts";

/** Without death signals (macOS, busybox), only the next start ends an orphaned server. */
const HAS_DEATH_SIGNAL = spawnSync("setpriv", ["--pdeathsig", "INT", "--", "true"]).status === 0;

/** For a busy machine. */
const LIMIT_MS = 40_000;

/** Files in order of appearance; "*" is the draft folder of initdb. */
const MOMENTS = [
  ["group", "*"],
  ["parent", "*/global/pg_control"],
  ["group", "*/base/1/PG_VERSION"],
  ["parent", "*/base/4/PG_VERSION"],
  ["group", "*/base/5/PG_VERSION"],
  ["group", "postgres/PG_VERSION"],
  ["parent", "postgres/postmaster.pid"],
] as const;

useFolders();

describe("kill -9", () => {
  test("only the parent: the next start ends the orphaned server", async () => {
    const folder = await startedBefore();
    const child = runChild(folder);
    const { connection } = await outcome(child);
    await write(connection!, "acknowledged");
    // A stopped process cannot handle its death signal before the next start finds it.
    const orphan = await serverOf(folder);
    process.kill(orphan, "SIGSTOP");
    child.kill("SIGKILL");
    await comesTrue(() => !isAlive(child.pid!), LIMIT_MS);
    expect(isAlive(orphan)).toBe(true);

    const ended: string[] = [];
    const database = await start(folder, {
      log: (line) => {
        ended.push(line);
        if (line.startsWith("ending ")) process.kill(orphan, "SIGCONT");
      },
    });
    expect(ended).toContain(
      `stopping PostgreSQL server ${orphan} of an earlier process with SIGINT`,
    );
    expect(isAlive(orphan)).toBe(false);
    expect(await rows(database.connection)).toEqual(["acknowledged"]);
  });

  test.runIf(HAS_DEATH_SIGNAL)("the parent: a death signal also ends the server", async () => {
    const folder = await startedBefore();
    const child = runChild(folder);
    const { connection } = await outcome(child);
    const pid = await serverOf(folder);
    child.kill("SIGKILL");
    expect(await comesTrue(() => !isAlive(pid), LIMIT_MS)).toBe(true);
    await rm(connection!.host, { recursive: true });
  });

  test("only the server: the end is reported, and the next start has the rows", async () => {
    const folder = await startedBefore();
    const first = await start(folder);
    await write(first.connection, "acknowledged");
    const pid = await serverOf(folder);
    process.kill(pid, "SIGKILL");
    expect(await first.died).toContain("PostgreSQL ended unexpectedly (SIGKILL)");
    await first.stop();
    const second = await start(folder);
    expect(await rows(second.connection)).toEqual(["acknowledged"]);
  });

  test.each(MOMENTS)(
    "the %s during a first start, when %s appears: the folder starts again",
    async (whom, moment) => {
      const folder = join(base(), "data");
      const child = runChild(folder);
      expect(await comesTrue(() => hasCome(folder, moment), LIMIT_MS)).toBe(true);
      if (whom === "group") killGroup(child);
      else child.kill("SIGKILL");

      await comesTrue(() => !isAlive(child.pid!), LIMIT_MS);
      const database = await start(folder);
      await write(database.connection, "after");
      expect(await rows(database.connection)).toEqual(["after"]);
      expect((await readdir(folder)).filter((name) => name.includes(".init-"))).toEqual([]);
    },
  );
});

/**
 * True if the file of a moment exists. "*" is initdb's draft folder, whose name is unknown and which is renamed
 * when complete, so a later moment can be detected instead.
 */
function hasCome(folder: string, moment: string): boolean {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name === "postgres" || /^postgres\.init-[-0-9a-f]+$/.test(name))
    .some((name) => existsSync(join(folder, moment.replace("*", name))));
}
