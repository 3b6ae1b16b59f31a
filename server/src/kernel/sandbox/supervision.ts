import type { Ending, Subprocess } from "../work/subprocess.ts";
import { HostCalls } from "./host-calls.ts";
import { parseJson } from "./json.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import type { FromProcess, InspectOrder, Note, ScriptResult, RunOrder } from "./protocol.ts";
import { makeWay, usageOf } from "./script-process.ts";
import type {
  Execution,
  LogEntry,
  ScriptMessage,
  ScriptOutcome,
  ScriptStatus,
  UiStateChange,
} from "./script.ts";

/** What a script has written, as it comes. The process bounds it, and so do we: scripts run there. */
class ScriptLog {
  readonly #logs: LogEntry[] = [];
  readonly #messages: ScriptMessage[] = [];
  readonly #changes: UiStateChange[] = [];
  #count = 0;
  #size = 0;

  add(note: Note): void {
    this.#count += 1;
    this.#size += sizeOf(note);
    // Some more than a script may write, since the process has things to say as well.
    if (this.#count > 2 * SCRIPT_LIMITS.notesMax || this.#size > 2 * SCRIPT_LIMITS.notesSizeMax)
      return;
    if ("log" in note) {
      const { log: level, message, metadata, atMs } = note;
      const at = new Date(atMs).toISOString();
      this.#logs.push({ level, message, metadata: parsed(metadata), at });
    } else if ("text" in note) {
      this.#messages.push({ level: note.level, text: note.text });
    } else this.#changes.push({ field: note.field, change: parsed(note.change) });
  }

  /** All of it, for the outcome. */
  get all(): Pick<ScriptOutcome, "logs" | "messages" | "uiStateChanges"> {
    return { logs: this.#logs, messages: this.#messages, uiStateChanges: this.#changes };
  }
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? null : parseJson(json);
}

function sizeOf(note: Note): number {
  if ("log" in note) return note.message.length + (note.metadata?.length ?? 0);
  if ("text" in note) return note.level.length + note.text.length;
  return note.field.length + note.change.length;
}

/** What a lane is to do. */
export interface SlotTask {
  readonly order: Orderless<RunOrder> | Orderless<InspectOrder>;
  readonly timeoutMs: number;
  readonly call: Execution["call"];
  readonly onError: (error: unknown) => void;
  /** The script only waits, or computes for so long that it gives way: others may run meanwhile. */
  readonly onPause: () => void;
  readonly onResume: () => void;
}

type Orderless<Order> = Omit<Order, "run">;

/** How it ended; with a result unless it was stopped, or took its process with it. */
export interface SlotResult {
  readonly status: ScriptStatus;
  readonly result?: ScriptResult;
  readonly notes: ScriptLog;
  readonly durationMs: number;
  /** How much of that it computed, as far as we can tell. */
  readonly busyMs: number;
}

const LOOK_MS = 100;
/** Who computes for so long without a pause gives way to others: of the processor's time, where we know. */
const HEAVY_MS = 500;
/** More than a script's bounds let it cause; only what is not our program any more says so much. */
const MESSAGES_MAX = 50_000;
/** A script that only waits is let go by its process, if that is well. */
const LET_GO_MS = 250;
/** What a process has beside the memory of the script that it runs. */
const ELSE_BYTES = 160 * 1024 * 1024;
/** An isolate's limit is not strict: its authors speak of two to three times as much. */
const OVERRUN = 3;

/**
 * Watches over one run, from outside of its process: whatever the script does there, it can't delay this.
 * When its time is over or its memory too much, the process is killed with it.
 */
export class SlotSupervisor {
  readonly #process: Subprocess;
  readonly #run: number;
  readonly #work: SlotTask;
  readonly #calls: HostCalls;
  readonly #notes = new ScriptLog();
  readonly #end = Promise.withResolvers<SlotResult>();
  readonly #startedAt = performance.now();
  readonly #timers: readonly NodeJS.Timeout[];
  #letGo: NodeJS.Timeout | undefined;
  #busySince: number | undefined = this.#startedAt;
  #busyMs = 0;
  /** Where the clock of its computing stood when we first looked in this burst. */
  #clockAtLookMs: number | undefined;
  #messages = 0;
  #sent = 1;
  #isHeavy = false;
  #isOver = false;
  #stopping: ScriptStatus | undefined;

  constructor(process: Subprocess, run: number, work: SlotTask) {
    this.#process = process;
    this.#run = run;
    this.#work = work;
    this.#calls = new HostCalls({ ...work, answer: (call, reply) => this.#answer(call, reply) });
    // When it was this process that was slow, the result is already there and is read first.
    const late = (): unknown => setImmediate(() => this.stop("timed_out"));
    this.#timers = [setTimeout(late, work.timeoutMs), setInterval(() => this.#look(), LOOK_MS)];
    process.hold(true);
    process.send({ ...work.order, run });
  }

  get ended(): Promise<SlotResult> {
    return this.#end.promise;
  }

  /** It has run at the lowest priority, which its process keeps. */
  get isHeavy(): boolean {
    return this.#isHeavy;
  }

  hear(message: FromProcess): void {
    if (this.#isOver || message.run !== this.#run) return;
    this.#messages += 1;
    if (this.#messages > MESSAGES_MAX) return this.stop("failed");
    switch (message.kind) {
      case "note":
        return this.#notes.add(message);
      case "call":
        return this.#stopping ? undefined : this.#calls.make(message);
      case "busy":
        return this.#busy();
      case "idle":
        return message.heard === this.#sent ? this.#idle() : undefined;
      case "result":
        return this.#finish(this.#stopping ?? message.status, message);
    }
  }

  processEnded(ending: Ending): void {
    this.#calls.stop();
    this.#finish(this.#stopping ?? statusOf(ending), undefined);
  }

  /** Ends it; what computes takes its process along. */
  stop(status: ScriptStatus): void {
    if (this.#isOver || this.#stopping) return;
    this.#stopping = status;
    this.#calls.stop();
    if (this.#busySince !== undefined) return this.#process.kill();
    this.#process.send({ kind: "end", run: this.#run });
    this.#letGo = setTimeout(() => this.#process.kill(), LET_GO_MS);
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
    if (!this.#isHeavy) this.#work.onResume();
  }

  #idle(): void {
    if (this.#busySince === undefined) return;
    this.#busyMs += performance.now() - this.#busySince;
    this.#busySince = undefined;
    this.#clockAtLookMs = undefined;
    if (!this.#isHeavy) this.#work.onPause();
  }

  #look(): void {
    if (this.#busySince === undefined) return;
    const usage = usageOf(this.#process);
    const { memoryMb } = this.#work.order;
    const bytesMax = ELSE_BYTES + OVERRUN * memoryMb * 1024 * 1024;
    if ((usage?.residentBytes ?? 0) > bytesMax) return this.stop("out_of_memory");
    const clockMs = usage?.cpuMs ?? performance.now();
    this.#clockAtLookMs ??= clockMs;
    if (this.#isHeavy || clockMs - this.#clockAtLookMs < HEAVY_MS - LOOK_MS) return;
    this.#isHeavy = true;
    makeWay(this.#process);
    this.#work.onPause();
  }

  #finish(status: ScriptStatus, result: ScriptResult | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const timer of [...this.#timers, this.#letGo]) clearTimeout(timer);
    this.#process.hold(false);
    const now = performance.now();
    this.#end.resolve({
      status,
      ...(result && !this.#stopping && { result }),
      notes: this.#notes,
      durationMs: Math.round(now - this.#startedAt),
      busyMs: this.#busyMs + (this.#busySince === undefined ? 0 : now - this.#busySince),
    });
  }
}

/** What ended a process that we did not end: mostly the engine, when it could not get more memory. */
function statusOf({ code, signal }: Ending): ScriptStatus {
  const memory = ["SIGABRT", "SIGILL", "SIGKILL", "SIGTRAP"];
  return code === 134 || (signal && memory.includes(signal)) ? "out_of_memory" : "failed";
}
