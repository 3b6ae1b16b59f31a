import type { ErrorPosition } from "../error-messages.ts";

/** One evaluation on the main thread. */
export interface FastEvaluation {
  readonly root: unknown;
  readonly nowMs: number;
  /** The budget that is left; a unit is about one visited value. */
  units: number;
  readonly variables: unknown[];
}

/** A part of an expression, ready to be applied to its context. */
export type Closure = (input: unknown, evaluation: FastEvaluation) => unknown;

export interface FastOperand {
  readonly run: Closure;
  /** The number of its nodes: the cost of one application, apart from the values that it visits. */
  readonly weight: number;
}

/** The budget of an evaluation: some 2 ms; JSONata itself takes many times as long. */
export const UNITS_MAX = 50_000;

/** Thrown when an evaluation is too long or too odd for the main thread: the pool repeats it. */
export const fallBackToPool = new Error("This evaluation is for the pool.");

/** Thrown while compiling an expression that has no closure. */
export const cannotCompile = new Error("This expression is for the pool.");

/** Counts work against the budget, and falls back to the pool beyond it. */
export function consumeBudget(evaluation: FastEvaluation, units: number): void {
  evaluation.units -= units;
  if (evaluation.units < 0) throw fallBackToPool;
}

/** A function whose cost is bounded by the size of its arguments. */
export interface NativeFunction {
  /** The numbers of arguments that it takes here; calls with any other fall back to the pool. */
  readonly counts: readonly number[];
  /** With no argument it takes the context for the first. */
  readonly takesContext?: boolean;
  readonly call: (
    args: readonly unknown[],
    evaluation: FastEvaluation,
    at: ErrorPosition,
  ) => unknown;
}
