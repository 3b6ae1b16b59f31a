import { readdirSync, readFileSync } from "node:fs";

/** What the product writes down of itself. */
export interface Memory {
  readonly atMs: number;
  readonly rssMiB: number;
  /** After everything that is not needed was collected; not each time. */
  readonly heapMiB?: number;
  readonly externalMiB?: number;
  readonly handles: number;
  readonly lagMaxMs: number;
  readonly lagP99Ms: number;
}

/** All that it has written so far. */
export function readMemory(file: string): Memory[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Memory);
}

/** The processes below one, and what they take together: those of scripts, expressions and texts. */
export function descendants(pid: number): { readonly count: number; readonly rssMiB: number } {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const stat = read(`/proc/${name}/stat`);
    // The name of a program, in brackets, may hold anything.
    const parent = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const below = new Set([pid]);
  for (let size = 0; size < below.size;) {
    size = below.size;
    for (const [child, parent] of parents) if (below.has(parent)) below.add(child);
  }
  below.delete(pid);
  let kib = 0;
  for (const child of below) {
    kib += Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${child}/status`) ?? "")?.[1] ?? 0);
  }
  return { count: below.size, rssMiB: kib / 1024 };
}

/** Undefined when the process has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
