import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DatabaseServer } from "../database-server.ts";
import type { Figure } from "../figure.ts";
import { asMember } from "../request.ts";
import { logIn, type Rig } from "../rig.ts";
import { nowMs, spreadOf } from "../statistics.ts";
import { seedEvents } from "./events.ts";

const EVENTS = 1_000_000;
/** The number of events per record. */
const EVENTS_A_RECORD = 5;
const LINES_AT_ONCE = 20_000;
const TARGET = 1.5;
const ROUNDS_MAX = 3;
const PROGRAM = join(import.meta.dirname, "../../../server/millrace.mjs");
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const COLUMNS = [
  { name: "number", type: "text", unique: true },
  { name: "title", type: "text" },
  { name: "total", type: "decimal" },
];
const run = promisify(execFile);

const [SOURCE, TARGET_DATABASE, RESTORED] = [
  "millrace_bench_source",
  "millrace_bench_target",
  "millrace_bench_restored",
];

/** Moving a workspace to another installation, against the database's tools. */
export const portable: Figure = {
  name: "portable",
  async measure(rig, { rounds, size = EVENTS }) {
    const given = process.env["BENCH_DATABASE_URL"];
    if (given === undefined)
      throw new Error("Set BENCH_DATABASE_URL to a PostgreSQL server that pg_dump here can read.");
    const server = new DatabaseServer(given);
    try {
      await server.create(SOURCE);
      await server.create(TARGET_DATABASE);
      const { records, events } = await fillSource(rig, server, size);
      const target = await installation(rig, server, TARGET_DATABASE);
      const durations = [];
      for (let round = 0; round < Math.min(rounds, ROUNDS_MAX); round += 1) {
        const theirs = await dumpAndRestore(rig, server);
        durations.push({ ...theirs, ...(await exportAndImport(rig, server)) });
      }
      await target.stop();
      return describe(durations, { records, events });
    } finally {
      for (const database of [SOURCE, TARGET_DATABASE, RESTORED]) await server.drop(database);
    }
  },
};

interface Durations {
  readonly dumpMs: number;
  readonly restoreMs: number;
  readonly exportMs: number;
  readonly importMs: number;
}

function describe(
  durations: readonly Durations[],
  { records, events }: { readonly records: number; readonly events: number },
) {
  const medianOf = (of: (one: Durations) => number) => spreadOf(durations.map(of)).median;
  const ratio = medianOf((one) => (one.exportMs + one.importMs) / (one.dumpMs + one.restoreMs));
  const seconds = (of: (one: Durations) => number) => `${(medianOf(of) / 1_000).toFixed(1)} s`;
  return {
    ours: `${seconds(({ exportMs }) => exportMs)} and ${seconds(({ importMs }) => importMs)}`,
    reference: `${seconds(({ dumpMs }) => dumpMs)} and ${seconds(({ restoreMs }) => restoreMs)}`,
    ratio: ratio.toFixed(2),
    target: `≤ ${TARGET}`,
    reached: ratio <= TARGET,
    notes: [`${events} events, ${records} records`, "pg_dump -Fc -Z 1, pg_restore"],
    values: { durations, events, records },
  };
}

const settingsOf = (server: DatabaseServer, database: string, folder: string) => ({
  DATABASE_URL: server.urlOf(database),
  MILLRACE_MASTER_KEY: MASTER_KEY,
  MILLRACE_DATA_DIR: folder,
  MILLRACE_CONSOLE: "off",
});

async function installation(rig: Rig, server: DatabaseServer, database: string) {
  const folder = await rig.folder(database);
  return rig.startPlainProduct(settingsOf(server, database, folder));
}

/** An installation with a long log and a large table, whose readers have caught up. */
async function fillSource(rig: Rig, server: DatabaseServer, size: number) {
  const product = await installation(rig, server, SOURCE);
  const token = await logIn(product.port);
  const records = Math.floor(size / EVENTS_A_RECORD);
  const send = async (path: string, type: string, body: string): Promise<void> => {
    const reply = await fetch(`http://127.0.0.1:${product.port}${path}`, {
      method: "POST",
      headers: { ...asMember(token), "content-type": type },
      body,
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    await reply.arrayBuffer();
  };
  const table = { name: "Parts", slug: "parts", columns: COLUMNS };
  await send("/api/v1/tables", "application/json", JSON.stringify(table));
  for (let from = 0; from < records; from += LINES_AT_ONCE) {
    const lines = Array.from(
      { length: Math.min(LINES_AT_ONCE, records - from) },
      (_, n) => `P-${from + n},Part ${from + n},${n / 4}`,
    );
    const csv = ["number,title,total", ...lines].join("\n");
    await send("/api/v1/tables/parts/records/import", "text/csv", csv);
  }
  await product.stop();
  const query: Rig["query"] = (text, values) => server.query(SOURCE, text, values);
  const count = async () =>
    (await query<{ n: number }>("select count(*)::int as n from events"))[0]?.n ?? 0;
  await seedEvents({ query }, Math.max(0, size - (await count())));
  await query("analyze");
  return { records, events: await count() };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = nowMs();
  await work();
  return nowMs() - startedAtMs;
}

async function dumpAndRestore(rig: Rig, server: DatabaseServer) {
  const file = join(await rig.folder("archives"), "dump");
  await rm(file, { force: true });
  const dumpMs = await timed(() =>
    run("pg_dump", ["-Fc", "-Z", "1", "-f", file, server.urlOf(SOURCE)]),
  );
  await server.create(RESTORED);
  const restoreMs = await timed(() => run("pg_restore", ["-d", server.urlOf(RESTORED), file]));
  await server.drop(RESTORED);
  return { dumpMs, restoreMs };
}

async function exportAndImport(rig: Rig, server: DatabaseServer) {
  const archive = join(await rig.folder("archives"), "workspace");
  await rm(archive, { force: true });
  const command = async (database: string, ...args: readonly string[]) => {
    const { PATH = "", HOME = "" } = process.env;
    const env = { PATH, HOME, ...settingsOf(server, database, await rig.folder(database)) };
    return run(process.execPath, [PROGRAM, ...args], { env });
  };
  const exportMs = await timed(() => command(SOURCE, "export-workspace", "default", archive));
  const importMs = await timed(() =>
    command(TARGET_DATABASE, "import-workspace", archive, "--slug", "moved"),
  );
  await command(TARGET_DATABASE, "discard-import", "moved");
  // The database's tools fill a new database each time, so rows of a discarded import must not slow down ours.
  await server.query(TARGET_DATABASE, "vacuum analyze");
  return { exportMs, importMs };
}
