import type { ScriptModules } from "./module-import.ts";

/** The host calls that a script may make: the members of its context that leave the sandbox. */
export const HOST_METHODS = [
  "tables.get",
  "tables.list",
  "tables.create",
  "tables.update",
  "tables.delete",
  "connectors.invoke",
  "secrets.get",
  "variables.get",
  "events.publish",
  "http.request",
  "files.read",
  "files.create",
  "files.append",
  "files.close",
] as const;

export type HostMethod = (typeof HOST_METHODS)[number];

/**
 * An artifact is a module that exports its definition; anything else is the body of a function of
 * `input` and `context`.
 */
export type ScriptKind = "artifact" | "body";

/** The definition that an artifact's source exports. */
export interface ArtifactDefinition {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  /** As the source has them: nothing of them is checked. */
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

/** An error with its position in the author's source: lines and columns count from 1. */
export interface ScriptError {
  readonly name: string;
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
  /** The frames of the author's source, one a line; empty when there are none. */
  readonly stack: string;
}

/** The result of checking a script that is saved. */
export type Inspection =
  | { readonly ok: true; readonly kind: ScriptKind; readonly definition: ArtifactDefinition }
  | { readonly ok: false; readonly error: ScriptError };

/** One run of a script. */
export interface Execution {
  readonly source: string;
  /** The modules that it imports, and those that they do; they have no rights of their own. */
  readonly modules?: ScriptModules;
  /** The key of the workspace: the queue is fair between owners, and they share no isolate. */
  readonly owner: string;
  /** JSON. */
  readonly input: unknown;
  /** JSON; each becomes a read-only member of the context, above all `workspace` and `environment`. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly limits?: ExecutionLimits;
  /**
   * Serves the script's calls. A `Failure` reaches the script as an error with its `code`, `status` and
   * `errors`; of anything else it sees only an internal error. The signal is aborted when the
   * script was stopped before its end, so that nobody waits for the answer.
   */
  readonly call: (
    method: HostMethod,
    args: readonly unknown[],
    signal: AbortSignal,
  ) => Promise<unknown>;
  /** Aborted when the caller does not want it any more: a waiting run is dropped, a running one stopped. */
  readonly signal?: AbortSignal;
}

export interface ExecutionLimits {
  /** From when it starts to run; 30 s by default, at most 300 s. */
  readonly timeoutMs?: number;
  /** 64 by default, at most 256. */
  readonly memoryMb?: number;
}

export type ScriptStatus =
  | "completed"
  | "aborted"
  | "failed"
  | "timed_out"
  | "out_of_memory"
  | "too_large";

/** The outcome of a run; its logs are there however it ended. */
export interface ScriptOutcome {
  readonly status: ScriptStatus;
  /** The value that it returned; null unless it completed. */
  readonly output: unknown;
  /** The input as the script left it. */
  readonly current: unknown;
  readonly abortReason: string | null;
  readonly error: ScriptError | null;
  readonly messages: readonly ScriptMessage[];
  readonly uiStateChanges: readonly UiStateChange[];
  readonly logs: readonly LogEntry[];
  readonly durationMs: number;
}

export interface ScriptMessage {
  readonly level: string;
  readonly text: string;
}

export interface UiStateChange {
  readonly field: string;
  readonly change: unknown;
}

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly metadata: unknown;
  readonly at: string;
}

export type LogLevel = "debug" | "info" | "warn" | "error";
