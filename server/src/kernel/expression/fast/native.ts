import type { Place } from "../error-messages.ts";
import type { Machine } from "./evaluation.ts";

/** A function whose cost is bounded by the size of its arguments. */
export interface NativeFunction {
  /** How many arguments it may be given here; with any other number the pool shall do it. */
  readonly counts: readonly number[];
  /** With no argument it takes the context for the first. */
  readonly takesContext?: boolean;
  readonly call: (args: readonly unknown[], machine: Machine, place: Place) => unknown;
}
