/**
 * The sandbox for user scripts: artifacts, script steps of workflows and other code of a workspace. Each run has an
 * unused JavaScript context in an isolate for its owner and source, in a process that runs only this script and
 * contains no server data. Besides computing, a script can only make the host calls of its `context`, which
 * `Execution.call` handles.
 *
 * In addition to the language (without `eval` and similar functions, WebAssembly, shared memory and weak references) a
 * script has `console`, `setTimeout`, `clearTimeout`, `queueMicrotask`, `structuredClone`, `URL`, `URLSearchParams`,
 * `atob`, `btoa`, `defineArtifact` and, in `crypto`, `randomUUID`, `hmac` and `timingSafeEqual`. Its time zone is UTC.
 */
import { parseJson } from "./json.ts";
import { SCRIPT_LIMITS, MEMORY_MB, TIMEOUT_MS } from "./limits.ts";
import type { ScriptModules } from "./module-import.ts";
import type { ScriptResult } from "./protocol.ts";
import { withoutPosition } from "./script-error.ts";
import { type PoolOptions, ScriptPool } from "./script-pool.ts";
import type {
  ArtifactDefinition,
  Execution,
  ExecutionLimits,
  Inspection,
  ScriptError,
  ScriptOutcome,
  ScriptStatus,
} from "./script.ts";
import type { SlotResult } from "./slot-supervisor.ts";

export type {
  ArtifactDefinition,
  Execution,
  HostMethod,
  Inspection,
  LogEntry,
  ScriptError,
  ScriptKind,
  ScriptOutcome,
  ScriptStatus,
} from "./script.ts";
export { SandboxBusy } from "./script-pool.ts";

/** The end of a run, without its logs. */
type RunConclusion = Omit<ScriptOutcome, "messages" | "uiStateChanges" | "logs" | "durationMs">;

/** Reads the result reported by a process. `input` is the input of the script. */
function toOutcome(result: ScriptResult, input: string): RunConclusion {
  const { status, output, current, abortReason, error } = result;
  return {
    status,
    output: status === "completed" && output !== undefined ? parseJson(output) : null,
    current: parseJson(current ?? input),
    abortReason: status === "aborted" ? (abortReason ?? "") : null,
    error: status === "failed" ? (error ?? processCrash()) : statusError(status),
  };
}

/** Builds the outcome of a stopped or crashed run. */
function stoppedOutcome(status: ScriptStatus, input: string, timeoutMs?: number): RunConclusion {
  const error = status === "failed" ? processCrash() : statusError(status, timeoutMs);
  return { status, output: null, current: parseJson(input), abortReason: null, error };
}

function statusError(status: ScriptStatus, timeoutMs?: number): ScriptError | null {
  switch (status) {
    case "timed_out":
      return withoutPosition("TimeoutError", `The script was stopped after ${timeoutMs} ms.`);
    case "out_of_memory":
      return withoutPosition("MemoryError", "The script exceeded its memory limit.");
    case "too_large":
      return withoutPosition(
        "RangeError",
        `The output is larger than ${SCRIPT_LIMITS.outputMax} characters of JSON, or has more than ${SCRIPT_LIMITS.depthMax} levels of nesting.`,
      );
    case "completed":
    case "aborted":
    case "failed":
      return null;
  }
}

function processCrash(): ScriptError {
  return withoutPosition("Error", "The process of the script stopped unexpectedly.");
}

export interface SandboxOptions extends PoolOptions {
  /** The timeout for evaluating an artifact's module to get its definition. */
  readonly inspectionMs: number;
  /** Receives errors of `Execution.call` other than `Failure`, which scripts do not see. */
  readonly onError: (error: unknown) => void;
}

/** Runs scripts. Rejects only with `SandboxBusy`, or with the reason of the signal. */
export class Sandbox {
  readonly #pool: ScriptPool;
  readonly #onError: (error: unknown) => void;
  readonly #inspectionMs: number;

  constructor(options: Partial<SandboxOptions> = {}) {
    const { onError = () => undefined, inspectionMs = TIMEOUT_MS.inspection, ...rest } = options;
    this.#pool = new ScriptPool(rest);
    this.#onError = onError;
    this.#inspectionMs = inspectionMs;
  }

