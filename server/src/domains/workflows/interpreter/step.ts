import type { PlanNode } from "../definition/index.ts";

/**
 * `ready`: can start; `running`: in flight; `waiting`: for a time, an event or its next attempt; `paused`: for
 * people. The other four are final. A loop stays `running` while its iterations run.
 */
export type StepStatus =
  | "ready"
  | "running"
  | "waiting"
  | "paused"
  | "completed"
  | "failed"
  | "skipped"
  | "cancelled";

/** A journal step: a node, possibly in a loop iteration. */
export interface StepRecord {
  readonly path: string;
  /** The id of the node. */
  readonly node: string;
  readonly status: StepStatus;
  /** The number of started attempts. */
  readonly attempts: number;
  /** The branch chosen by a completed step, or `error`. */
  readonly branch?: string;
  readonly output?: unknown;
  /** Also set if the run continued after the error. */
  readonly error?: StepError;
  /** The start time of the next attempt. */
  readonly retryAtMs?: number;
  /** The number of attempts that only waited for capacity. */
  readonly postponements?: number;
  /** The number of iterations of a loop, after its items are evaluated. */
  readonly items?: number;
}

export interface StepError {
  readonly code: string;
  readonly message: string;
  /** False if another attempt would fail in the same way. */
  readonly retryable?: boolean;
  /** The delay requested by the other system. */
  readonly retryAfterMs?: number;
  /** True if the step had to wait for capacity. This does not count as a failed attempt. */
  readonly postponed?: boolean;
  /** The HTTP status of the error response. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The configuration field as a JSON pointer, and its expression. */
  readonly field?: string;
  readonly expression?: string;
  /** The step in a loop that caused this error. */
  readonly path?: string;
}

/** True if the failure of a step fails the run or the surrounding loop. */
export function isUnhandledFailure(node: PlanNode, { status }: StepRecord): boolean {
  return status === "failed" && node.onError === "fail";
}
