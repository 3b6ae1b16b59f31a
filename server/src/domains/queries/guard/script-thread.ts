/** The program of the thread in which scripts are read, one at a time. */
import { parentPort } from "node:worker_threads";
import { loadModule } from "libpg-query";
import { READY_MESSAGE } from "#kernel/work/subprocess-ready.ts";
import { inspectScript } from "./script.ts";

await loadModule();
parentPort?.on("message", (sql: string) => {
  // What it throws ends the thread, and with it a parser that is broken.
  parentPort?.postMessage(inspectScript(sql));
});
parentPort?.postMessage(READY_MESSAGE);
