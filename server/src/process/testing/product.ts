/** Shared functions of whole-process tests: the product as a child process, its HTTP API, and cleanup. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, vi } from "vitest";
import {
  comesTrue,
  isAlive,
  otherProcesses,
  PROC_READABLE,
  signal,
} from "#kernel/embedded/processes.ts";
import { fastFolder } from "#kernel/testing/fast-folder.ts";
import { SETTINGS, sharedBuild } from "./built-server.ts";

const START = join(import.meta.dirname, "../../../start.mjs");
const EMAIL = "admin@example.com";
const READY = /^(?:Millrace is ready at|A Millrace worker is ready\. Health probes:) (\S+)/;
const LINES_KEPT_MAX = 2_000;
const LINES_TOLD_MAX = 30;
const LINE_CHARACTERS_MAX = 600;
const ANSWER_LIMIT_MS = 50_000;
const BUSY_PAUSE_MS = 200;
const END_LIMIT_MS = 50_000;

let folderOfTest: string;
let products: Product[];

/** Registers hooks that give each test of a file a folder, and end all started processes. */
export function useProducts(): void {
  // Whole processes start and end here, several per test, possibly on a busy machine.
  vi.setConfig({ testTimeout: 400_000, hookTimeout: 120_000 });

  beforeEach(async () => {
    folderOfTest = await realpath(await mkdtemp(join(fastFolder(), "millrace-process-")));
    // The account that runs PostgreSQL for root must be able to enter.
    await chmod(folderOfTest, 0o755);
    products = [];
  });

  afterEach(async ({ task }) => {
    await Promise.all(products.map((product) => end(product)));
    if (task.result?.state === "fail") for (const product of products) tell(product);
    const left = databaseOf(dataFolder());
    if (left && isAlive(left.pid)) {
      signal(left.pid, "SIGKILL");
      await comesTrue(() => !isAlive(left.pid), END_LIMIT_MS);
    }
    if (left) await rm(left.host, { recursive: true, force: true });
    await rm(folderOfTest, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
}

/** The data folder of the current test, created by the product. */
export function dataFolder(): string {
  return join(folderOfTest, "data");
}

/** The environment of all products of the current test, plus additional variables. */
export function productEnvironment(env: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    ...SETTINGS,
    MILLRACE_DATA_DIR: dataFolder(),
    // A cache in each data folder would be empty in every test.
    ...sharedBuild(),
    ...env,
  };
}

/** A process of the product in a separate process group. */
export interface Product {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Its output and error lines, limited to the newest. */
  readonly lines: readonly string[];
  /** Resolves with its address. Rejects with its output if it ended before it was ready. */
  readonly ready: Promise<string>;
  /** Resolves with the exit code or signal, after all output was read. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** Starts the product, or another program with the same announcement. */
export function launch(
  env: Record<string, string> = {},
  program: readonly string[] = [START],
): Product {
  const child = spawn(process.execPath, [...program], {
    cwd: folderOfTest,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: productEnvironment(env),
  });
  const lines: string[] = [];
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, killedBy) => resolve(code ?? killedBy));
  });
  const ready = new Promise<string>((resolve, reject) => {
    for (const input of [child.stdout!, child.stderr!]) {
      createInterface({ input }).on("line", (line) => {
        lines.push(line);
        if (lines.length > LINES_KEPT_MAX) lines.shift();
        const address = READY.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    ended.then((how) => reject(new Error(`It ended (${how}):\n${lines.join("\n")}`)), reject);
  });
  // Not every test awaits it.
  ready.catch(() => undefined);
  const product = { child, pid: child.pid!, lines, ready, ended };
  products.push(product);
  return product;
}

/** Prints its last lines for a failed test. */
function tell({ pid, lines }: Product): void {
  const last = lines.slice(-LINES_TOLD_MAX).map((line) => line.slice(0, LINE_CHARACTERS_MAX));
  console.error([`Process ${pid} said:`, ...last].join("\n  "));
}

/** Lets the product drain, then kills it after a timeout. */
async function end({ child, pid, ended }: Product): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const force = setTimeout(() => process.kill(-pid, "SIGKILL"), END_LIMIT_MS);
  await ended;
  clearTimeout(force);
}

/** Stops the product normally. */
export async function stop({ child, ended }: Product): Promise<void> {
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
}

/** The PostgreSQL server of a data folder, from its lock file. */
export interface DatabaseProcess {
  readonly pid: number;
  /** The folder of its socket. */
  readonly host: string;
}

export function databaseOf(folder: string): DatabaseProcess | undefined {
  try {
    const text = readFileSync(join(folder, "postgres/postmaster.pid"), "utf8").split("\n");
    const [pid, host] = [Number(text[0]), text[4] ?? ""];
    return pid > 0 && host.startsWith("/tmp/millrace-") ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

/** The targets of a kill -9: Node's process group, only Node, or Node and all of PostgreSQL, like a power failure. */
export type Victims = "group" | "parent" | "everything";

export async function kill(product: Product, victims: Victims): Promise<void> {
  const database = databaseOf(dataFolder());
  // A stopped PostgreSQL can't begin a shutdown when Node dies.
  if (victims === "everything" && database) signal(database.pid, "SIGSTOP");
  process.kill(victims === "group" ? -product.pid : product.pid, "SIGKILL");
  if (victims === "everything" && database) killDatabase(database);
  await product.ended;
}

/** Kills all of PostgreSQL, which loses data that is only in its memory. */
export function killDatabase(database: DatabaseProcess): void {
  // A stopped server can neither end its backends nor start others.
  signal(database.pid, "SIGSTOP");
  for (const pid of [database.pid, ...backendsOf(database)]) signal(pid, "SIGKILL");
}

function backendsOf({ host }: DatabaseProcess): number[] {
  if (!PROC_READABLE) return [];
  const title = `postgres: ${basename(host)}: `;
  return otherProcesses()
    .filter(({ commandLine }) => commandLine.startsWith(title))
    .map(({ pid }) => pid);
}

export interface Answer {
  readonly status: number;
  readonly body: any;
  readonly headers: Headers;
}

export type Ask = (
  route: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/**
 * A caller of the server at this address. Rejects without a complete response. Repeats a request rejected by load
 * shedding, which had no effect.
 */
export function asker(address: string, token?: string): Ask {
  return async (route, body, headers = {}) => {
    const [method = "", path = ""] = route.split(" ");
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    for (;;) {
      const reply = await fetch(address + path, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
      });
      const text = await reply.text();
      if (reply.status !== 503) {
        const parsed = text === "" ? undefined : JSON.parse(text);
        return { status: reply.status, body: parsed, headers: reply.headers };
      }
      await pause(BUSY_PAUSE_MS, undefined, { signal });
    }
  };
}

/** The token of a new session of the first owner. */
export async function logIn(address: string): Promise<string> {
  const credentials = { email: EMAIL, password: SETTINGS.MILLRACE_ADMIN_PASSWORD };
  const { status, body } = await asker(address)("POST /api/v1/auth/token", credentials);
  if (status !== 200) throw new Error(`The owner can't log in: ${status} ${JSON.stringify(body)}`);
  return body.data.token;
}

/** All items of a list, page by page. */
export async function all(
  ask: Ask,
  path: string,
  headers: Record<string, string> = {},
): Promise<any[]> {
  const items: any[] = [];
  let after: string | null = null;
  do {
    const cursor: string = after === null ? "" : `&after=${encodeURIComponent(after)}`;
    const { status, body } = await ask(`GET ${path}?limit=200${cursor}`, undefined, headers);
    if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body)}`);
    items.push(...body.data);
    after = body.pagination.nextCursor;
  } while (after !== null);
  return items;
}
