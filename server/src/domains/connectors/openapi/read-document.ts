import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Failure, Unavailable } from "#kernel/operation/failure.ts";
import { readOnlyCodeArguments } from "#kernel/work/subprocess-permissions.ts";
import type { DiscoveredApi } from "./discovered-action.ts";

export interface Reading {
  readonly text: string;
  readonly from: string | undefined;
}

/** What a document says, or why it can't be used. */
export type Found = { readonly discovered: DiscoveredApi } | { readonly fault: string };

const PROGRAM = fileURLToPath(new URL("./discover-process.ts", import.meta.url));
const TIME_LIMIT_MS = 20_000;
const MEMORY_MB = 256;
const AT_A_TIME_MAX = 2;
const WAITING_MAX = 20;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Reads a document in a process of its own: to parse megabytes of YAML takes seconds, during which
 * nobody else would be served, and a hostile document can take any time and memory.
 */
export async function readDocument(reading: Reading): Promise<Found> {
  if (running >= AT_A_TIME_MAX) {
    if (waiting.length >= WAITING_MAX) {
      throw new Failure(Unavailable, { headers: { "retry-after": "5" } });
    }
    // Whoever ends hands its place over.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await readIn(start(), reading);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

async function readIn(child: ChildProcess, reading: Reading): Promise<Found> {
  const timer = setTimeout(() => child.kill("SIGKILL"), TIME_LIMIT_MS);
  try {
    return await new Promise<Found>((resolve) => {
      // Our own program says nothing else.
      child.once("message", (found) => resolve(found as Found));
      for (const end of ["exit", "error"]) {
        child.once(end, () => resolve({ fault: "takes too long to read, or too much memory" }));
      }
      // When it can't be sent, the process is at its end, and that is heard.
      child.send(reading, () => undefined);
    });
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

function start(): ChildProcess {
  return fork(PROGRAM, [], {
    env: {},
    execArgv: [`--max-old-space-size=${MEMORY_MB}`, "--permission", ...readOnlyCodeArguments()],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}
