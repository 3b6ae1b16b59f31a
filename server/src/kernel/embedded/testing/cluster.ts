/** Folders, databases and processes for tests of the embedded database, with automatic cleanup. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "pg";
import { afterEach, beforeEach, expect } from "vitest";
import {
  type EmbeddedConnection,
  type EmbeddedDatabase,
  type EmbeddedOptions,
  startEmbedded,
} from "../embedded-database.ts";
import { fastFolder } from "../../testing/fast-folder.ts";
import { makeSharedFolder } from "../../testing/shared-folder.ts";

const CHILD = join(import.meta.dirname, "crash-child.ts");

let folderOfTest: string;
let running: EmbeddedDatabase[];
let children: ChildProcess[];

/** Registers hooks that give each test an empty folder and clean up afterwards. */
export function useFolders(): void {
  beforeEach(async () => {
    folderOfTest = await realpath(await mkdtemp(join(fastFolder(), "millrace-test-")));
    await chmod(folderOfTest, 0o755);
    running = [];
    children = [];
  });

  afterEach(async () => {
    for (const child of children) await endChild(child);
    for (const database of running) await database.stop();
    await rm(folderOfTest, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
}

/** The empty folder of the current test, accessible to every account. */
export function base(): string {
  return folderOfTest;
}

/** Starts a database that is stopped after the test. By default it does not wait for the disk. */
export async function start(
  folder: string,
  options: Partial<EmbeddedOptions> = {},
): Promise<EmbeddedDatabase> {
  const settings = { fsync: "off" };
  const database = await startEmbedded({ folder, settings, log: () => {}, ...options });
  running.push(database);
  return database;
}

/** Copies a data folder that was initialised before. This saves the time of initdb. */
export async function startedBefore(parent = folderOfTest): Promise<string> {
  const template = await makeSharedFolder("cluster", makeTemplate);
  expect(spawnSync("cp", ["-a", join(template, "data"), parent]).status).toBe(0);
  return join(parent, "data");
}

/** Starts the test program in a separate process group. */
export function runChild(
  folder: string,
  account: { uid?: number; gid?: number } = {},
): ChildProcess {
  const child = spawn(process.execPath, [CHILD, folder], {
    ...account,
    cwd: "/",
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(child);
  return child;
}

/** The first line of the child: its connection or its failure. */
export async function outcome(
  child: ChildProcess,
): Promise<{ connection?: EmbeddedConnection; failure?: string }> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line);
  throw new Error("The child ended without a word");
}

async function makeTemplate(draft: string): Promise<void> {
  await mkdir(draft);
  // The account that runs PostgreSQL for root must be able to enter.
  await chmod(draft, 0o755);
  const folder = join(draft, "data");
  await (await startEmbedded({ folder, settings: { fsync: "off" }, log: () => {} })).stop();
}

/** Lets the child stop its database, so that no files remain in /tmp. */
async function endChild(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await exit;
}

/** Kills the child and its process group. */
export function killGroup(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL");
}

/** Runs one statement on a separate connection. */
export async function query(connection: EmbeddedConnection, text: string): Promise<object[]> {
  const client = new Client(connection);
  // Killing the server breaks the connection; the query's promise reports the failure.
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Commits a row. */
export async function write(connection: EmbeddedConnection, text: string): Promise<void> {
  await query(connection, "CREATE TABLE IF NOT EXISTS kept (text text)");
  await query(connection, `INSERT INTO kept VALUES ('${text}')`);
}

/** The rows that were committed. */
export async function rows(connection: EmbeddedConnection): Promise<string[]> {
  const found = await query(connection, "SELECT text FROM kept ORDER BY text");
  return found.map((row) => String(Reflect.get(row, "text")));
}

/** The pid of the server on the folder. */
export async function serverOf(folder: string): Promise<number> {
  return Number.parseInt(await readFile(join(folder, "postgres/postmaster.pid"), "utf8"), 10);
}
