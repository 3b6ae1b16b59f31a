import type { ErrorPosition } from "../error-messages.ts";

/** One evaluation on the main thread. */
export interface FastEvaluation {
  readonly root: unknown;
  readonly nowMs: number;
  /** How much work it may still do; a unit is about one visited value. */
  units: number;
  readonly variables: unknown[];
}

/** A part of an expression, ready to be applied to its context. */
export type Closure = (input: unknown, machine: FastEvaluation) => unknown;

export interface FastOperand {
  readonly run: Closure;
  /** How many nodes it has: what one application costs, apart from the values it goes through. */
  readonly weight: number;
}

/** Some 2 ms; JSONata itself takes many times as long for so much. */
export const UNITS_MAX = 50_000;

/** Thrown when a part turns out to be more than a closure should do here: the pool shall do it. */
export const fallBackToPool = new Error("This evaluation is for the pool.");

/** Thrown while compiling what has no closure. */
export const cannotCompile = new Error("This expression is for the pool.");

/** Counts work, and hands over what is too much of it. */
export function consumeBudget(machine: FastEvaluation, units: number): void {
  machine.units -= units;
  if (machine.units < 0) throw fallBackToPool;
}

/** A function whose cost is bounded by the size of its arguments. */
export interface NativeFunction {
  /** How many arguments it may be given here; with any other number the pool shall do it. */
  readonly counts: readonly number[];
  /** With no argument it takes the context for the first. */
  readonly takesContext?: boolean;
  readonly call: (
    args: readonly unknown[],
    machine: FastEvaluation,
    place: ErrorPosition,
  ) => unknown;
}
