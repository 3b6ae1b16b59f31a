import { type ExecutionPlan, nodeAt, parsePath } from "#domains/workflows/index.ts";
import type { StepLogLine } from "../engine/journal-record.ts";

const MAY_HAVE_EFFECT =
  "Another branch of the race was faster. External effects of this step may have happened.";

/** Steps in flight that take part in a race. When a branch loses, only its steps are aborted. */
export class RacingSteps {
  readonly #plan: ExecutionPlan;
  readonly #controllers = new Map<string, AbortController>();

  constructor(plan: ExecutionPlan) {
    this.#plan = plan;
  }

  /** The abort signal of a step: the signal of the run, combined with its own signal in a race. */
  joinSignal(path: string, ofRun: AbortSignal): AbortSignal {
    const isRacing =
      path.includes("[") &&
      parsePath(path).iterations.some((loop) => nodeAt(this.#plan.graph, loop.path)?.type.races);
    if (!isRacing) return ofRun;
    const controller = new AbortController();
    this.#controllers.set(path, controller);
    return AbortSignal.any([ofRun, controller.signal]);
  }

  /** Aborts a step. Returns a log line if the step was in flight. */
  abort(path: string, at: string): StepLogLine | undefined {
    const controller = this.#controllers.get(path);
    controller?.abort();
    return controller && { at, level: "warn", message: MAY_HAVE_EFFECT };
  }

  remove(path: string): void {
    this.#controllers.delete(path);
  }
}
