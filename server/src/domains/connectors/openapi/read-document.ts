import { type ChildProcess, fork } from "node:child_process";
import { Failure, Unavailable } from "#kernel/operation/failure.ts";
import { programFile, readOnlyCodeArguments } from "#kernel/work/subprocess-code.ts";
import type { DiscoveredApi } from "./discovered-action.ts";

export interface DocumentSource {
  readonly text: string;
  readonly from: string | undefined;
}

/** The content of a document, or an error. */
export type DocumentResult = { readonly discovered: DiscoveredApi } | { readonly error: string };

const SOURCE = new URL("./child.ts", import.meta.url);
const TIME_LIMIT_MS = 20_000;
const MEMORY_MB = 256;
const CHILDREN_MAX = 2;
const WAITING_MAX = 20;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Reads a document in a child process: parsing megabytes of YAML takes seconds, which would block all other
 * requests, and a hostile document can use unlimited time and memory.
 */
export async function readDocument(source: DocumentSource): Promise<DocumentResult> {
  if (running >= CHILDREN_MAX) {
    if (waiting.length >= WAITING_MAX) {
      throw new Failure(Unavailable, { headers: { "retry-after": "5" } });
    }
    // A finishing reader passes its slot to the next one.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await runChild(startChild(), source);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

async function runChild(child: ChildProcess, source: DocumentSource): Promise<DocumentResult> {
  const timer = setTimeout(() => child.kill("SIGKILL"), TIME_LIMIT_MS);
  try {
    return await new Promise<DocumentResult>((resolve) => {
      // The child program sends nothing else.
      child.once("message", (result) => resolve(result as DocumentResult));
      for (const end of ["exit", "error"]) {
        child.once(end, () => resolve({ error: "exceeds the time or memory limit for parsing" }));
      }
      // If sending fails, the process has ended, and the exit event reports it.
      child.send(source, () => undefined);
    });
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

function startChild(): ChildProcess {
  const program = programFile(SOURCE, "openapi-process.mjs");
  return fork(program, [], {
    env: {},
    execArgv: [`--max-old-space-size=${MEMORY_MB}`, ...readOnlyCodeArguments(program)],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}
