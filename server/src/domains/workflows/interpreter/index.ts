/** The interpreter: decides the next steps from a plan and a journal, without storage, effects or a clock. */
export {
  advance,
  startProgress,
  nextDecision,
  type RunDecision,
  type RunResult,
  type Progress,
  type RunState,
  type Stop,
} from "./decide.ts";
export { combineOutputs, runOutput } from "./output.ts";
export { isBefore, type Iteration, iterationPrefix, nodeAt, parsePath } from "./path.ts";
export { type Reset, resetFrom, resetLoop } from "./reset.ts";
export { afterFailure, type AfterFailure, retryDelayMs } from "./retry.ts";
export type { StepError, StepRecord, StepStatus } from "./step.ts";
