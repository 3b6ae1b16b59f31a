import type { Execution } from "./execution.ts";

/** A run that is in memory. */
export class Active {
  readonly execution: Execution;
  readonly ended: Promise<void>;
  readonly end: () => void;
  turn: Promise<void> = Promise.resolve();
  dropped = false;

  constructor(execution: Execution) {
    this.execution = execution;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.end = resolve;
  }
}
