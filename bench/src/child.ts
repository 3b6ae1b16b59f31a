import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface Program {
  /** The arguments of Node, including Node's options. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** The environment variable for the port. Default: PORT. */
  readonly portVariable?: string;
  /** The path that responds 200 when ready. Default: /readyz. */
  readonly readyPath?: string;
  /** The working folder. Default: the current one. */
  readonly cwd?: string;
  /** Ends the process if it is not ready when aborted. */
  readonly signal?: AbortSignal;
}

/** A server in a separate process, on a free port. */
export interface Child {
  readonly pid: number;
  readonly port: number;
  /** From the spawn to the first 200 of its probe. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** Other products may migrate their database first. */
const READY_MAX_MS = 120_000;
const READY_POLL_MS = 5;
const STOP_MAX_MS = 30_000;
const LOG_TAIL_CHARS = 4_000;

/** Starts a server and waits until it is ready. */
export async function startChild(program: Program): Promise<Child> {
  const { args, env, logFile, cwd } = program;
  const { portVariable = "PORT", readyPath = "/readyz", signal } = program;
  const port = await freePort();
  const log = openSync(logFile, "a");
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], HOST: "127.0.0.1", [portVariable]: String(port), ...env },
    stdio: ["ignore", log, log],
    cwd,
  });
  closeSync(log);
  try {
    await ready(child, `http://127.0.0.1:${port}${readyPath}`, signal);
  } catch (error) {
    await end(child);
    const tail = readFileSync(logFile, "utf8").slice(-LOG_TAIL_CHARS);
    throw new Error(`${args.join(" ")} did not start.\n${tail}`, { cause: error });
  }
  const readyMs = performance.now() - startedAt;
  return { pid: child.pid ?? 0, port, readyMs, stop: () => end(child) };
}

async function ready(child: ChildProcess, probe: string, signal?: AbortSignal): Promise<void> {
  const limit = performance.now() + READY_MAX_MS;
  while (performance.now() < limit) {
    signal?.throwIfAborted();
    if (!isRunning(child)) throw new Error(`It ended: ${child.exitCode ?? child.signalCode}`);
    // The server does not listen yet or is not ready. Both are retried.
    const status = await fetch(probe)
      .then((reply) => reply.arrayBuffer().then(() => reply.status))
      .catch(() => 0);
    if (status === 200) return;
    await pause(READY_POLL_MS);
  }
  throw new Error(`It was not ready after ${READY_MAX_MS} ms.`);
}

/** Lets the server drain, then kills it after a timeout. */
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

/** A currently unused port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}