  /** Runs a script to its end, successful or not. */
  async run(execution: Execution): Promise<ScriptOutcome> {
    const { source, owner, call, signal, modules, limits = {} } = execution;
    const input = JSON.stringify(execution.input ?? null);
    const { timeoutMs, memoryMb } = clampLimits(limits);
    const tooLarge = checkSourceSize(source, modules) ?? checkInputSize(input);
    if (tooLarge) return rejectTooLarge(execution.input, tooLarge);
    const facts = JSON.stringify(execution.facts);
    const order = {
      kind: "run" as const,
      owner,
      source,
      ...(modules && { modules }),
      memoryMb,
      input,
      facts,
    };
    const work = { order, timeoutMs, call, onError: this.#onError };
    const end = await this.#pool.run(work, signal);
    const { log, durationMs, result } = end;
    const conclusion = result
      ? toOutcome(result, input)
      : stoppedOutcome(end.status, input, timeoutMs);
    return { ...conclusion, ...log.all, durationMs };
  }

  /**
   * Reads the definition of a script, or its syntax error. An artifact's module is evaluated without calling
   * `execute`.
   */
  async inspect(source: string, owner = "", modules?: ScriptModules): Promise<Inspection> {
    const tooLarge = checkSourceSize(source, modules);
    if (tooLarge) return { ok: false, error: tooLarge };
    const order = {
      kind: "inspect" as const,
      owner,
      source,
      ...(modules && { modules }),
      memoryMb: MEMORY_MB.usual,
    };
    const timeoutMs = this.#inspectionMs;
    const call = async (): Promise<never> => Promise.reject(new Error("Nothing calls yet."));
    const end = await this.#pool.run({ order, timeoutMs, call, onError: this.#onError });
    return toInspection(end, timeoutMs);
  }

  /** Ends all runs. */
  async close(): Promise<void> {
    await this.#pool.close();
  }
}

function clampLimits({ timeoutMs, memoryMb }: ExecutionLimits): Required<ExecutionLimits> {
  return {
    timeoutMs: Math.min(Math.max(timeoutMs ?? TIMEOUT_MS.usual, 1), TIMEOUT_MS.max),
    memoryMb: Math.min(Math.max(memoryMb ?? MEMORY_MB.usual, MEMORY_MB.min), MEMORY_MB.max),
  };
}

function checkSourceSize({ length }: string, modules: ScriptModules = {}): ScriptError | undefined {
  const all = Object.values(modules);
  const size = all.reduce((sum, module) => sum + module.length, length);
  if (all.length > SCRIPT_LIMITS.modulesMax || size > SCRIPT_LIMITS.programMax) {
    const message = `The script has more than ${SCRIPT_LIMITS.modulesMax} modules, or is longer than ${SCRIPT_LIMITS.programMax} characters with its modules.`;
    return withoutPosition("RangeError", message);
  }
  if (length <= SCRIPT_LIMITS.sourceMax) return undefined;
  return withoutPosition(
    "RangeError",
    `The source is longer than ${SCRIPT_LIMITS.sourceMax} characters.`,
  );
}

function checkInputSize({ length }: string): ScriptError | undefined {
  if (length <= SCRIPT_LIMITS.inputMax) return undefined;
  return withoutPosition(
    "RangeError",
    `The input is longer than ${SCRIPT_LIMITS.inputMax} characters of JSON.`,
  );
}

function rejectTooLarge(input: unknown, error: ScriptError): ScriptOutcome {
  const noLogs = { messages: [], uiStateChanges: [], logs: [], durationMs: 0 };
  const conclusion: RunConclusion = {
    status: "too_large",
    output: null,
    current: input,
    abortReason: null,
    error,
  };
  return { ...conclusion, ...noLogs };
}

function toInspection({ status, result }: SlotResult, timeoutMs: number): Inspection {
  const { script, output } = result ?? {};
  if (status === "completed" && script && output !== undefined) {
    // The process has checked its members, but it is not trusted.
    return { ok: true, kind: script, definition: parseJson(output) as ArtifactDefinition };
  }
  const { error } = result ? toOutcome(result, "null") : stoppedOutcome(status, "null", timeoutMs);
  return { ok: false, error: error ?? withoutPosition("Error", "The script can't be parsed.") };
}
