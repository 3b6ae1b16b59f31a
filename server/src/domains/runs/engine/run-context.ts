import type { Definition } from "#domains/workflows/index.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Actor, Causation } from "#kernel/log/event.ts";

/** What a test run does in the place of reaching outside. */
export interface TestRun {
  /** Outputs by node id. */
  readonly mocks: Readonly<Record<string, unknown>>;
  /** What is tried out, where that is no version. */
  readonly definition?: Definition;
}

/** What stands fast about a run from its beginning. */
export interface RunContext {
  readonly id: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly versionId: string;
  readonly lane: number;
  readonly triggerType: string;
  /** What expressions see as `trigger`. */
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  /** Whose permissions it has. */
  readonly runAs: string;
  /** Which of them; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  readonly cause: Causation;
  readonly parent: { readonly runId: string; readonly path: string } | undefined;
  readonly test: TestRun | undefined;
  /** Counts the retries that do completed steps again: their keys must differ from the first ones'. */
  readonly generation: number;
  /** Whether the workflow limits how many run at a time, of those with the same key. */
  readonly limited: boolean;
  readonly concurrencyKey: string | undefined;
  readonly createdAt: string;
  readonly deadlineMs: number;
}

/** The workflow as the one who acts. */
export function runActor({ workflowId, workflowName }: RunContext): Actor {
  return { id: workflowId, name: workflowName, type: "workflow" };
}
