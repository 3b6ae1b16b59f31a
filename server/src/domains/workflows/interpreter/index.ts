/** What follows from a plan and a journal; no storage, no effects, no clock. */
export {
  advance,
  begin,
  nextDecision,
  type Decision,
  type RunResult,
  type Progress,
  type RunState,
  type Stop,
} from "./decide.ts";
export { outputOf } from "./step.ts";
export { type Iteration, iterationPrefix, nodeAt, parsePath } from "./path.ts";
export { type Reset, resetFrom, resetLoop } from "./reset.ts";
export { afterFailure, type AfterFailure, retryDelayMs } from "./retry.ts";
export type { StepError, StepRecord, StepStatus } from "./step.ts";
