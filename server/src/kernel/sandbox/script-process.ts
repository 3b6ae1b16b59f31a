import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLE_FOLDER, PERMISSION_FLAG, programFile } from "../work/subprocess-code.ts";
import { Subprocess } from "../work/subprocess.ts";
import { listFolders, locateLibraries, type ScriptLibrary } from "./library/script-library.ts";

const KERNEL = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = new URL("./process/program.ts", import.meta.url);
/** Scheduling priorities, so that the server process has precedence when CPU is scarce. */
const NICE = 3;
const NICE_WHEN_HEAVY = 19;

/** Starts a script process without server data and with minimal permissions. */
export function startScriptProcess(
  libraries: readonly ScriptLibrary[],
  onMessage: (message: unknown) => void,
): Subprocess {
  const { library, dates, readable, flags } =
    BUNDLE_FOLDER === undefined ? findLibrary() : findBundled(BUNDLE_FOLDER);
  const program = programFile(SOURCE, "script-process.mjs");
  const located = locateLibraries(libraries);
  const subprocess = new Subprocess({
    program,
    args: [library, dates, findStripper(), JSON.stringify(located)],
    // Scripts must not depend on the time zone of the machine.
    env: { TZ: "UTC" },
    execArgv: [
      "--no-warnings",
      // The library requires it.
      "--no-node-snapshot",
      // The type stripper is WebAssembly. Optimising it for a few files costs a third of the start time.
      "--liftoff-only",
      PERMISSION_FLAG,
      ...flags,
      ...[program, ...readable, ...listFolders(located)].map((path) => `--allow-fs-read=${path}`),
    ],
    onMessage,
  });
  renice([subprocess.pid], NICE);
  return subprocess;
}

/**
 * Lowers the priority of a process below everything else, permanently, because only root can raise a priority. With
 * Linux idle scheduling, other waking scripts preempt it immediately. It is also limited to half of the processors: if
 * idle work runs on all of them, Linux treats none as free and makes other processes wait unnecessarily (a fifth of
 * all executions).
 */
export function lowerPriority({ pid }: Subprocess): void {
  if (pid === undefined) return;
  renice(threadsOf(pid), NICE_WHEN_HEAVY);
  if (process.platform !== "linux") return;
  // Without this command, the lower priority must suffice.
  execFile("chrt", ["-a", "-i", "-p", "0", String(pid)], () => undefined);
  const half = upperHalf(processorsOf("self"));
  if (half.length === 0) return;
  execFile("taskset", ["-a", "-p", "-c", half.join(","), String(pid)], () => undefined);
}

/** The allowed processors of a process, if Linux reports them. */
export function processorsOf(pid: number | "self"): readonly number[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const list = /^Cpus_allowed_list:\s+(\S+)$/m.exec(status)?.[1] ?? "";
    return list.split(",").flatMap((part) => {
      const [first = 0, last = first] = part.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  } catch {
    return [];
  }
}

/** The upper half of several. Empty for one. */
function upperHalf<T>(all: readonly T[]): readonly T[] {
  return all.length < 2 ? [] : all.slice(Math.ceil(all.length / 2));
}

/** The resource usage of a process, if the system reports it. */
export interface Usage {
  readonly residentBytes: number;
  /** For all its threads, since its start. */
  readonly cpuMs: number;
}

export function usageOf({ pid }: Subprocess): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is a name in parentheses that can contain any characters.
    const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const residentKb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    return { residentBytes: residentKb * 1024, cpuMs: ((user ?? 0) + (system ?? 0)) * TICK_MS };
  } catch {
    return undefined;
  }
}

const TICK_MS = 10;

interface ProcessFiles {
  /** The isolate library. */
  readonly library: string;
  /** The date library as a browser script. */
  readonly dates: string;
  readonly readable: readonly string[];
  readonly flags: readonly string[];
}

/** The library files, and everything that the process must be able to read. */
function findLibrary(): ProcessFiles {
  const find = createRequire(import.meta.url);
  const library = find.resolve("isolated-vm");
  const loader = createRequire(library).resolve("node-gyp-build");
  const dates = join(dirname(find.resolve("luxon/package.json")), "build/global/luxon.min.js");
  const readable = [
    KERNEL,
    dates,
    join(KERNEL, "../../package.json"),
    `${dirname(library)}/`,
    `${dirname(loader)}/`,
    // The loader reads it to detect the C library.
    "/etc/alpine-release",
  ];
  return { library, dates, readable, flags: ["--allow-addons"] };
}

/** With a bundle, Node contexts replace isolates, because the isolate library requires a specific Node version. */
function findBundled(folder: string): ProcessFiles {
  const stripper = findStripper();
  return {
    library: join(folder, "vm-isolates.cjs"),
    dates: join(folder, "luxon.min.js"),
    readable: [join(folder, "/"), ...(stripper === "" ? [] : [join(dirname(stripper), "/")])],
    flags: ["--experimental-vm-modules"],
  };
}

/** A type stripper for Node versions without one, which only the CLI supports. */
function findStripper(): string {
  if (process.features.typescript || BUNDLE_FOLDER === undefined) return "";
  return createRequire(import.meta.url).resolve("@swc/wasm-typescript");
}

/** Linux has a priority per thread, other systems per process. */
function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

function renice(ids: readonly (number | undefined)[], nice: number): void {
  for (const id of ids) {
    try {
      if (id !== undefined) setPriority(id, nice);
    } catch {
      // The process has ended or the system denies the change; the priority stays unchanged.
    }
  }
}
