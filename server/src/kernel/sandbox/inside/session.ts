import { SCRIPT_LIMITS } from "../limits.ts";
import { isNestedDeeperThan } from "../json-depth.ts";
import { type RawScriptError, withoutPosition, scriptError } from "../script-error.ts";
import type {
  HostReply,
  EndOrder,
  FromProcess,
  InspectOrder,
  ScriptResult,
  RunOrder,
} from "../protocol.ts";
import type { LogLevel, ScriptError } from "../script.ts";
import type { CompiledScript, ContextOptions } from "./compiled-script.ts";
import { readError, isLogLevel, readText } from "./messages.ts";

const TIMER_MS_MAX = 2 ** 31 - 1;
const MISHAPS_MAX = 20;

type Conclusion = Omit<ScriptResult, "kind" | "run">;

/**
 * One run of a script, from its order to its result. The script is at work in bursts, each begun by its
 * start, an answer or a timer, on a thread of the isolate's own. Its end counts when the burst is over,
 * and so when nothing of it can run any more.
 */
export class Session {
  readonly #order: RunOrder | InspectOrder;
  readonly #send: (message: FromProcess) => void;
  readonly #bench: CompiledScript;
  readonly #setting: ContextOptions;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  readonly #over = Promise.withResolvers<void>();
  #isOver = false;
  #bursts = 0;
  #callsPending = 0;
  #heard = 1;
  #conclusion: Conclusion | undefined;
  #abortReason: string | undefined;
  #uncaught: ScriptError | undefined;
  #mishaps = 0;

  constructor(
    order: RunOrder | InspectOrder,
    bench: CompiledScript,
    send: (message: FromProcess) => void,
  ) {
    this.#order = order;
    this.#bench = bench;
    this.#send = send;
    this.#setting = bench.take();
    this.#setting.line.hear = (kind, ...texts) => this.#told(kind, texts);
  }

  get run(): number {
    return this.#order.run;
  }

  /** Carries it out; resolves when it is over. */
  async carryOut(): Promise<void> {
    void this.#burst(() => this.#start());
    await this.#over.promise;
  }

  hear(message: HostReply | EndOrder): void {
    if (this.#isOver) return;
    if (message.kind === "end") {
      this.#conclusion ??= { status: "timed_out" };
      if (this.#bursts === 0) this.#rest();
      return;
    }
    this.#heard += 1;
    this.#callsPending -= 1;
    const { call, value, failure } = message;
    void this.#burst(() => this.#setting.desk.apply(undefined, ["answer", call, value, failure]));
  }

  async #start(): Promise<void> {
    const order = this.#order;
    const { kind } = this.#bench;
    if (order.kind === "inspect" && kind === "body") {
      this.#conclusion = { status: "completed", output: "{}" };
      return;
    }
    const subject = await this.#bench.subject(this.#setting).catch((error: unknown) => {
      this.#conclusion ??= { status: "failed", error: this.#errorOf(readError(error)) };
    });
    if (!subject || this.#conclusion) return;
    const { input = "null", facts = "{}" } = order.kind === "run" ? order : {};
    const it = subject.derefInto({ release: true });
    await this.#setting.desk.apply(undefined, [order.kind, it, input, facts]);
  }

