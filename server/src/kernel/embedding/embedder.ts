import { setPriority } from "node:os";
import { programFile, readOnlyCodeArguments } from "../work/subprocess-code.ts";
import { Subprocess } from "../work/subprocess.ts";

const SOURCE = new URL("./embedder-process.ts", import.meta.url);
/** A lower priority than the process that serves requests. */
const NICE = 5;
/** Loading the weights can be slow on a busy machine, so it has a longer timeout than a text. */
const START_LIMIT_MS = 120_000;

/** Why a text has no vector: the queue is full, the timeout has passed, or the process has ended. */
export class EmbeddingFailure extends Error {
  readonly code: "busy" | "timeout" | "ended";

  constructor(code: EmbeddingFailure["code"], message: string) {
    super(message);
    this.name = "EmbeddingFailure";
    this.code = code;
  }
}

/** A process that embeds texts, because the model would block the main thread. */
export class Embedder {
  readonly #process: Subprocess;
  #onVector: ((vector: Float32Array | undefined) => void) | undefined;

  constructor() {
    const program = programFile(SOURCE, "embedder-process.mjs");
    this.#process = new Subprocess({
      program,
      env: {},
      execArgv: ["--no-warnings", "--expose-gc", ...readOnlyCodeArguments(program)],
      // The program sends no other messages.
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

  /** Embeds one text. Call it again only after the promise has settled. */
  async embed(text: string, timeLimitMs: number): Promise<Float32Array> {
    await this.#withTimeout(START_LIMIT_MS, this.#start());
    this.#process.hold(true);
    const next = this.#nextVector();
    this.#process.send({ text });
    const vector = await this.#withTimeout(timeLimitMs, next);
    this.#process.hold(false);
    return vector;
  }

  /** Kills the process immediately. */
  close(): Promise<void> {
    return this.#process.close();
  }

  /** Resolves to the result, or kills the process after the timeout. */
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
      ? new EmbeddingFailure("timeout", "Embedding the text took too long.")
      : new EmbeddingFailure("ended", "The embedding process has stopped.");
  }

  /** True when it can accept a text. Undefined if it ended before. */
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
    // The process has ended or the system denies the change; the priority stays unchanged.
  }
}
