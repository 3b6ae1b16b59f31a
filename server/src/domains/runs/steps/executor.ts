import type { Rights } from "#domains/identity/accounts/index.ts";
import type { Static, TObject } from "typebox";
import type { NodeType } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { Causation } from "#kernel/log/event.ts";
import type { ListPage, StepLogLine, StepWait } from "../engine/journal-record.ts";
import type { RunContext } from "../engine/run-context.ts";
import type { PerformInput } from "./perform-operation.ts";
import type { StepFiles } from "./step-files.ts";
import type { AgentHistory } from "./scope.ts";

/** The step, and the services available to its executor. */
export interface StepTools {
  readonly platform: Platform;
  readonly run: RunContext;
  readonly path: string;
  /** The causation of the step's effects. */
  readonly cause: Causation;
  /** The type in the definition; for custom node types the member of the family. */
  readonly nodeType: string;
  /** The values that expressions of the step see, without secrets. */
  readonly scope: () => Readonly<Record<string, unknown>>;
  /** The agent containing the step, with its history. */
  readonly agent: () => AgentHistory | undefined;
  /** Counts from 1. */
  readonly attempt: number;
  /** Equal for all attempts of this step in this run. */
  readonly idempotencyKey: string;
  /** Aborted at the timeout of the step, or when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly log: (level: StepLogLine["level"], message: string, metadata?: unknown) => void;
  /** Starts a text that viewers of the run see as it is generated. It is not stored. */
  readonly beginText: () => (text: string) => void;
  /** Records the child run that the step waits for. */
  readonly noteChildRun: (runId: string) => void;
  /** Resolves when the run is written; for steps that compute before their effects outside. */
  readonly untilRunWritten: () => Promise<void>;
  /** The current rights of the run, read once per attempt. */
  readonly rights: () => Promise<Rights>;
  /** Performs an operation and returns the response body. Default rights: those of the run. */
  readonly perform: (operation: string, input: PerformInput, rights?: Rights) => Promise<unknown>;
  /** The files of the run, and the files passed to it. */
  readonly files: StepFiles;
  /** Evaluates an expression of the configuration. `more` adds values that only this expression sees. */
  readonly evaluate: (name: string, more?: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

/** An output, a wait, or loop items. */
export type StepResult =
  | {
      readonly output: unknown;
      readonly branch?: string;
      readonly page?: ListPage;
      /** Another attempt would get the same result from stored responses and the journal. */
      readonly isReplayable?: boolean;
    }
  | { readonly wait: StepWait }
  | { readonly items: readonly unknown[] }
  /** The maximum number of iterations of a repeat. */
  | { readonly turns: number };

/** Executes the steps of one node type. */
export interface Executor<Schema extends TObject = TObject> {
  readonly type: NodeType<Schema>;
  run(config: Static<Schema>, tools: StepTools): Promise<StepResult> | StepResult;
}

/** Declares the executor of a node type. */
export function executor<Schema extends TObject>(declaration: Executor<Schema>): Executor {
  // Configurations are checked against the type's own schema before they get here.
  return declaration as unknown as Executor;
}

export const ExecutorPoint = extensionPoint<Executor>("runs.executors");
