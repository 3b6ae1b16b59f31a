/** The program of an evaluator: a process that evaluates expressions, one job at a time. */
import { READY_MESSAGE } from "../../work/subprocess-ready.ts";
import type { EvaluationRequest } from "./protocol.ts";
import { openRealm } from "./realm.ts";

const evaluate = openRealm(Number(process.argv[2]));

process.on("message", (job: EvaluationRequest) => {
  process.send?.(evaluate(job));
});
// Whoever started it is gone.
process.on("disconnect", () => process.exit());
process.send?.(READY_MESSAGE);
