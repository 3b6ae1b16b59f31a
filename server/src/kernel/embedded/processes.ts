import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Linux shows every process under /proc; elsewhere we can only ask whether a pid is taken. */
export const PROC_READABLE = existsSync("/proc/self/stat");

const POLL_MS = 5;

/**
 * A text that names one process for all time, or undefined when it is dead. A pid alone is not enough: it comes back
 * after a reboot, and within minutes in a container. So the start time and the boot belong to it.
 */
export function processIdentity(pid: number): string | undefined {
  if (!PROC_READABLE) return isTaken(pid) ? `${pid} -` : undefined;
  const stat = statFieldsOf(pid);
  if (stat === undefined) return undefined;
  const [state, startTicks] = [stat[0], stat[19]];
  // A zombie still answers signal 0 until its parent collects it, but it holds nothing any more.
  return state === "Z" || state === "X" ? undefined : `${pid} ${bootId()}:${startTicks}`;
}

/** True while the process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  return processIdentity(pid) !== undefined;
}

/** Every living process with its command line (arguments separated by NUL), this one left out. */
export function otherProcesses(): { readonly pid: number; readonly commandLine: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid)
    .map((pid) => ({ pid, commandLine: readIfThere(`/proc/${pid}/cmdline`) ?? "" }));
}

/** Sends a signal; that the process has gone meanwhile is no failure. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errnoOf(error) !== "ESRCH") throw error;
  }
}

/** Waits until the condition holds and says whether it came true within the limit. */
export async function comesTrue(condition: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
  return true;
}

/** The `code` of a system error, such as ENOENT. */
export function errnoOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: somebody else's process, so the pid is taken.
    return errnoOf(error) === "EPERM";
  }
}

/** The fields of /proc/<pid>/stat from the state on; the name before them may contain blanks and brackets. */
function statFieldsOf(pid: number): string[] | undefined {
  const text = readIfThere(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

function bootId(): string {
  return readIfThere("/proc/sys/kernel/random/boot_id")?.slice(0, 8) ?? "";
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process ended between the listing and the reading, or is hidden from us: not there for our purpose.
    return undefined;
  }
}
