import { fileURLToPath } from "node:url";
import { readOnlyCodeArguments } from "../../work/subprocess-permissions.ts";
import { Subprocess } from "../../work/subprocess.ts";
import type { EvaluationRequest, EvaluationReply } from "./protocol.ts";

const PROGRAM = fileURLToPath(new URL("./evaluator-process.ts", import.meta.url));
/** An evaluation stops itself when its time is over, unless it is in a call that nothing interrupts. */
const GRACE_MS = 500;
/** How much of the memory compiled expressions may take; the rest is for what they work on. */
const COMPILED_SHARE = 0.2;

/**
 * A process that evaluates expressions. It is a process and not a thread, because a thread that asks for
 * too much memory at once (`[1..10000000]`) takes the whole server with it.
 */
export class Evaluator {
  readonly #process: Subprocess;
  #hear: ((reports: readonly EvaluationReply[] | undefined) => void) | undefined;

  constructor(memoryMb: number) {
    const timeZone = process.env["TZ"];
    this.#process = new Subprocess({
      program: PROGRAM,
      // V8's own limit would be no measure: it counts the young generation too, which grows with the machine.
      args: [String(memoryMb * 1024 * 1024 * COMPILED_SHARE)],
      // Anybody's expressions run there, so it gets nothing of ours but the time zone.
      env: timeZone === undefined ? {} : { TZ: timeZone },
      execArgv: [`--max-old-space-size=${memoryMb}`, "--permission", ...readOnlyCodeArguments()],
      // Our own program says nothing else.
      onMessage: (reports) => this.#hear?.(reports as readonly EvaluationReply[]),
    });
    void this.#process.ended.then(() => this.#hear?.(undefined));
  }

  /** Resolves when it can take jobs. */
  get ready(): Promise<void> {
    return this.#process.ready;
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  /** Carries out one job; the next may come when this has settled. */
  async run(job: EvaluationRequest): Promise<readonly EvaluationReply[]> {
    this.#process.hold(true);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      // When it was this process that was slow, the answer is already there and is read first.
      setImmediate(() => stop.abort());
    }, job.timeLimitMs + GRACE_MS);
    const kill = (): void => this.#process.kill();
    stop.signal.addEventListener("abort", kill);
    const next = this.#nextReports();
    this.#process.send(job);
    const reports = await next;
    clearTimeout(timer);
    stop.signal.removeEventListener("abort", kill);
    this.#process.hold(false);
    return reports ?? [{ fault: { code: stop.signal.aborted ? "timeout" : "too_large" } }];
  }

  /** Ends it, whatever it is doing. */
  async close(): Promise<void> {
    await this.#process.close();
  }

  /** What it reports next; nothing when it ends first. */
  async #nextReports(): Promise<readonly EvaluationReply[] | undefined> {
    if (!this.isAlive) return undefined;
    return new Promise((resolve) => {
      this.#hear = (reports) => {
        this.#hear = undefined;
        resolve(reports);
      };
    });
  }
}
