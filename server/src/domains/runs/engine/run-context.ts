import type { Definition } from "#domains/workflows/index.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Actor, Causation } from "#kernel/log/event.ts";

/** The values of steps and loops around a step that is tested alone. */
export interface GivenValues {
  readonly steps: Readonly<Record<string, unknown>>;
  /** By the names that expressions use in the surrounding loops. */
  readonly items: Readonly<Record<string, unknown>>;
}

/** The error with which a step of a test run fails. */
export interface MockedError {
  readonly code?: string;
  readonly message: string;
  readonly status?: number;
  readonly body?: unknown;
}

/** The value of `workspace` in expressions. */
export interface WorkspaceFacts {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly timezone: string;
}

/** The workspace and its variables when a run was recorded. */
export interface RecordedFacts {
  readonly workspace?: WorkspaceFacts;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The mocks of a test run. A test run has no effects outside. */
export interface TestRun {
  /** Outputs by the id or key of a node. */
  readonly mocks: Readonly<Record<string, unknown>>;
  /** Errors by the id or key of a node. */
  readonly errors?: Readonly<Record<string, MockedError>>;
  /** Not stored, because a test run ends before it is written. */
  readonly given?: GivenValues;
  /** The facts that a recorded run saw in addition to its steps. */
  readonly recorded?: RecordedFacts;
  /** The definition under test if it is not a saved version. */
  readonly definition?: Definition;
}

/** Facts that do not change after the run starts. */
export interface RunContext {
  readonly id: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly versionId: string;
  readonly shard: number;
  readonly triggerType: string;
  /** The value of `trigger` in expressions. */
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  /** The user whose permissions the run has. */
  readonly runAs: string;
  /** A subset of the user's permissions; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  readonly cause: Causation;
  readonly parent: { readonly runId: string; readonly path: string } | undefined;
  readonly test: TestRun | undefined;
  /** Counts retries: the idempotency keys of their steps must differ from the earlier ones. */
  readonly generation: number;
  /** The workflow limits concurrent runs with the same key. */
  readonly limited: boolean;
  readonly concurrencyKey: string | undefined;
  readonly createdAt: string;
  readonly deadlineMs: number;
  /** The start event of the run. Undefined until it is written. */
  startEventId?: string | undefined;
}

/** The causation of the effects of a run. Without a causing event, the start event of the run is the cause. */
export function causeOf({ cause, startEventId }: RunContext): Causation {
  if (cause.causationId !== undefined || startEventId === undefined) return cause;
  return { ...cause, causationId: startEventId };
}

/** The causation of the effects of a step. */
export function causeOfStep(run: RunContext, path: string): Causation {
  return { ...causeOf(run), madeBy: { id: run.id, stepId: path } };
}

/** The workflow as the actor of events and operations. */
export function runActor({ workflowId, workflowName }: RunContext): Actor {
  return { id: workflowId, name: workflowName, type: "workflow" };
}