  async #burst(work: () => Promise<unknown>): Promise<void> {
    this.#bursts += 1;
    try {
      await work();
    } catch (error) {
      if (!this.#bench.isLost) this.#mishap(error);
    }
    this.#bursts -= 1;
    if (this.#bursts === 0) this.#rest();
  }

  /** The script is at rest: it has ended, waits for something, or waits for nothing. */
  #rest(): void {
    if (this.#isOver) return;
    if (this.#bench.isLost) return this.#finish({ status: "out_of_memory" });
    if (this.#abortReason !== undefined) {
      const { current } = this.#conclusion ?? {};
      return this.#finish({ status: "aborted", abortReason: this.#abortReason, current });
    }
    if (this.#conclusion) return this.#finish(this.#conclusion);
    if (this.#callsPending > 0 || this.#timers.size > 0) return this.#pace("idle");
    const stalled = withoutPosition("Error", "The script waits for something that never happens.");
    this.#finish({ status: "failed", error: this.#uncaught ?? stalled });
  }

  #finish(conclusion: Conclusion): void {
    this.#isOver = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#setting.line.hear = undefined;
    const { output = "null", current } = conclusion;
    const isTooDeep = isNestedDeeperThan(output, SCRIPT_LIMITS.depthMax);
    const sound: Conclusion = {
      ...(isTooDeep ? { status: "too_large" as const } : conclusion),
      current:
        current !== undefined && isNestedDeeperThan(current, SCRIPT_LIMITS.depthMax)
          ? undefined
          : current,
    };
    this.#send({ kind: "result", run: this.run, script: this.#bench.kind, ...sound });
    if (!this.#bench.isLost) {
      this.#setting.desk.release();
      this.#setting.context.release();
    }
    this.#over.resolve();
  }

  #pace(kind: "busy" | "idle"): void {
    this.#send({ kind, run: this.run, heard: this.#heard });
  }

  /** An error that nobody handled. The script may go on without, but it should be known. */
  #mishap(thrown: unknown): void {
    const error = this.#errorOf(readError(thrown));
    this.#uncaught = error;
    this.#mishaps += 1;
    if (this.#mishaps > MISHAPS_MAX) return;
    const { name, message, line } = error;
    const where = line === null ? "" : ` (line ${line})`;
    this.#log("error", `Nobody handled an error: ${name}: ${message}${where}`, undefined);
  }

  #errorOf(fault: RawScriptError): ScriptError {
    return scriptError(fault, this.#order.source);
  }

  /** What the script's context tells; it may be anything, as may the script. */
  #told(kind: unknown, [a, b, c, ...rest]: readonly unknown[]): void {
    if (this.#conclusion || this.#isOver) return;
    const { run } = this;
    if (isLogLevel(kind)) this.#log(kind, readText(a) ?? "", readText(b));
    else if (kind === "message") {
      this.#send({ kind: "note", run, level: readText(a) ?? "", text: readText(b) ?? "" });
    } else if (kind === "ui") {
      this.#send({ kind: "note", run, field: readText(a) ?? "", change: readText(b) ?? "null" });
    } else if (kind === "call") {
      this.#callsPending += 1;
      const args = readText(c) ?? "[]";
      this.#send({ kind: "call", run, call: Number(a), method: readText(b) ?? "", args });
    } else if (kind === "timer") this.#setTimer(Number(a), Number(b));
    else if (kind === "abort") this.#abortReason ??= readText(a) ?? "";
    else if (kind === "done") this.#conclude([a, b, c, ...rest].map(readText));
  }

  #conclude([status, output, current, name, ...told]: readonly (string | undefined)[]): void {
    const [message = "", stack = ""] = told;
    if (status === "completed" && output !== undefined) {
      this.#conclusion = { status, output, current };
    } else if (status === "too_large") this.#conclusion = { status, current };
    else {
      const error = this.#errorOf({ name: name ?? "Error", message, stack });
      this.#conclusion = { status: "failed", current, error };
    }
  }

  #log(log: LogLevel, message: string, metadata: string | undefined): void {
    this.#send({ kind: "note", run: this.run, log, message, metadata, atMs: Date.now() });
  }

  #setTimer(id: number, delayMs: number): void {
    const fire = (): void => {
      this.#timers.delete(id);
      if (this.#bursts === 0) this.#pace("busy");
      void this.#burst(() => this.#setting.desk.apply(undefined, ["fire", id]));
    };
    this.#timers.set(id, setTimeout(fire, Math.min(Math.max(delayMs, 1), TIMER_MS_MAX)));
  }
}
