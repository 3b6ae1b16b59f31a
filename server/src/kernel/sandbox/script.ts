import type { ScriptModules } from "./module-import.ts";

/** The host calls of scripts: the members of their context that leave the sandbox. */
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
 * An artifact is a module that exports its definition. Any other script is the body of a function of `input` and
 * `context`.
 */
export type ScriptKind = "artifact" | "body";

/** The definition exported by an artifact's source. */
export interface ArtifactDefinition {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  /** Taken from the source without validation. */
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

/** An error with its position in the author's source. Lines and columns count from 1. */
export interface ScriptError {
  readonly name: string;
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
  /** The stack frames in the author's source, one per line. Can be empty. */
  readonly stack: string;
}

/** The result of checking a saved script. */
export type Inspection =
  | { readonly ok: true; readonly kind: ScriptKind; readonly definition: ArtifactDefinition }
  | { readonly ok: false; readonly error: ScriptError };

/** One run of a script. */
export interface Execution {
  readonly source: string;
  /** The imported modules, including transitive imports. They have no permissions. */
  readonly modules?: ScriptModules;
  /** The key of the workspace. The queue is fair between owners, and owners share no isolate. */
  readonly owner: string;
  /** JSON. */
  readonly input: unknown;
  /** JSON values. Each becomes a read-only member of the context, for example `workspace` and `environment`. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly limits?: ExecutionLimits;
  /**
   * Handles the script's calls. The script receives a `Failure` as an error with its `code`, `status` and `errors`,
   * and any other error as an internal error. The signal is aborted if the script is stopped, so that the response is
   * no longer needed.
   */
  readonly call: (
    method: HostMethod,
    args: readonly unknown[],
    signal: AbortSignal,
  ) => Promise<unknown>;
  /** Aborted when the result is no longer needed: a waiting run is dropped, a running one stopped. */
  readonly signal?: AbortSignal;
}

export interface ExecutionLimits {
  /** From the start of the run. Default 30 s, maximum 300 s. */
  readonly timeoutMs?: number;
  /** Default 64, maximum 256. */
  readonly memoryMb?: number;
}

export type ScriptStatus =
  | "completed"
  | "aborted"
  | "failed"
  | "timed_out"
  | "out_of_memory"
  | "too_large";

/** The outcome of a run. It always includes the logs. */
export interface ScriptOutcome {
  readonly status: ScriptStatus;
  /** The returned value. Null unless the run completed. */
  readonly output: unknown;
  /** The input after the run. */
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
