import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { readOnlyCodeArguments } from "../work/subprocess-permissions.ts";
import { Subprocess } from "../work/subprocess.ts";
import { EmbeddingFailure } from "./embedding-failure.ts";

const PROGRAM = fileURLToPath(new URL("./embedder-process.ts", import.meta.url));
/** Requests come first when there is not enough processor time for both. */
const NICE = 5;
/** The weights are read on a machine that may be busy; it is not killed for that as soon as for a text. */
const START_LIMIT_MS = 120_000;

/** A process that embeds texts: the model computes for a long time on the thread that it is on. */
export class Embedder {
  readonly #process: Subprocess;
  #hear: ((vector: Float32Array | undefined) => void) | undefined;

  constructor() {
    this.#process = new Subprocess({
      program: PROGRAM,
      env: {},
      execArgv: ["--no-warnings", "--expose-gc", "--permission", ...readOnlyCodeArguments()],
      // Our own program says nothing else.
      onMessage: (vector) => this.#hear?.(vector as Float32Array),
    });
    void this.#process.ended.then(() => this.#hear?.(undefined));
    makeWay(this.#process.pid);
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Embeds one text; the next may come when this has settled. */
  async embed(text: string, timeLimitMs: number): Promise<Float32Array> {
    await this.#within(START_LIMIT_MS, this.#start());
    this.#process.hold(true);
    const next = this.#nextVector();
    this.#process.send({ text });
    const vector = await this.#within(timeLimitMs, next);
    this.#process.hold(false);
    return vector;
  }

  /** Ends it, whatever it is doing. */
  close(): Promise<void> {
    return this.#process.close();
  }

  /** The answer of the process within the time limit; a late process is killed. */
  async #within<T>(limitMs: number, awaited: Promise<T | undefined>): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#process.kill();
    }, limitMs);
    const brought = await awaited;
    clearTimeout(timer);
    if (isLate) await this.#process.ended;
    if (brought !== undefined) return brought;
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
      this.#hear = (vector) => {
        this.#hear = undefined;
        resolve(vector);
      };
    });
  }
}

function makeWay(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICE);
  } catch {
    // It has ended, or the system does not let us; then it runs as it did.
  }
}
