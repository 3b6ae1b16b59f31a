/** The program of the thread in which statements are read, one at a time. */
import { parentPort } from "node:worker_threads";
import { loadModule } from "libpg-query";
import { inspectStatement } from "./guard.ts";
import { READY_MESSAGE } from "#kernel/work/subprocess-ready.ts";
import type { StatementRequest } from "./parse-thread.ts";

await loadModule();
parentPort?.on("message", ({ sql, rule }: StatementRequest) => {
  // What it throws ends the thread, and with it a parser that is broken.
  parentPort?.postMessage(inspectStatement(sql, rule));
});
parentPort?.postMessage(READY_MESSAGE);
