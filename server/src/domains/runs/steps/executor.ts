import type { Static, TObject } from "typebox";
import type { NodeType } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import type { StepLogLine, Wait } from "../engine/journal-record.ts";
import type { RunContext } from "../engine/run-context.ts";

/** What a step may use. */
export interface StepTools {
  readonly platform: Platform;
  readonly run: RunContext;
  readonly path: string;
  /** As the definition has it; of types that people make it is the one that was meant. */
  readonly nodeType: string;
  /** What the step's expressions see, secrets aside. */
  readonly scope: () => Readonly<Record<string, unknown>>;
  /** The first one is 1. */
  readonly attempt: number;
  /** The same for every attempt of this step of this run. */
  readonly idempotencyKey: string;
  /** Aborted when the step has taken too long, or the run was cancelled. */
  readonly signal: AbortSignal;
  readonly log: (level: StepLogLine["level"], message: string, metadata?: unknown) => void;
  /** Resolves when the run is written; for steps that compute first and then reach outside by themselves. */
  readonly written: () => Promise<void>;
  /** Any operation of the platform, with the permissions of the run. Resolves to the answer's body. */
  readonly perform: (operation: string, input: PerformInput) => Promise<unknown>;
  /** The value of an expression of the configuration. */
  readonly evaluate: (name: string) => Promise<unknown>;
}

export interface PerformInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** What came of it: an output, a wait, or the items of a loop. */
export type StepResult =
  | { readonly output: unknown; readonly branch?: string }
  | { readonly wait: Wait }
  | { readonly items: readonly unknown[] };

/** How the steps of one node type are carried out. */
export interface Executor<Schema extends TObject = TObject> {
  readonly type: NodeType<Schema>;
  run(config: Static<Schema>, tools: StepTools): Promise<StepResult> | StepResult;
}

/** Declares how a node type is carried out. */
export function executor<Schema extends TObject>(about: Executor<Schema>): Executor {
  // Configurations are checked against the type's own schema before they get here.
  return about as unknown as Executor;
}

/** Domains contribute what they can do in a workflow. */
export const executorsByType = extensionPoint<Executor>("runs.executors");

/** Why a step failed, in words for its author. */
export class StepFailure extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { readonly retryable?: boolean } = {}) {
    super(message);
    this.code = code;
    this.retryable = options.retryable ?? true;
  }
}
