/** The program of an evaluator: a process that evaluates expressions, one job at a time. */
import { READY } from "../../work/subprocess-ready.ts";
import type { Job } from "./protocol.ts";
import { openRealm } from "./realm.ts";

const evaluate = openRealm(Number(process.argv[2]));

process.on("message", (job: Job) => {
  process.send?.(evaluate(job));
});
// Whoever started it is gone.
process.on("disconnect", () => process.exit());
process.send?.(READY);
