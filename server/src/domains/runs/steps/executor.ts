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

/** The step, and the services that its executor may use. */
export interface StepTools {
  readonly platform: Platform;
  readonly run: RunContext;
  readonly path: string;
  /** The causation of what the step does. */
  readonly cause: Causation;
  /** The type in the definition; of types that people make, the member of the family. */
  readonly nodeType: string;
  /** The values that the step's expressions see, secrets aside. */
  readonly scope: () => Readonly<Record<string, unknown>>;
  /** The agent that the step is part of, and what happened in it so far. */
  readonly agent: () => AgentHistory | undefined;
  /** Counts from 1. */
  readonly attempt: number;
  /** Equal for all attempts of this step of this run. */
  readonly idempotencyKey: string;
  /** Aborted when the step has taken too long, or the run was cancelled. */
  readonly signal: AbortSignal;
  readonly log: (level: StepLogLine["level"], message: string, metadata?: unknown) => void;
  /** Begins a text that is shown as it comes to whoever looks at the run; it is not kept. */
  readonly beginText: () => (text: string) => void;
  /** Notes the run that the step started and waits for. */
  readonly noteChildRun: (runId: string) => void;
  /** Resolves when the run is written; for steps that compute first and reach outside by themselves. */
  readonly untilRunWritten: () => Promise<void>;
  /** The rights of the run as they are now; looked up once for each attempt. */
  readonly rights: () => Promise<Rights>;
  /** Performs an operation of the platform with these rights, or those of the run; gives the response's body. */
  readonly perform: (operation: string, input: PerformInput, rights?: Rights) => Promise<unknown>;
  /** The files of the run, and those that it was given. */
  readonly files: StepFiles;
  /** Evaluates an expression of the configuration, which may see more than the step does. */
  readonly evaluate: (name: string, more?: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

/** An output, a wait, or the items of a loop. */
export type StepResult =
  | {
      readonly output: unknown;
      readonly branch?: string;
      readonly page?: ListPage;
      /** Another attempt would get it again, from stored responses and the journal alone. */
      readonly isReplayable?: boolean;
    }
  | { readonly wait: StepWait }
  | { readonly items: readonly unknown[] }
  /** Of a repeat: how many turns at most. */
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

/** Where domains contribute executors. */
export const ExecutorPoint = extensionPoint<Executor>("runs.executors");
