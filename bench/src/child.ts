import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface Program {
  /** What Node runs, with its own options before it. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** A server in a process of its own, on a free port. */
export interface Child {
  readonly pid: number;
  readonly port: number;
  /** From the spawn to the first 200 of /readyz. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

const READY_MAX_MS = 60_000;
const READY_POLL_MS = 5;
const STOP_MAX_MS = 30_000;
const LOG_TAIL_CHARS = 4_000;

/** Starts a server and waits until it says that it is ready. */
export async function startChild({ args, env, logFile }: Program): Promise<Child> {
  const port = await freePort();
  const log = openSync(logFile, "a");
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], HOST: "127.0.0.1", PORT: String(port), ...env },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  try {
    await ready(child, port);
  } catch (error) {
    await end(child);
    const tail = readFileSync(logFile, "utf8").slice(-LOG_TAIL_CHARS);
    throw new Error(`${args.join(" ")} did not start.\n${tail}`, { cause: error });
  }
  const readyMs = performance.now() - startedAt;
  return { pid: child.pid ?? 0, port, readyMs, stop: () => end(child) };
}

async function ready(child: ChildProcess, port: number): Promise<void> {
  const limit = performance.now() + READY_MAX_MS;
  while (performance.now() < limit) {
    if (!isRunning(child)) throw new Error(`It ended: ${child.exitCode ?? child.signalCode}`);
    // Nobody listens yet, or what listens is not ready: both are a reason to ask again.
    const status = await fetch(`http://127.0.0.1:${port}/readyz`)
      .then((reply) => reply.arrayBuffer().then(() => reply.status))
      .catch(() => 0);
    if (status === 200) return;
    await pause(READY_POLL_MS);
  }
  throw new Error(`It was not ready after ${READY_MAX_MS} ms.`);
}

/** Lets the server drain; one that does not end by itself is killed. */
async function end(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
  await gone;
  clearTimeout(force);
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}
