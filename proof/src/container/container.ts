import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { asker, done, FIRST_OWNER, logIn } from "../dump/client.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { Confined } from "./confined.ts";
import { buildImage, run as runProgram } from "./image.ts";

const HEALTHY_MAX_MS = 180_000;
const END_MAX_MS = 30_000;
const LOOK_MS = 500;
const WRITERS = 8;
const WRITTEN_MIN = 50;
const TEAMS = "/api/v1/itsm/teams";

/** Builds and runs the image of deploy/Containerfile, as far as possible without a registry and a daemon. */
export const container: Proof = {
  name: "container",
  usage: "[--port 19200] [--folder F] (as root; debootstrap, buildah, and util-linux)",
  run,
};

async function run(options: Options): Promise<Finding> {
  const { values } = parseArgs({
    args: [...options],
    options: { port: { type: "string", default: "19200" }, folder: { type: "string" } },
  });
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "millrace-container-")));
  const port = Number(values.port);
  const faults: string[] = [];
  const lines: string[] = [];
  const check = (what: string, holds: boolean): void => {
    lines.push(`${holds ? "held" : "DID NOT HOLD"}: ${what}`);
    if (!holds) faults.push(what);
  };
  try {
    const image = buildImage(folder);
    lines.push(`the image has ${image.size} MB, and runs as ${image.user}`);
    const data = join(folder, "data");
    const settings = { ...FIRST_OWNER, PORT: String(port) };
    let written: readonly string[] = [];
    const first = new Confined(image, data, settings);
    try {
      check("its health check succeeds", await isHealthy(first, image.healthCheck));
      await lookAround(first, check);
      const drained = await drain(first, port);
      written = drained.written;
      check("SIGTERM under load ends it with 0", drained.code === 0);
    } finally {
      first.kill();
    }
    const second = new Confined(image, data, settings);
    try {
      check("it starts again on its data", await isHealthy(second, image.healthCheck));
      const found = await listTeams(port);
      const lost = written.filter((name) => !found.has(name));
      check(`${written.length} acknowledged writes are there`, lost.length === 0);
      second.stop();
      const [code] = await second.ended;
      check("SIGTERM ends it with 0", code === 0);
    } finally {
      second.kill();
    }
    return { held: faults.length === 0, lines };
  } finally {
    if (values.folder === undefined) {
      runProgram("buildah", [
        "--root",
        join(folder, "store"),
        "--runroot",
        join(folder, "run"),
        "umount",
        "--all",
      ]);
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function isHealthy(confined: Confined, healthCheck: readonly string[]): Promise<boolean> {
  for (const endsAt = Date.now() + HEALTHY_MAX_MS; Date.now() < endsAt;) {
    if (confined.pid !== undefined && confined.run(healthCheck).status === 0) return true;
    await pause(LOOK_MS);
  }
  process.stderr.write(confined.output);
  return false;
}

async function lookAround(
  confined: Confined,
  check: (what: string, holds: boolean) => void,
): Promise<void> {
  const status = await readFile(`/proc/${confined.pid}/status`, "utf8");
  check("its processes are of the account 10001", /^Uid:\s+10001\s+10001/m.test(status));
  check("it has no capability", /^CapEff:\s+0+$/m.test(status) && /^CapBnd:\s+0+$/m.test(status));
  check("it can gain none", /^NoNewPrivs:\s+1$/m.test(status));
  for (const path of ["/srv/millrace/x", "/etc/x", "/usr/local/bin/node"]) {
    const { output } = confined.run(["sh", "-c", `echo x >> ${path}`]);
    check(`${path} can't be written`, /Read-only|Permission denied/.test(output));
  }
  check("its data can", confined.run(["sh", "-c", "echo x > /data/x && rm /data/x"]).status === 0);
}

/** Keeps writing during the shutdown. Returns the acknowledged writes and the exit status. */
async function drain(
  confined: Confined,
  port: number,
): Promise<{ readonly written: readonly string[]; readonly code: unknown }> {
  const ask = asker(port, await logIn(port));
  const written: string[] = [];
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 0; ; n += 1) {
      const name = `Writer ${writer} ${n}`;
      const answer = await ask(`POST ${TEAMS}`, { name }).catch(() => undefined);
      // The server no longer listens.
      if (!answer) return;
      if (answer.status === 201) written.push(name);
    }
  });
  while (written.length < WRITTEN_MIN) await pause(LOOK_MS);
  confined.stop();
  const over = pause(END_MAX_MS, ["it did not end"], { ref: false });
  const [code] = await Promise.race([confined.ended, over]);
  confined.kill();
  await Promise.all(writers);
  return { written, code };
}

interface TeamPage {
  readonly data: readonly { readonly name: string }[];
  readonly pagination: { readonly nextCursor: string | null };
}

async function listTeams(port: number): Promise<ReadonlySet<string>> {
  const ask = asker(port, await logIn(port));
  const names = new Set<string>();
  for (let after = ""; ;) {
    const answer = await done(ask(`GET ${TEAMS}?limit=100${after}`));
    const { data, pagination } = answer.body as TeamPage;
    for (const { name } of data) names.add(name);
    if (pagination.nextCursor === null) return names;
    after = `&after=${encodeURIComponent(pagination.nextCursor)}`;
  }
}
