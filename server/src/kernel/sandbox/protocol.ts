/**
 * The messages between the pool and a script process. All values of scripts travel as JSON text: it is
 * bounded by its length, and nothing of it is alive. Each message names the run that it belongs to, since
 * one that comes late belongs to none.
 */
import type { ScriptModules } from "./module-import.ts";
import type { LogLevel, ScriptError, ScriptKind, ScriptStatus } from "./script.ts";

export type ToProcess = RunOrder | InspectOrder | HostReply | EndOrder;

interface Order {
  readonly run: number;
  readonly owner: string;
  readonly source: string;
  /** Those that it imports, and those that they do. */
  readonly modules?: ScriptModules;
  readonly memoryMb: number;
}

export interface RunOrder extends Order {
  readonly kind: "run";
  readonly input: string;
  readonly facts: string;
}

/** Orders the definition of a script, without running more of it. */
export interface InspectOrder extends Order {
  readonly kind: "inspect";
}

/** The answer to a host call. */
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

/** Ends a run that only waits. */
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

/** Something that a script wrote; it is sent at once, so that a script that never ends has a log. */
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

/** The script runs, or waits for answers and timers. */
export interface Activity {
  readonly kind: "busy" | "idle";
  readonly run: number;
  /** How many orders and answers of this run it has handled. */
  readonly handled: number;
}

export interface ScriptResult {
  readonly kind: "result";
  readonly run: number;
  readonly status: ScriptStatus;
  readonly output?: string;
  /** Absent when the input is as it was. */
  readonly current?: string | undefined;
  readonly abortReason?: string;
  readonly error?: ScriptError;
  readonly script?: ScriptKind;
}
