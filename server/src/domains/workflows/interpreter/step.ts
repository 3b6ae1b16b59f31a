import type { PlanNode } from "../definition/index.ts";

/**
 * `ready`: to be picked up; `running`: under way; `waiting`: for a time or an event, its own next
 * attempt included; `paused`: for people. The other four are final. A loop is `running` also while
 * its iterations are what runs.
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

/** A step in the journal: one node, or one node in one iteration of a loop. */
export interface StepRecord {
  readonly path: string;
  /** The id of the node. */
  readonly node: string;
  readonly status: StepStatus;
  /** How many were started. */
  readonly attempts: number;
  /** The branch that a completed step chose, or `error`. */
  readonly branch?: string;
  readonly output?: unknown;
  /** Present also when the run went on after it. */
  readonly error?: StepError;
  /** When the next attempt starts. */
  readonly retryAtMs?: number;
  /** How many of the attempts only waited for their turn. */
  readonly postponements?: number;
  /** How many iterations a loop has, once its items are evaluated. */
  readonly items?: number;
}

export interface StepError {
  readonly code: string;
  readonly message: string;
  /** False when another attempt would fail alike. */
  readonly retryable?: boolean;
  /** How long the other side asked to be left alone. */
  readonly retryAfterMs?: number;
  /** True when it came before its turn: to wait for that is no failed attempt. */
  readonly postponed?: boolean;
  /** The answer of the call that was refused. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The field of the configuration, as a JSON pointer, and its expression. */
  readonly field?: string;
  readonly expression?: string;
  /** The step in a loop whose error this is. */
  readonly path?: string;
}

/** True when the failure of a step fails the run, or the loop around it. */
export function isUnhandledFailure(node: PlanNode, { status }: StepRecord): boolean {
  return status === "failed" && node.onError === "fail";
}
