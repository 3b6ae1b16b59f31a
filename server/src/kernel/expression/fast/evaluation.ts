import type { ErrorPosition } from "../error-messages.ts";

/** One evaluation on the main thread. */
export interface FastEvaluation {
  readonly root: unknown;
  readonly nowMs: number;
  /** The remaining budget. One unit is about one visited value. */
  units: number;
  readonly variables: unknown[];
}

/** A part of an expression, ready to be applied to its context. */
export type Closure = (input: unknown, evaluation: FastEvaluation) => unknown;

export interface FastOperand {
  readonly run: Closure;
  /** The number of its nodes: the cost of one application without the visited values. */
  readonly weight: number;
}

/** The budget of an evaluation, about 2 ms. */
export const UNITS_MAX = 50_000;

/** Thrown if an evaluation is too long or unusual for the main thread. The pool then repeats it. */
export const fallBackToPool = new Error("This evaluation is for the pool.");

/** Thrown during compilation if an expression has no closure. */
export const cannotCompile = new Error("This expression is for the pool.");

/** Deducts work from the budget, and falls back to the pool when it is used up. */
export function consumeBudget(evaluation: FastEvaluation, units: number): void {
  evaluation.units -= units;
  if (evaluation.units < 0) throw fallBackToPool;
}

/** A function with a cost limited by the size of its arguments. */
export interface NativeFunction {
  /** The supported numbers of arguments. Other calls fall back to the pool. */
  readonly counts: readonly number[];
  /** Without arguments it uses the context as the first. */
  readonly takesContext?: boolean;
  readonly call: (
    args: readonly unknown[],
    evaluation: FastEvaluation,
    at: ErrorPosition,
  ) => unknown;
}
