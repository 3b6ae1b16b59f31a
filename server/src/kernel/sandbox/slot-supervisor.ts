import type { ProcessEnd, Subprocess } from "../work/subprocess.ts";
import { HostCalls } from "./host-calls.ts";
import { parseJson } from "./json.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import type { FromProcess, InspectOrder, Note, ScriptResult, RunOrder } from "./protocol.ts";
import { lowerPriority, usageOf } from "./script-process.ts";
import type {
  Execution,
  LogEntry,
  ScriptMessage,
  ScriptOutcome,
  ScriptStatus,
  UiStateChange,
} from "./script.ts";

/** Collects the log of a run. The process limits it, and this class does too, because the process is untrusted. */
class ScriptLog {
  readonly #entries: LogEntry[] = [];
  readonly #messages: ScriptMessage[] = [];
  readonly #changes: UiStateChange[] = [];
  #count = 0;
  #size = 0;

  add(note: Note): void {
    this.#count += 1;
    this.#size += sizeOf(note);
    // More than a script may write, because the process also writes.
    if (this.#count > 2 * SCRIPT_LIMITS.notesMax || this.#size > 2 * SCRIPT_LIMITS.notesSizeMax)
      return;
    if ("log" in note) {
      const { log: level, message, metadata, atMs } = note;
      const at = new Date(atMs).toISOString();
      this.#entries.push({ level, message, metadata: parseOptional(metadata), at });
    } else if ("text" in note) {
      this.#messages.push({ level: note.level, text: note.text });
    } else this.#changes.push({ field: note.field, change: parseOptional(note.change) });
  }

  /** The complete log, for the outcome. */
  get all(): Pick<ScriptOutcome, "logs" | "messages" | "uiStateChanges"> {
    return { logs: this.#entries, messages: this.#messages, uiStateChanges: this.#changes };
  }
}

function parseOptional(json: string | undefined): unknown {
  return json === undefined ? null : parseJson(json);
}

function sizeOf(note: Note): number {
  if ("log" in note) return note.message.length + (note.metadata?.length ?? 0);
  if ("text" in note) return note.level.length + note.text.length;
  return note.field.length + note.change.length;
}

/** The work of a process slot. */
export interface SlotTask {
  readonly order: Orderless<RunOrder> | Orderless<InspectOrder>;
  readonly timeoutMs: number;
  readonly call: Execution["call"];
  readonly onError: (error: unknown) => void;
  /** Called when the script waits, or must yield to others after computing for too long. */
  readonly onPause: () => void;
  readonly onResume: () => void;
}

type Orderless<Order> = Omit<Order, "run">;

/** The end of a run. It has a result unless the run was stopped or crashed its process. */
export interface SlotResult {
  readonly status: ScriptStatus;
  readonly result?: ScriptResult;
  readonly log: ScriptLog;
  readonly durationMs: number;
  /** The computing time, if known. */
  readonly busyMs: number;
}

const CHECK_EVERY_MS = 100;
/** The CPU time after which a script yields to others, or the elapsed time if unknown. */
const HEAVY_MS = 500;
/** More than a script can cause within its limits. A process that sends more is compromised. */
const MESSAGES_MAX = 50_000;
/** The maximum time for a process to end a waiting script. Then it is killed. */
const END_GRACE_MS = 250;
/** The memory of a process in addition to its script. */
const PROCESS_OVERHEAD_BYTES = 160 * 1024 * 1024;
/** An isolate's memory limit is not strict: its documentation mentions two to three times the limit. */
const MEMORY_OVERRUN_FACTOR = 3;

/**
 * Supervises one run from outside its process, so the script cannot delay it. If the run exceeds its time or memory,
 * its process is killed.
 */
export class SlotSupervisor {
  readonly #process: Subprocess;
  readonly #run: number;
  readonly #task: SlotTask;
  readonly #calls: HostCalls;
  readonly #log = new ScriptLog();
  readonly #end = Promise.withResolvers<SlotResult>();
  readonly #startedAt = performance.now();
  readonly #timers: readonly NodeJS.Timeout[];
  #endTimer: NodeJS.Timeout | undefined;
  #busySince: number | undefined = this.#startedAt;
  #busyMs = 0;
  /** The CPU time at the first check of this burst. */
  #cpuAtCheckMs: number | undefined;
  #messages = 0;
  #sent = 1;
  #isHeavy = false;
  #isOver = false;
  #stopping: ScriptStatus | undefined;

  constructor(process: Subprocess, run: number, task: SlotTask) {
    this.#process = process;
    this.#run = run;
    this.#task = task;
    this.#calls = new HostCalls({ ...task, answer: (call, reply) => this.#answer(call, reply) });
    // If this process was slow, the result has already arrived and is read first.
    const onTimeout = (): unknown => setImmediate(() => this.stop("timed_out"));
    this.#timers = [
      setTimeout(onTimeout, task.timeoutMs),
      setInterval(() => this.#checkUsage(), CHECK_EVERY_MS),
    ];
    process.hold(true);
    process.send({ ...task.order, run });
  }

  get ended(): Promise<SlotResult> {
    return this.#end.promise;
  }

  /** True if it ran at the lowest priority, which its process keeps. */
  get isHeavy(): boolean {
    return this.#isHeavy;
  }

  receive(message: FromProcess): void {
    if (this.#isOver || message.run !== this.#run) return;
    this.#messages += 1;
    if (this.#messages > MESSAGES_MAX) return this.stop("failed");
    switch (message.kind) {
      case "note":
        return this.#log.add(message);
      case "call":
        return this.#stopping ? undefined : this.#calls.make(message);
      case "busy":
        return this.#busy();
      case "idle":
        return message.handled === this.#sent ? this.#idle() : undefined;
      case "result":
        return this.#finish(this.#stopping ?? message.status, message);
    }
  }

  processEnded(ending: ProcessEnd): void {
    this.#calls.stop();
    this.#finish(this.#stopping ?? statusOf(ending), undefined);
  }

  /** Stops the run. If it computes, its process is killed. */
  stop(status: ScriptStatus): void {
    if (this.#isOver || this.#stopping) return;
    this.#stopping = status;
    this.#calls.stop();
    if (this.#busySince !== undefined) return this.#process.kill();
    this.#process.send({ kind: "end", run: this.#run });
    this.#endTimer = setTimeout(() => this.#process.kill(), END_GRACE_MS);
  }

  #answer(call: number, reply: object): void {
    if (this.#isOver || this.#stopping) return;
    this.#sent += 1;
    this.#busy();
    this.#process.send({ kind: "answer", run: this.#run, call, ...reply });
  }

  #busy(): void {
    if (this.#busySince !== undefined) return;
    this.#busySince = performance.now();
    if (!this.#isHeavy) this.#task.onResume();
  }

  #idle(): void {
    if (this.#busySince === undefined) return;
    this.#busyMs += performance.now() - this.#busySince;
    this.#busySince = undefined;
    this.#cpuAtCheckMs = undefined;
    if (!this.#isHeavy) this.#task.onPause();
  }

  #checkUsage(): void {
    if (this.#busySince === undefined) return;
    const usage = usageOf(this.#process);
    const { memoryMb } = this.#task.order;
    const bytesMax = PROCESS_OVERHEAD_BYTES + MEMORY_OVERRUN_FACTOR * memoryMb * 1024 * 1024;
    if ((usage?.residentBytes ?? 0) > bytesMax) return this.stop("out_of_memory");
    const cpuMs = usage?.cpuMs ?? performance.now();
    this.#cpuAtCheckMs ??= cpuMs;
    if (this.#isHeavy || cpuMs - this.#cpuAtCheckMs < HEAVY_MS - CHECK_EVERY_MS) return;
    this.#isHeavy = true;
    lowerPriority(this.#process);
    this.#task.onPause();
  }

  #finish(status: ScriptStatus, result: ScriptResult | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const timer of [...this.#timers, this.#endTimer]) clearTimeout(timer);
    this.#process.hold(false);
    const now = performance.now();
    this.#end.resolve({
      status,
      ...(result && !this.#stopping && { result }),
      log: this.#log,
      durationMs: Math.round(now - this.#startedAt),
      busyMs: this.#busyMs + (this.#busySince === undefined ? 0 : now - this.#busySince),
    });
  }
}

/** The status of a run whose process ended unexpectedly, usually because V8 ran out of memory. */
function statusOf({ code, signal }: ProcessEnd): ScriptStatus {
  const memory = ["SIGABRT", "SIGILL", "SIGKILL", "SIGTRAP"];
  return code === 134 || (signal && memory.includes(signal)) ? "out_of_memory" : "failed";
}
