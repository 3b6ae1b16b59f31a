import { SCRIPT_LIMITS } from "../limits.ts";
import { isNestedDeeperThan } from "../../schema/json-depth.ts";
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
import type { CompiledScript, FreshContext } from "./compiled-script.ts";
import { readError, isLogLevel, readText } from "./messages.ts";

const TIMER_MS_MAX = 2 ** 31 - 1;
const UNCAUGHT_LOGGED_MAX = 20;

type Conclusion = Omit<ScriptResult, "kind" | "run">;

/**
 * One run of a script, from its order to its result. The script runs in bursts on a thread of the isolate; each burst
 * is started by the run, a reply or a timer. The script has ended only after the burst, when no more of its code can
 * run.
 */
export class Session {
  readonly #order: RunOrder | InspectOrder;
  readonly #send: (message: FromProcess) => void;
  readonly #script: CompiledScript;
  readonly #context: FreshContext;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  readonly #over = Promise.withResolvers<void>();
  #isOver = false;
  #bursts = 0;
  #callsPending = 0;
  #handled = 1;
  #conclusion: Conclusion | undefined;
  #abortReason: string | undefined;
  #uncaught: ScriptError | undefined;
  #uncaughtCount = 0;

  constructor(
    order: RunOrder | InspectOrder,
    script: CompiledScript,
    send: (message: FromProcess) => void,
  ) {
    this.#order = order;
    this.#script = script;
    this.#send = send;
    this.#context = script.takeContext();
    this.#context.channel.receive = (kind, ...texts) => this.#receiveFromScript(kind, texts);
  }

  get run(): number {
    return this.#order.run;
  }

  /** Executes the run and resolves at its end. */
  async execute(): Promise<void> {
    void this.#burst(() => this.#start());
    await this.#over.promise;
  }

  receive(message: HostReply | EndOrder): void {
    if (this.#isOver) return;
    if (message.kind === "end") {
      this.#conclusion ??= { status: "timed_out" };
      if (this.#bursts === 0) this.#settle();
      return;
    }
    this.#handled += 1;
    this.#callsPending -= 1;
    const { call, value, failure } = message;
    void this.#burst(() => this.#context.handle.apply(undefined, ["answer", call, value, failure]));
  }

  async #start(): Promise<void> {
    const order = this.#order;
    const { kind } = this.#script;
    const isBody = order.kind === "inspect" && kind === "body";
    if (isBody && !this.#script.isModule) {
      this.#conclusion = { status: "completed", output: "{}" };
      return;
    }
    const entryPoint = await this.#script.loadEntryPoint(this.#context).catch((error: unknown) => {
      this.#conclusion ??= { status: "failed", error: this.#toScriptError(readError(error)) };
    });
    if (!entryPoint || this.#conclusion) return;
    // A body is only linked, to verify that its imports exist.
    if (isBody) {
      this.#conclusion = { status: "completed", output: "{}" };
      return;
    }
    const { input = "null", facts = "{}" } = order.kind === "run" ? order : {};
    const entry = entryPoint.derefInto({ release: true });
    await this.#context.handle.apply(undefined, [order.kind, entry, input, facts]);
  }

  async #burst(work: () => Promise<unknown>): Promise<void> {
    this.#bursts += 1;
    try {
      await work();
    } catch (error) {
      if (!this.#script.isDisposed) this.#reportUncaught(error);
    }
    this.#bursts -= 1;
    if (this.#bursts === 0) this.#settle();
  }

  /** Decides after a burst: the script has ended, waits for something, or can never continue. */
  #settle(): void {
    if (this.#isOver) return;
    if (this.#script.isDisposed) return this.#finish({ status: "out_of_memory" });
    if (this.#abortReason !== undefined) {
      const { current } = this.#conclusion ?? {};
      return this.#finish({ status: "aborted", abortReason: this.#abortReason, current });
    }
    if (this.#conclusion) return this.#finish(this.#conclusion);
    if (this.#callsPending > 0 || this.#timers.size > 0) return this.#sendActivity("idle");
    const stalled = withoutPosition("Error", "The script awaits a promise that never settles.");
    this.#finish({ status: "failed", error: this.#uncaught ?? stalled });
  }

  #finish(conclusion: Conclusion): void {
    this.#isOver = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#context.channel.receive = undefined;
    const { output = "null", current } = conclusion;
    const isTooDeep = isNestedDeeperThan(output, SCRIPT_LIMITS.depthMax);
    const checked: Conclusion = {
      ...(isTooDeep ? { status: "too_large" as const } : conclusion),
      current:
        current !== undefined && isNestedDeeperThan(current, SCRIPT_LIMITS.depthMax)
          ? undefined
          : current,
    };
    this.#send({ kind: "result", run: this.run, script: this.#script.kind, ...checked });
    if (!this.#script.isDisposed) {
      this.#context.handle.release();
      this.#context.context.release();
    }
    this.#over.resolve();
  }

  #sendActivity(kind: "busy" | "idle"): void {
    this.#send({ kind, run: this.run, handled: this.#handled });
  }

  /** Logs an uncaught error. The script can continue, but its author should see the error. */
  #reportUncaught(thrown: unknown): void {
    const error = this.#toScriptError(readError(thrown));
    this.#uncaught = error;
    this.#uncaughtCount += 1;
    if (this.#uncaughtCount > UNCAUGHT_LOGGED_MAX) return;
    const { name, message, line } = error;
    const where = line === null ? "" : ` (line ${line})`;
    this.#log("error", `Unhandled error: ${name}: ${message}${where}`, undefined);
  }

  #toScriptError(error: RawScriptError): ScriptError {
    return scriptError(error, this.#order.source);
  }

  /** Handles a message of the script's context. Its content is untrusted. */
  #receiveFromScript(kind: unknown, [a, b, c, ...rest]: readonly unknown[]): void {
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

  #conclude([status, output, current, name, ...details]: readonly (string | undefined)[]): void {
    const [message = "", stack = ""] = details;
    if (status === "completed" && output !== undefined) {
      this.#conclusion = { status, output, current };
    } else if (status === "too_large") this.#conclusion = { status, current };
    else {
      const error = this.#toScriptError({ name: name ?? "Error", message, stack });
      this.#conclusion = { status: "failed", current, error };
    }
  }

  #log(log: LogLevel, message: string, metadata: string | undefined): void {
    this.#send({ kind: "note", run: this.run, log, message, metadata, atMs: Date.now() });
  }

  #setTimer(id: number, delayMs: number): void {
    const fire = (): void => {
      this.#timers.delete(id);
      if (this.#bursts === 0) this.#sendActivity("busy");
      void this.#burst(() => this.#context.handle.apply(undefined, ["fire", id]));
    };
    this.#timers.set(id, setTimeout(fire, Math.min(Math.max(delayMs, 1), TIMER_MS_MAX)));
  }
}
