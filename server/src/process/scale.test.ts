import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "#kernel/testing/world.ts";
import { useServerDatabase } from "./testing/server-database.ts";
import { launch, type Product, useProducts } from "./testing/product.ts";

const SCALE = join(import.meta.dirname, "../../../deploy/src/main.ts");
/** Below the system's ephemeral ports. */
/** Below the system's ephemeral ports. */
const PORTS = { from: 20_000, to: 30_000 };
/** Concurrent test runs start at another port. */
let nextPort = PORTS.from + (process.pid % (PORTS.to - PORTS.from));
/** For a busy machine. */
const WORK_LIMIT_MS = 50_000;

// First, so that the database is dropped after the products have ended: hooks run in reverse.
const database = useServerDatabase();
useProducts();

test("a fleet restarts killed processes, performs rolling restarts, and stops completely", async () => {
  const port = await freePair();
  const env = { ...database.env, MILLRACE_STOP_DELAY_SECONDS: "0" };
  const scale = launch(env, [SCALE, "--api", "2", "--worker", "0", "--port", String(port)]);
  await says(scale, "ready: api 1");
  process.kill(processOf(scale, "api 1"), "SIGKILL");
  await says(scale, "api 1 ended (SIGKILL); it starts again");
  await until(() => isReady(port), WORK_LIMIT_MS);

  const before = linesOf(scale).length;
  scale.child.kill("SIGHUP");
  await says(scale, "all were restarted");
  expect(linesOf(scale).slice(before)).toEqual([
    "api 1 is stopped",
    "api 1 is process N",
    "api 1 is ready again",
    "api 2 is stopped",
    "api 2 is process N",
    "api 2 is ready again",
    "all were restarted",
  ]);
  expect(await Promise.all([isReady(port), isReady(port + 1)])).toEqual([true, true]);

  scale.child.kill("SIGTERM");
  expect(await scale.ended).toBe(0);
  expect(await isReady(port)).toBe(false);
  expect(await isReady(port + 1)).toBe(false);
});

test("a failed fleet start reports the reason and leaves no processes", async () => {
  const embedded = launch({}, [SCALE, "--port", "20000"]);
  expect(await embedded.ended).toBe(2);
  expect(said(embedded)).toContain("Set DATABASE_URL");
  const port = await freePair();
  const env = { ...database.env, MILLRACE_RATE_LIMIT: "many" };
  const refused = launch(env, [SCALE, "--api", "1", "--worker", "1", "--port", String(port)]);
  expect(await refused.ended).toBe(1);
  expect(said(refused)).toContain("scale: not ready: worker 1, api 1");
});

function said({ lines }: Product): string {
  return lines.join("\n");
}

async function says(product: Product, words: string): Promise<void> {
  await until(async () => said(product).includes(words), WORK_LIMIT_MS);
}

/** Its own lines, without those of its processes. */
function linesOf({ lines }: Product): string[] {
  return lines
    .filter((line) => line.startsWith("scale: "))
    .map((line) => line.slice("scale: ".length).replace(/process \d+$/, "process N"));
}

function processOf(product: Product, name: string): number {
  return Number(new RegExp(`^scale: ${name} is process (\\d+)$`, "m").exec(said(product))?.[1]);
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    (reply) => reply.arrayBuffer().then(() => reply.status === 200),
    () => false,
  );
}

/** Two free consecutive ports. */
async function freePair(): Promise<number> {
  for (;;) {
    const port = nextPort;
    nextPort = port + 2 < PORTS.to ? port + 2 : PORTS.from;
    if ((await isFree(port)) && (await isFree(port + 1)) && (await isFree(port + 100))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const bound = Promise.race([
    once(server, "listening").then(() => true),
    once(server, "error").then(() => false),
  ]);
  server.listen(port, "127.0.0.1");
  const free = await bound.catch(() => false);
  if (free) {
    server.close();
    await once(server, "close");
  }
  return free;
}
