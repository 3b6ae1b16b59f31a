import { programFile, readOnlyCodeArguments } from "../../work/subprocess-code.ts";
import { Subprocess } from "../../work/subprocess.ts";
import type { EvaluationReply, EvaluationRequest } from "./protocol.ts";

const SOURCE = new URL("./evaluator-process.ts", import.meta.url);
/** An evaluation stops itself when its time is over, unless it is in a call that nothing interrupts. */
const GRACE_MS = 500;
/** The share of the memory that compiled expressions may take; the rest is for their values. */
const COMPILED_SHARE = 0.2;

/**
 * A process that evaluates expressions. It is a process and not a thread, because a thread that asks for
 * too much memory at once (`[1..10000000]`) takes the whole server with it.
 */
export class Evaluator {
  readonly #process: Subprocess;
  #onReplies: ((replies: readonly EvaluationReply[] | undefined) => void) | undefined;

  constructor(memoryMb: number) {
    const timeZone = process.env["TZ"];
    const program = programFile(SOURCE, "evaluator-process.mjs");
    this.#process = new Subprocess({
      program,
      // V8's own limit would be no measure: it counts the young generation too, which grows with the machine.
      args: [String(memoryMb * 1024 * 1024 * COMPILED_SHARE)],
      // Anybody's expressions run there, so it gets nothing of ours but the time zone.
      env: timeZone === undefined ? {} : { TZ: timeZone },
      execArgv: [`--max-old-space-size=${memoryMb}`, ...readOnlyCodeArguments(program)],
      // Our own program sends nothing else.
      onMessage: (replies) => this.#onReplies?.(replies as readonly EvaluationReply[]),
    });
    void this.#process.ended.then(() => this.#onReplies?.(undefined));
  }

  /** Resolves when it can take requests. */
  get ready(): Promise<void> {
    return this.#process.ready;
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  /** Evaluates one request; the next may come when this has settled. */
  async run(request: EvaluationRequest): Promise<readonly EvaluationReply[]> {
    this.#process.hold(true);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      // When it was this process that was slow, the answer is already there and is read first.
      setImmediate(() => stop.abort());
    }, request.timeLimitMs + GRACE_MS);
    const kill = (): void => this.#process.kill();
    stop.signal.addEventListener("abort", kill);
    const next = this.#nextReplies();
    this.#process.send(request);
    const replies = await next;
    clearTimeout(timer);
    stop.signal.removeEventListener("abort", kill);
    this.#process.hold(false);
    return replies ?? [{ error: { code: stop.signal.aborted ? "timeout" : "too_large" } }];
  }

  /** Kills it, whatever it is doing. */
  async close(): Promise<void> {
    await this.#process.close();
  }

  /** Its next replies; undefined when it ends first. */
  async #nextReplies(): Promise<readonly EvaluationReply[] | undefined> {
    if (!this.isAlive) return undefined;
    return new Promise((resolve) => {
      this.#onReplies = (replies) => {
        this.#onReplies = undefined;
        resolve(replies);
      };
    });
  }
}
