/** What a script may ask of the platform: the members of its context that lead outside. */
export const HOST_METHODS = [
  "tables.get",
  "tables.list",
  "tables.create",
  "tables.update",
  "tables.delete",
  "connectors.invoke",
  "secrets.get",
  "events.publish",
  "http.request",
] as const;

export type HostMethod = (typeof HOST_METHODS)[number];

/**
 * An artifact is a module that exports its definition; anything else is the body of a function of
 * `input` and `context`.
 */
export type ScriptKind = "artifact" | "body";

/** What an artifact's source says about itself. */
export interface Definition {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  /** As the source has them: nothing of them is checked. */
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

/** What went wrong, and where in the author's source: lines and columns count from 1. */
export interface ScriptError {
  readonly name: string;
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
  /** The frames of the author's source, one a line; empty when there are none. */
  readonly stack: string;
}

/** What saving a script is told. */
export type Inspection =
  | { readonly ok: true; readonly kind: ScriptKind; readonly definition: Definition }
  | { readonly ok: false; readonly error: ScriptError };

/** One run of a script. */
export interface Execution {
  readonly source: string;
  /** The key of the workspace: turns are fair between owners, and they share no isolate. */
  readonly owner: string;
  /** JSON. */
  readonly input: unknown;
  /** JSON; each becomes a read-only member of the context, above all `workspace` and `environment`. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly limits?: ExecutionLimits;
  /**
   * Serves the script's calls. A `Failure` reaches the script as an error with its `code`, `status` and
   * `errors`; of anything else it hears only that something went wrong. The signal is aborted when the
   * script was stopped before its end, so that nobody waits for the answer.
   */
  readonly call: (
    method: HostMethod,
    args: readonly unknown[],
    signal: AbortSignal,
  ) => Promise<unknown>;
  /** Whoever asked does not want it any more: what waits is dropped, what runs is stopped. */
  readonly signal?: AbortSignal;
}

export interface ExecutionLimits {
  /** From when it starts to run; 30 s unless told, at most 300 s. */
  readonly timeoutMs?: number;
  /** 64 unless told, at most 256. */
  readonly memoryMb?: number;
}

export type ScriptStatus =
  | "completed"
  | "aborted"
  | "failed"
  | "timed_out"
  | "out_of_memory"
  | "too_large";

/** What became of a run. What it wrote before it was stopped is there whatever its end. */
export interface ScriptOutcome {
  readonly status: ScriptStatus;
  /** What it returned; null unless it completed. */
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
