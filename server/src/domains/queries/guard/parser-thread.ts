/** The program of a thread that parses and inspects SQL, one text at a time. */
import { parentPort } from "node:worker_threads";
import { loadModule } from "libpg-query";
import { READY_MESSAGE } from "#kernel/work/subprocess-ready.ts";
import { inspectStatement } from "./guard.ts";
import type { ParseRequest } from "./parser.ts";
import { inspectScript } from "./script.ts";

await loadModule();
parentPort?.on("message", ({ sql, rule }: ParseRequest) => {
  // An exception ends the thread, and with it a parser that is broken.
  parentPort?.postMessage(rule === undefined ? inspectScript(sql) : inspectStatement(sql, rule));
});
parentPort?.postMessage(READY_MESSAGE);
