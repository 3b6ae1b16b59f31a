import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { cannotExecute, launch } from "./launch.ts";
import { PORT } from "./leftovers.ts";
import type { DataFolder } from "./data-folder.ts";

/** A PostgreSQL server that runs as a child process. */
export interface Postmaster {
  /** Resolves with the reason if the server ended unexpectedly. */
  readonly died: Promise<string>;
  /** Stops the server. Resolves after its exit. Idempotent. */
  stop(): Promise<void>;
}

/** Another server, or processes of one, still use the cluster. */
export class ClusterHeld extends Error {
  override readonly name = "ClusterHeld";
}

/** The options of the server's start. */
export interface PostmasterOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/**
 * The limit per server process, in addition to shared memory. A statement that needs more fails alone. Without
 * the limit, the operating system would kill a process and with it all connections.
 */
const PROCESS_MEMORY_MAX_BYTES = 1024 ** 3;
const RECENT_LINES_MAX = 40;
const READY_POLL_MS_MAX = 50;
/** A fast shutdown, then immediate (the next start recovers), then a kill. */
const STOP_STEPS = [
  { name: "SIGINT", waitMs: 30_000 },
  { name: "SIGQUIT", waitMs: 10_000 },
  { name: "SIGKILL", waitMs: 5_000 },
] as const;

/** Starts the server and waits until it accepts connections. */
export async function startPostmaster(
  place: DataFolder,
  binaries: Binaries,
  options: PostmasterOptions,
): Promise<Postmaster> {
  const file = join(binaries.root, "bin", "postgres");
  const settings = { ...settingsFor(place), ...options.settings };
  const child = await launch({
    file,
    args: [
      "-D",
      place.cluster,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    account: place.account,
    signalOnOurDeath: "INT",
    ownGroup: true,
    memoryMaxBytes: PROCESS_MEMORY_MAX_BYTES,
  });
  const recent = keepRecentLines(child, options.log);
  const ended = waitForEnd(child, file);
  if (!(await isReady(child, place))) {
    const reason = `PostgreSQL did not start: ${await ended}\n${recent.join("\n")}`;
    const held = /lock file .* (already exists|is empty)|pre-existing shared memory/.test(reason);
    throw held ? new ClusterHeld(reason) : new Error(reason);
  }

  let stopping: Promise<void> | undefined;
  return {
    died: new Promise((resolve) => {
      child.once("exit", (code, killedBy) => {
        if (stopping !== undefined) return;
        resolve(`PostgreSQL ended unexpectedly (${code ?? killedBy}): ${recent.join("\n")}`);
      });
    }),
    stop: () => (stopping ??= stop(child)),
  };
}

/**
 * For a machine with two cores. wal_compression stays off: the binaries have no lz4, and pglz costs a tenth of
 * the updates (4,100/s instead of 4,600/s with 16 clients, interleaved rounds).
 */
function settingsFor(place: DataFolder): Record<string, string> {
  return {
    listen_addresses: "",
    port: String(PORT),
    unix_socket_directories: place.socketFolder,
    unix_socket_permissions: "0700",
    cluster_name: place.clusterName,
    timezone: "UTC",
    log_timezone: "UTC",
    max_connections: "100",
    shared_buffers: "256MB",
    effective_cache_size: "1GB",
    maintenance_work_mem: "128MB",
    // Fewer checkpoints: after each, the first write of every page is logged as a full page.
    max_wal_size: "2GB",
    checkpoint_timeout: "15min",
    random_page_cost: "1.1",
    jit: "off",
    // Only used after a restore, whose backup contains all required log segments.
    restore_command: "false",
    // Otherwise the server reports itself ready when it accepts reads, long before it accepts writes.
    hot_standby: "off",
    // The application reports failing statements. Here they would only write values to the log.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
  };
}

/** Line 8 of postmaster.pid reports readiness. There is no timeout, because a long recovery must not be interrupted. */
async function isReady(child: ChildProcess, place: DataFolder): Promise<boolean> {
  const file = join(place.cluster, "postmaster.pid");
  for (let pollMs = 1; isRunning(child); pollMs = Math.min(pollMs * 1.2, READY_POLL_MS_MAX)) {
    const lines = (await readFile(file, "utf8").catch(() => "")).split("\n");
    // Until the new server has written it, the file may belong to an earlier one.
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === "ready") return true;
    await pause(pollMs);
  }
  return false;
}

async function stop(child: ChildProcess): Promise<void> {
  for (const { name, waitMs } of STOP_STEPS) {
    if (!isRunning(child)) return;
    const exit = new Promise((resolve) => child.once("exit", resolve));
    child.kill(name);
    await Promise.race([exit, pause(waitMs, undefined, { ref: false })]);
  }
  if (isRunning(child)) throw new Error(`PostgreSQL process ${child.pid} does not end.`);
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Resolves to the exit reason after all output has been read. */
async function waitForEnd(child: ChildProcess, file: string): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(cannotExecute(file, error).message));
    child.once("close", (code, killedBy) => resolve(String(code ?? killedBy)));
  });
}

function keepRecentLines(child: ChildProcess, log: (line: string) => void): readonly string[] {
  const recent: string[] = [];
  if (child.stderr === null) return recent;
  createInterface({ input: child.stderr }).on("line", (line) => {
    recent.push(line);
    if (recent.length > RECENT_LINES_MAX) recent.shift();
    log(line);
  });
  return recent;
}
