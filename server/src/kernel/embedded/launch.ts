import { type ChildProcess, execFile, spawn } from "node:child_process";
import { StartupError } from "../startup-error.ts";
import type { Account } from "./account.ts";

/** One program to run for the database. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly account: Account | undefined;
  /** The signal that Linux sends to the program when this process dies for any reason. */
  readonly signalOnOurDeath: "INT" | "KILL";
  /** A separate process group, so that Ctrl-C in a terminal reaches only this process, which drains first. */
  readonly ownGroup: boolean;
  /** The maximum private memory of each of its processes, if the system supports it. */
  readonly memoryMaxBytes?: number;
}

/**
 * Starts the program with a minimal environment. If Linux has `setpriv`, a death signal ends the program with
 * this process. Elsewhere a kill -9 leaves it running, and the next start ends it.
 */
export async function launch(program: Program): Promise<ChildProcess> {
  const tie = ["setpriv", "--pdeathsig", program.signalOnOurDeath, "--"];
  const [file = "", ...args] = [
    ...((await hasDeathSignal()) ? tie : []),
    ...limitMemory(program),
    program.file,
    ...program.args,
  ];
  return spawn(file, args, {
    ...program.account,
    // The account may not be able to enter the current working folder.
    cwd: "/",
    detached: program.ownGroup,
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
  });
}

/** A shell that becomes the program, because only a process itself can limit its memory and Node has no call for it. */
function limitMemory({ memoryMaxBytes }: Program): readonly string[] {
  if (memoryMaxBytes === undefined) return [];
  const kilobytes = String(Math.floor(memoryMaxBytes / 1024));
  return ["/bin/sh", "-c", 'ulimit -d "$0" 2>/dev/null; exec "$@"', kilobytes];
}

/** Explains why a program could not be started. */
export function cannotExecute(file: string, error: Error): Error {
  return new StartupError(
    `${file} can't run on this machine (${error.message}). The binaries require glibc. Set DATABASE_URL to use your own PostgreSQL server.`,
    { cause: error },
  );
}

let deathSignal: Promise<boolean> | undefined;

/** Old and busybox versions of setpriv lack the option, so it is tried instead of searching for the file. */
function hasDeathSignal(): Promise<boolean> {
  deathSignal ??= new Promise((resolve) => {
    execFile("setpriv", ["--pdeathsig", "INT", "--", "true"], (error) => resolve(error === null));
  });
  return deathSignal;
}
