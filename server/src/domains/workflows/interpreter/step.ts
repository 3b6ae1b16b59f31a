import type { ExecutionPlan, PlanNode } from "../definition/index.ts";
import { combined } from "./progress.ts";

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

/** What the journal says about a step: one node, or one node in one iteration of a loop. */
export interface StepRecord {
  readonly path: string;
  /** The id of the node. */
  readonly node: string;
  readonly status: StepStatus;
  /** How many were begun. */
  readonly attempts: number;
  /** Which of its branches a completed step chose, or `error`. */
  readonly branch?: string;
  readonly output?: unknown;
  /** Kept also by a step that went on after it. */
  readonly error?: StepError;
  /** When a step that waits is tried again. */
  readonly retryAtMs?: number;
  /** How many iterations a loop has, once its items are evaluated. */
  readonly items?: number;
}

export interface StepError {
  readonly code: string;
  readonly message: string;
  /** False when another attempt can't end otherwise. */
  readonly retryable?: boolean;
}

/** Whether a failed step fails whatever it is part of: the run, or the loop around it. */
export function isUnhandledFailure(node: PlanNode, { status }: StepRecord): boolean {
  return status === "failed" && node.onError === "fail";
}

/**
 * The result of a run: the output of the respond step that ran, the first in the order of the
 * graph if several did; otherwise that of the sink that completed, or of several by their ids.
 */
export function outputOf(
  { graph }: ExecutionPlan,
  steps: ReadonlyMap<string, StepRecord>,
): unknown {
  const isDone = ({ id }: { readonly id: string }) => steps.get(id)?.status === "completed";
  const answer = graph.nodes.find((node) => node.type.answers === true && isDone(node));
  const ended = answer === undefined ? graph.sinks.filter(isDone) : [answer];
  return combined(ended.map(({ id }) => [id, steps.get(id)?.output]));
}
