/**
 * Messages between the pool and a script process. All script values are sent as JSON text, which has a length limit
 * and contains no code. Each message names its run, so that late messages can be ignored.
 */
import type { ScriptModules } from "./module-import.ts";
import type { LogLevel, ScriptError, ScriptKind, ScriptStatus } from "./script.ts";

export type ToProcess = RunOrder | InspectOrder | HostReply | EndOrder;

interface Order {
  readonly run: number;
  readonly owner: string;
  readonly source: string;
  /** The imported modules, including transitive imports. */
  readonly modules?: ScriptModules;
  readonly memoryMb: number;
}

export interface RunOrder extends Order {
  readonly kind: "run";
  readonly input: string;
  readonly facts: string;
}

/** Requests the definition of a script without running more of it. */
export interface InspectOrder extends Order {
  readonly kind: "inspect";
}

/** The response to a host call. */
export interface HostReply {
  readonly kind: "answer";
  readonly run: number;
  readonly call: number;
  readonly value?: string;
  /** The JSON of a `CallFailure`. */
  readonly failure?: string;
}

export interface CallFailure {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly errors?: unknown;
}

/** Ends a waiting run. */
export interface EndOrder {
  readonly kind: "end";
  readonly run: number;
}

export type FromProcess = Call | Note | Activity | ScriptResult;

export interface Call {
  readonly kind: "call";
  readonly run: number;
  readonly call: number;
  readonly method: string;
  readonly args: string;
}

/** Script output. Sent immediately, so even an endless script has a log. */
export type Note = { readonly kind: "note"; readonly run: number } & (
  | {
      readonly log: LogLevel;
      readonly message: string;
      readonly metadata: string | undefined;
      readonly atMs: number;
    }
  | { readonly level: string; readonly text: string }
  | { readonly field: string; readonly change: string }
);

/** The script runs, or waits for replies and timers. */
export interface Activity {
  readonly kind: "busy" | "idle";
  readonly run: number;
  /** The number of handled orders and replies of this run. */
  readonly handled: number;
}

export interface ScriptResult {
  readonly kind: "result";
  readonly run: number;
  readonly status: ScriptStatus;
  readonly output?: string;
  /** Absent if the input is unchanged. */
  readonly current?: string | undefined;
  readonly abortReason?: string;
  readonly error?: ScriptError;
  readonly script?: ScriptKind;
}
