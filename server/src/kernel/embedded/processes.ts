import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Linux lists every process under /proc. Elsewhere we can only check whether a pid is in use. */
export const PROC_READABLE = existsSync("/proc/self/stat");

const POLL_MS = 5;

/**
 * A text that identifies one process permanently, or undefined if it is dead. A pid is not enough, because pids
 * are reused after a reboot, and within minutes in a container. So it includes the start time and the boot id.
 */
export function processIdentity(pid: number): string | undefined {
  if (!PROC_READABLE) return isTaken(pid) ? `${pid} -` : undefined;
  const stat = statFieldsOf(pid);
  if (stat === undefined) return undefined;
  const [state, startTicks] = [stat[0], stat[19]];
  // A zombie responds to signal 0 but holds no resources.
  return state === "Z" || state === "X" ? undefined : `${pid} ${bootId()}:${startTicks}`;
}

/** True while the process runs. False for zombies. */
export function isAlive(pid: number): boolean {
  return processIdentity(pid) !== undefined;
}

/** All other running processes with their command lines (arguments separated by NUL). */
export function otherProcesses(): { readonly pid: number; readonly commandLine: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid)
    .map((pid) => ({ pid, commandLine: readIfThere(`/proc/${pid}/cmdline`) ?? "" }));
}

/** Sends a signal. If the process has already ended, nothing happens. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errnoOf(error) !== "ESRCH") throw error;
  }
}

/** Waits for a condition and returns whether it became true within the limit. */
export async function comesTrue(condition: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
  return true;
}

/** Returns the error code of a system error (ENOENT, EPERM). */
export function errnoOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process of another user, so the pid is in use.
    return errnoOf(error) === "EPERM";
  }
}

/** The fields of /proc/<pid>/stat after the name, which can contain blanks and brackets. */
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
    // The process ended after the listing or is hidden. Both count as not running.
    return undefined;
  }
}
