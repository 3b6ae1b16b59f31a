import { FairQueue, type QueueTicket } from "../work/fair-queue.ts";
import type { IdleProcesses } from "../work/subprocess.ts";
import { Embedder, EmbeddingFailure } from "./embedder.ts";

export interface EmbeddingsOptions {
  /** The timeout for one text. */
  readonly timeLimitMs: number;
  /** The time that an idle model stays in memory. */
  readonly idleMs: number;
  readonly textCharactersMax: number;
  readonly waitingMax: number;
  readonly waitingPerKeyMax: number;
  /** A pool for idle processes. Without one, the process ends with this object. */
  readonly idleProcesses?: IdleProcesses<Embedder> | undefined;
}

const DEFAULTS: EmbeddingsOptions = {
  timeLimitMs: 30_000,
  idleMs: 5 * 60_000,
  textCharactersMax: 4_000,
  waitingMax: 200,
  waitingPerKeyMax: 50,
};

interface Task {
  readonly text: string;
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Computes vectors of texts, one text at a time, in a process that starts on demand and ends after some idle
 * minutes, because the model uses a few hundred megabytes. A process that died is replaced on the next text.
 */
export class Embeddings {
  readonly #options: EmbeddingsOptions;
  readonly #queue: FairQueue<Task>;
  #embedder: Embedder | undefined;
  #isBusy = false;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: Partial<EmbeddingsOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.#queue = new FairQueue({ ...this.#options, concurrency: 1 });
  }

  /** The id of the process with the loaded model, if it runs. */
  get pid(): number | undefined {
    return this.#embedder?.isAlive ? this.#embedder.pid : undefined;
  }

  /**
   * Computes the vector of a text, with length 1. Text beyond the model's window is ignored. The queue is fair
   * between keys, so a search does not wait for thousands of articles.
   */
  async embed(key: string, text: string): Promise<Float32Array> {
    if (this.#isClosed) throw serverStopping();
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    const task = { text: text.slice(0, this.#options.textCharactersMax), resolve, reject };
    if (!this.#queue.add(key, task)) {
      throw new EmbeddingFailure("busy", "Too many texts are waiting to be embedded.");
    }
    this.#dispatch();
    return promise;
  }

  /** Ends the process. Waiting and running texts are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    for (const task of this.#queue.clear()) task.reject(serverStopping());
    const idle = this.#isBusy ? undefined : this.#embedder;
    await ((idle && this.#options.idleProcesses?.put(idle)) ?? this.#embedder?.close());
  }

  #dispatch(): void {
    if (this.#isClosed || this.#isBusy) return;
    const ticket = this.#queue.take(performance.now());
    if (!ticket) return;
    this.#isBusy = true;
    clearTimeout(this.#idleTimer);
    void this.#serve(ticket).then(() => {
      this.#isBusy = false;
      this.#startIdleTimer();
      this.#dispatch();
    });
  }

  async #serve({ item: { text, resolve, reject }, done }: QueueTicket<Task>): Promise<void> {
    const startedAt = performance.now();
    try {
      if (!this.#embedder?.isAlive)
        this.#embedder = this.#options.idleProcesses?.take() ?? new Embedder();
      resolve(await this.#embedder.embed(text, this.#options.timeLimitMs));
    } catch (error) {
      reject(this.#isClosed ? serverStopping() : error);
    }
    const now = performance.now();
    done(now - startedAt, now);
  }

  /** Ends the process after some idle time. */
  #startIdleTimer(): void {
    if (this.#isClosed) return;
    this.#idleTimer = setTimeout(() => {
      const embedder = this.#embedder;
      this.#embedder = undefined;
      void embedder?.close();
    }, this.#options.idleMs);
    this.#idleTimer.unref();
  }
}

function serverStopping(): EmbeddingFailure {
  return new EmbeddingFailure("busy", "The server is shutting down.");
}
