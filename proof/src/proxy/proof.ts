import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Finding, Options, Proof } from "../proof.ts";
import { ask, client, newTally, type Tally, type Target } from "./load.ts";
import { PASSWORD, Site } from "./site.ts";
import { Follower } from "./stream.ts";

/** The maximum lag of the follower at the end. */
const LOOKS_MAX = 200;
const LOOK_MS = 100;

/** Rolling restarts behind a proxy, under load: no request fails. */
export const proxy: Proof = {
  name: "proxy",
  usage:
    "[--database URL] [--seconds 40] [--restarts 2] [--clients 8] [--api 2] [--worker 1] [--direct]",
  run,
};

async function run(words: Options): Promise<Finding> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      database: { type: "string" },
      seconds: { type: "string", default: "40" },
      restarts: { type: "string", default: "2" },
      clients: { type: "string", default: "8" },
      api: { type: "string", default: "2" },
      worker: { type: "string", default: "1" },
      direct: { type: "boolean", default: false },
    },
  });
  const through = values.direct ? "postgres" : "pooler";
  for (const program of ["haproxy", ...(values.direct ? [] : ["pgbouncer"])]) assertThere(program);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => stop.abort(new Error(`Ended by ${signal}.`)));
  await using site = await Site.open({
    databaseUrl: values.database,
    through,
    apis: Number(values.api),
    workers: Number(values.worker),
    stop: stop.signal,
  });
  // Awaited here, because otherwise the site would end before the load.
  return await Promise.race([aborted(stop.signal), load(site, values, through)]);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
  );
}

async function load(
  site: Site,
  { seconds, restarts, clients }: { seconds: string; restarts: string; clients: string },
  through: string,
): Promise<Finding> {
  const target = await logIn(site.address);
  const tally = newTally();
  const end = new AbortController();
  const follower = new Follower(target);
  await follower.begin();
  const endsAt = performance.now() + Number(seconds) * 1_000;
  const load = Array.from({ length: Number(clients) }, (_, n) =>
    client(target, n, tally, end.signal),
  );
  const startedAt = performance.now();
  for (let turn = 1; turn <= Number(restarts); turn += 1) await site.renew(turn);
  await pause(Math.max(0, endsAt - performance.now()));
  end.abort();
  await Promise.all(load);
  const tookMs = performance.now() - startedAt;
  const unheardOf = () => [...tally.titles].filter((title) => !follower.heard.has(title)).length;
  for (let look = 0; look < LOOKS_MAX && unheardOf() > 0; look += 1) await pause(LOOK_MS);
  await follower.end();
  const { streams, heard } = follower;
  const unheard = unheardOf();
  const stored = await titlesOf(target);
  const missing = [...tally.titles].filter((title) => !stored.has(title)).length;
  const unasked = stored.size - tally.titles.size + missing;
  const failed = sum(tally.failures.values());
  const held = failed === 0 && missing === 0 && unasked === 0 && unheard === 0 && tally.writes > 0;
  return { held, lines: linesOf() };

  function linesOf(): string[] {
    return [
      `${clients} clients through HAProxy for ${(tookMs / 1_000).toFixed(0)} s, ${restarts} rolling restarts, database through ${through}`,
      `requests answered: ${tally.writes} writes, ${tally.reads} reads, ${tally.questions} questions in SQL; ${rate(tally, tookMs)} a second; slowest ${tally.slowestMs.toFixed(0)} ms`,
      `requests that failed: ${failed}`,
      ...[...tally.failures].map(([kind, count]) => `  ${count} × ${kind}`),
      `acknowledged and not there: ${missing}; there and not acknowledged: ${unasked}`,
      `one follower of the topic, through ${streams} streams: ${heard.size} heard, ${unheard} missed`,
    ];
  }
}

function rate({ writes, reads, questions }: Tally, tookMs: number): string {
  return (((writes + reads + questions) * 1_000) / tookMs).toFixed(0);
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}

async function logIn(address: string): Promise<Target> {
  const login = { email: "admin@example.com", password: PASSWORD };
  const { status, body } = await ask({ address, token: "" }, "POST /api/v1/auth/token", login);
  if (status !== 200) throw new Error(`The login failed: ${status} ${JSON.stringify(body)}`);
  const target = { address, token: body.data.token as string };
  const table = { name: "Orders", columns: [{ name: "title", type: "text", unique: true }] };
  const made = await ask(target, "POST /api/v1/tables", table);
  if (made.status !== 201) throw new Error(`No table: ${JSON.stringify(made.body)}`);
  return target;
}

async function titlesOf(target: Target): Promise<Set<string>> {
  const titles = new Set<string>();
  for (let after = ""; ;) {
    const path = `/api/v1/tables/orders/records?limit=200&fields=title${after}`;
    const { body } = await ask(target, `GET ${path}`);
    for (const { title } of body.data) titles.add(title);
    const next: string | null = body.pagination.nextCursor;
    if (next === null) return titles;
    after = `&after=${encodeURIComponent(next)}`;
  }
}

function assertThere(program: string): void {
  try {
    execFileSync(program, ["-v"], { stdio: "ignore" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new Error(`${program} is not installed here.`, { cause: error });
  }
}
