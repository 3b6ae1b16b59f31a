import { programFile, readOnlyCodeArguments } from "../../work/subprocess-code.ts";
import { Subprocess } from "../../work/subprocess.ts";
import type { EvaluationReply, EvaluationRequest } from "./protocol.ts";

const SOURCE = new URL("./evaluator-process.ts", import.meta.url);
/** An evaluation stops itself at its timeout, except during a call that cannot be interrupted. */
const GRACE_MS = 500;
/** The memory share of compiled expressions. The rest is for their values. */
const COMPILED_SHARE = 0.2;

/**
 * A process for evaluating expressions. A thread is not enough: allocating too much memory at once
 * (`[1..10000000]`) would end the whole server.
 */
export class Evaluator {
  readonly #process: Subprocess;
  #onReplies: ((replies: readonly EvaluationReply[] | undefined) => void) | undefined;

  constructor(memoryMb: number) {
    const timeZone = process.env["TZ"];
    const program = programFile(SOURCE, "evaluator-process.mjs");
    this.#process = new Subprocess({
      program,
      // V8's own heap limit is not usable: it includes the young generation, which grows with the machine.
      args: [String(memoryMb * 1024 * 1024 * COMPILED_SHARE)],
      // It runs expressions of any user, so its environment contains only the time zone.
      env: timeZone === undefined ? {} : { TZ: timeZone },
      execArgv: [`--max-old-space-size=${memoryMb}`, ...readOnlyCodeArguments(program)],
      // The program sends no other messages.
      onMessage: (replies) => this.#onReplies?.(replies as readonly EvaluationReply[]),
    });
    void this.#process.ended.then(() => this.#onReplies?.(undefined));
  }

  /** Resolves when it can accept requests. */
  get ready(): Promise<void> {
    return this.#process.ready;
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  /** Evaluates one request. Call it again only after the promise has settled. */
  async run(request: EvaluationRequest): Promise<readonly EvaluationReply[]> {
    this.#process.hold(true);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      // If this process was slow, the reply has already arrived and is read first.
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

  /** Kills the process immediately. */
  async close(): Promise<void> {
    await this.#process.close();
  }

  /** The next replies. Undefined if the process ends first. */
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
