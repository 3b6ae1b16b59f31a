import { type ChildProcess, execFile, spawn } from "node:child_process";
import { StartupError } from "../startup-error.ts";
import type { Account } from "./account.ts";

/** One program to run for the database. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly account: Account | undefined;
  /** The signal that Linux sends to the program when our process dies, however it dies. */
  readonly signalOnOurDeath: "INT" | "KILL";
  /** Away from our process group, so that Ctrl-C in a terminal reaches us alone and we can drain first. */
  readonly ownGroup: boolean;
  /** The memory that each of its processes may have for itself, where the system keeps to it. */
  readonly memoryMaxBytes?: number;
}

/**
 * Starts the program with a bare environment. Where Linux has `setpriv`, the program is tied to our life by a death
 * signal; elsewhere a kill -9 leaves it running, and the next start ends it.
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
    // Our own working folder may be closed to the account.
    cwd: "/",
    detached: program.ownGroup,
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
  });
}

/** The shell that becomes the program: only a process itself can bound its memory, and Node has no call for it. */
function limitMemory({ memoryMaxBytes }: Program): readonly string[] {
  if (memoryMaxBytes === undefined) return [];
  const kilobytes = String(Math.floor(memoryMaxBytes / 1024));
  return ["/bin/sh", "-c", 'ulimit -d "$0" 2>/dev/null; exec "$@"', kilobytes];
}

/** Why a program could not even be started, for people. */
export function cannotExecute(file: string, error: Error): Error {
  return new StartupError(
    `${file} does not run on this machine (${error.message}); its binaries need glibc. Set DATABASE_URL to use a PostgreSQL of your own.`,
    { cause: error },
  );
}

let deathSignal: Promise<boolean> | undefined;

/** Old and busybox versions of setpriv lack the option, so we try it rather than look for the file. */
function hasDeathSignal(): Promise<boolean> {
  deathSignal ??= new Promise((resolve) => {
    execFile("setpriv", ["--pdeathsig", "INT", "--", "true"], (error) => resolve(error === null));
  });
  return deathSignal;
}
