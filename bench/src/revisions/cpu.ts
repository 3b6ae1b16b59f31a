/**
 * CPU time of a running product, read from Linux's /proc. The scheduler counts nanoseconds per living thread. Ended
 * threads and processes are only counted in ticks of 10 ms, by their process and by their parent.
 */
import { readdirSync, readFileSync } from "node:fs";

/** CPU time in seconds. */
export interface Cpu {
  readonly node: number;
  readonly postgres: number;
}

/** The CPU time of one process so far. */
export interface ProcessTime {
  /** Nanoseconds of each living thread. */
  readonly threads: ReadonlyMap<number, number>;
  /** Ticks of all its threads, including ended ones. */
  readonly ticks: number;
  /** Ticks of its ended children. */
  readonly endedChildrenTicks: number;
}

/** The times of processes by process id. */
export type Times = ReadonlyMap<number, ProcessTime>;

/** The processes of a product: Node's, and those of its PostgreSQL server. */
export interface Snapshot {
  readonly node: Times;
  readonly postgres: Times;
}

/** Linux reports times to programs in this unit on every architecture. */
const TICK_S = 0.01;
/** `utime` and `stime` are both rounded down. */
const ROUNDING_TICKS = 2;

/** Reads all processes of the product with this Node process. `exceptPid` is the benchmark's own connection. */
export function takeSnapshot(nodePid: number, exceptPid?: number): Snapshot {
  const postgres = new Map<number, ProcessTime>();
  const node = new Map<number, ProcessTime>();
  const waiting = [{ pid: nodePid, into: node }];
  for (const { pid, into } of waiting) {
    const children = childrenOf(pid);
    const isServer = into === node && commandOf(pid) === "postgres";
    const group = isServer ? postgres : into;
    const time = pid === exceptPid ? undefined : timeOf(pid);
    if (time) group.set(pid, time);
    waiting.push(...children.map((child) => ({ pid: child, into: group })));
  }
  return { node, postgres };
}

/** The process id of the PostgreSQL server started by this Node process. */
export function findPostmaster(nodePid: number): number {
  const found = childrenOf(nodePid).find((pid) => commandOf(pid) === "postgres");
  if (found === undefined) throw new Error("The product runs no PostgreSQL server.");
  return found;
}

export function cpuBetween(before: Snapshot, after: Snapshot): Cpu {
  return {
    node: secondsBetween(before.node, after.node),
    postgres: secondsBetween(before.postgres, after.postgres),
  };
}

/** The time used by a group of processes between two snapshots, including short-lived ones. */
export function secondsBetween(before: Times, after: Times): number {
  let seconds = 0;
  for (const [pid, now] of after) {
    const then = before.get(pid);
    seconds += secondsOfProcess(then, now);
    seconds += (now.endedChildrenTicks - (then?.endedChildrenTicks ?? 0)) * TICK_S;
  }
  // The parent's ticks contain their whole lifetime, including this earlier part.
  for (const [pid, then] of before) {
    if (!after.has(pid)) seconds -= secondsOfProcess(undefined, then);
  }
  return Math.max(0, seconds);
}

function secondsOfProcess(then: ProcessTime | undefined, now: ProcessTime): number {
  const livingNs = sum(now.threads.values()) - sum(then?.threads.values() ?? []);
  const ticks = now.ticks - (then?.ticks ?? 0);
  const hasLostThreads = [...(then?.threads.keys() ?? [])].some((id) => !now.threads.has(id));
  const living = livingNs / 1e9;
  return hasLostThreads || (ticks - ROUNDING_TICKS) * TICK_S > living ? ticks * TICK_S : living;
}

function timeOf(pid: number): ProcessTime | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name is in parentheses and can contain spaces. The fields after it have fixed positions.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  const threads = new Map<number, number>();
  for (const id of threadsOf(pid)) {
    const schedule = read(`/proc/${pid}/task/${id}/schedstat`);
    if (schedule !== undefined) threads.set(id, Number(schedule.split(" ")[0]));
  }
  return { threads, ticks: user + system, endedChildrenTicks: endedUser + endedSystem };
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((id) => {
    const text = read(`/proc/${pid}/task/${id}/children`)?.trim() ?? "";
    return text === "" ? [] : text.split(" ").map(Number);
  });
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    // The process has ended.
    return [];
  }
}

function commandOf(pid: number): string | undefined {
  return read(`/proc/${pid}/comm`)?.trim();
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process or thread has ended.
    return undefined;
  }
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
