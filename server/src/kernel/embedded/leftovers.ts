/**
 * A kill -9 of this process can leave PostgreSQL running: the server, its backends, an initdb, and lock files
 * of processes that no longer exist. Two servers on one cluster would destroy it, so each start first ends them
 * or waits for them. The processes are recognised by their command lines, which every user can read, including
 * root in a container without access to other processes.
 */
import { readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { draftPrefix } from "./cluster.ts";
import type { DataFolder } from "./data-folder.ts";
import {
  comesTrue,
  processIdentity,
  isAlive,
  otherProcesses,
  PROC_READABLE,
  signal,
} from "./processes.ts";

/** The port is only part of the socket's name. The server does not listen on the network. */
export const PORT = 5432;

/**
 * First a clean shutdown, so that no recovery is needed. Backends without a server end automatically within
 * these times.
 */
const STEPS = [
  { name: "SIGINT", waitMs: 15_000, to: ["server"] },
  { name: "SIGQUIT", waitMs: 5_000, to: ["server"] },
  { name: "SIGKILL", waitMs: 5_000, to: ["server", "backend"] },
] as const;

interface Survivor {
  readonly pid: number;
  readonly part: "server" | "backend" | "initdb";
}

export async function endLeftovers(place: DataFolder, log: (line: string) => void): Promise<void> {
  if (PROC_READABLE) await endSurvivors(place, log);
  else if (await pidFileIsInUse(place, log)) return;

  // PostgreSQL would report a running server, because the pid can now belong to another program or a zombie.
  const socket = join(place.socketFolder, `.s.PGSQL.${PORT}`);
  for (const file of [join(place.cluster, "postmaster.pid"), `${socket}.lock`, socket]) {
    await rm(file, { force: true });
  }
}

async function endSurvivors(place: DataFolder, log: (line: string) => void): Promise<void> {
  // An unfinished initdb is discarded, so it need not stop cleanly.
  for (const { pid, part } of survivors(place)) if (part === "initdb") signal(pid, "SIGKILL");

  for (const { name, waitMs, to } of STEPS) {
    const left = survivors(place);
    if (left.length === 0) return;
    for (const { pid, part } of left) {
      // Backends get no SIGINT: without their server, it makes some of them write when they must not.
      if (!to.some((addressee) => addressee === part)) continue;
      log(`stopping PostgreSQL ${part} ${pid} of an earlier process with ${name}`);
      signal(pid, name);
    }
    if (await comesTrue(() => survivors(place).length === 0, waitMs)) return;
  }
  const pids = survivors(place).map(({ pid }) => pid);
  throw new Error(`PostgreSQL processes ${pids.join(", ")} of an earlier life do not end.`);
}

function survivors(place: DataFolder): Survivor[] {
  return otherProcesses().flatMap(({ pid, commandLine }): Survivor[] => {
    const part = identifyProcess(place, commandLine);
    return part !== undefined && isAlive(pid) ? [{ pid, part }] : [];
  });
}

function identifyProcess(place: DataFolder, commandLine: string): Survivor["part"] | undefined {
  if (commandLine.includes(`\0-D\0${place.cluster}\0`)) return "server";
  if (commandLine.includes(`\0-D\0${draftPrefix(place.cluster)}`)) return "initdb";
  return commandLine.startsWith(`postgres: ${place.clusterName}: `) ? "backend" : undefined;
}

/**
 * Without /proc, a pid does not identify its program, and other programs must not be killed: only a server that
 * responds on the private socket is ended. For any other running pid, the file is kept and PostgreSQL decides.
 */
async function pidFileIsInUse(place: DataFolder, log: (line: string) => void): Promise<boolean> {
  const text = await readFile(join(place.cluster, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  if (!(pid > 0) || processIdentity(pid) === undefined) return false;
  if (!(await answers(join(place.socketFolder, `.s.PGSQL.${PORT}`)))) return true;
  log(`stopping PostgreSQL server ${pid} of an earlier process with SIGINT`);
  signal(pid, "SIGINT");
  if (!(await comesTrue(() => !isAlive(pid), STEPS[0].waitMs))) signal(pid, "SIGKILL");
  return !(await comesTrue(() => !isAlive(pid), STEPS[2].waitMs));
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = connect(socket);
    attempt.once("error", () => resolve(false));
    attempt.once("connect", () => {
      attempt.destroy();
      resolve(true);
    });
  });
}
