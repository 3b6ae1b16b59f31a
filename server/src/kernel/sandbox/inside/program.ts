/** The program of a script process. */
import { createRequire } from "node:module";
import type ivm from "isolated-vm";
import { READY_MESSAGE } from "../../work/subprocess-ready.ts";
import type { ToProcess } from "../protocol.ts";
import { IsolateCache } from "./isolate-cache.ts";

// Its place is told, since nothing else may be read here, and so nothing searched for.
const [, , path = ""] = process.argv;
const vm = createRequire(path)(path) as typeof ivm;
const room = new IsolateCache(vm, (message) => process.send?.(message));

process.on("message", (message: ToProcess) => room.hear(message));
// Whoever started it is gone. A script may hold a thread that an orderly exit would wait for.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.send?.(READY_MESSAGE);
