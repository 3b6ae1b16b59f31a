import { setPriority } from "node:os";
import { programFile, readOnlyCodeArguments } from "../work/subprocess-code.ts";
import { Subprocess } from "../work/subprocess.ts";

const SOURCE = new URL("./embedder-process.ts", import.meta.url);
/** A lower priority: the process that serves requests goes first. */
const NICE = 5;
/** The weights are read on a machine that may be busy; it is not killed for that as soon as for a text. */
const START_LIMIT_MS = 120_000;

/** The reason why a text has no vector: the queue is full, it took too long, or the process ended. */
export class EmbeddingFailure extends Error {
  readonly code: "busy" | "timeout" | "ended";

  constructor(code: EmbeddingFailure["code"], message: string) {
    super(message);
    this.name = "EmbeddingFailure";
    this.code = code;
  }
}

/** A process that embeds texts: the model would block the thread that it runs on. */
export class Embedder {
  readonly #process: Subprocess;
  #onVector: ((vector: Float32Array | undefined) => void) | undefined;

  constructor() {
    const program = programFile(SOURCE, "embedder-process.mjs");
    this.#process = new Subprocess({
      program,
      env: {},
      execArgv: ["--no-warnings", "--expose-gc", ...readOnlyCodeArguments(program)],
      // Our own program sends nothing else.
      onMessage: (vector) => this.#onVector?.(vector as Float32Array),
    });
    void this.#process.ended.then(() => this.#onVector?.(undefined));
    lowerPriority(this.#process.pid);
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Embeds one text; the next may come when this has settled. */
  async embed(text: string, timeLimitMs: number): Promise<Float32Array> {
    await this.#withTimeout(START_LIMIT_MS, this.#start());
    this.#process.hold(true);
    const next = this.#nextVector();
    this.#process.send({ text });
    const vector = await this.#withTimeout(timeLimitMs, next);
    this.#process.hold(false);
    return vector;
  }

  /** Kills it, whatever it is doing. */
  close(): Promise<void> {
    return this.#process.close();
  }

  /** The result of the process, if it comes in time; else the process is killed. */
  async #withTimeout<T>(limitMs: number, result: Promise<T | undefined>): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#process.kill();
    }, limitMs);
    const value = await result;
    clearTimeout(timer);
    if (isLate) await this.#process.ended;
    if (value !== undefined) return value;
    throw isLate
      ? new EmbeddingFailure("timeout", "The text took too long.")
      : new EmbeddingFailure("ended", "The process that embeds texts has ended.");
  }

  /** True when it can take a text; undefined when it has ended before. */
  async #start(): Promise<true | undefined> {
    return this.#process.ready.then(
      () => true,
      () => undefined,
    );
  }

  async #nextVector(): Promise<Float32Array | undefined> {
    if (!this.isAlive) return undefined;
    return new Promise((resolve) => {
      this.#onVector = (vector) => {
        this.#onVector = undefined;
        resolve(vector);
      };
    });
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICE);
  } catch {
    // It has ended, or the system does not let us; then it runs as it did.
  }
}
