import { execFileSync } from "node:child_process";

/** One process in the output of `ps`. */
interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly residentKb: number;
  readonly startedAt: string;
}

/** A process and its descendants, parents first. */
export function treeOf(root: number): readonly Entry[] {
  const all = listed();
  const tree = all.filter(({ pid }) => pid === root);
  // The list grows during the loop by the children of each process.
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/** The resident memory of a process and its children. Shared pages count for each. */
export function residentMbOf(root: number): number {
  return treeOf(root).reduce((sum, { residentKb }) => sum + residentKb * 1024, 0) / 1e6;
}

/** Kills the remaining processes of a tree. */
export function endLeft(tree: readonly Entry[]): void {
  const now = new Set(listed().map(identity));
  for (const one of tree) {
    if (now.has(identity(one))) kill(one.pid);
  }
}

/** A pid can be reused, so the start time is included. */
function identity({ pid, startedAt }: Entry): string {
  return `${pid} ${startedAt}`;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

function listed(): Entry[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss=,lstart="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [, pid, parent, residentKb, startedAt = ""] =
        /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      if (pid === undefined) return [];
      return [
        { pid: Number(pid), parent: Number(parent), residentKb: Number(residentKb), startedAt },
      ];
    });
}
