import { readdirSync, readFileSync } from "node:fs";

/** Memory measurements written by the product. */
export interface Memory {
  readonly atMs: number;
  readonly rssMiB: number;
  /** After a garbage collection, which does not happen each time. */
  readonly heapMiB?: number;
  readonly externalMiB?: number;
  readonly handles: number;
  readonly lagMaxMs: number;
  readonly lagP99Ms: number;
}

/** All measurements so far. */
export function readMemory(file: string): Memory[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Memory);
}

/** The descendants of a process and their total memory: processes for scripts, expressions and embeddings. */
export function descendants(pid: number): { readonly count: number; readonly rssMiB: number } {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const stat = read(`/proc/${name}/stat`);
    // The program name in parentheses can contain any characters.
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

/** Undefined if the process has ended. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
