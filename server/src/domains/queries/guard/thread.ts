/** The program of the thread in which statements are read, one at a time. */
import { parentPort } from "node:worker_threads";
import { loadModule } from "libpg-query";
import { inspectStatement } from "./guard.ts";
import { READY_MESSAGE } from "#kernel/work/subprocess-ready.ts";
import type { Reading } from "./parse-thread.ts";

await loadModule();
parentPort?.on("message", ({ sql, liberty }: Reading) => {
  // What it throws ends the thread, and with it a parser that is broken.
  parentPort?.postMessage(inspectStatement(sql, liberty));
});
parentPort?.postMessage(READY_MESSAGE);
