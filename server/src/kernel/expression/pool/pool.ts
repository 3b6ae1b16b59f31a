import { FairQueue, type QueueTicket } from "../../work/fair-queue.ts";
import type { IdleProcesses } from "../../work/subprocess.ts";
import { ExpressionError } from "../expression-failure.ts";
import { Evaluator } from "./evaluator.ts";
import { type EvaluationOutcome, toOutcomes } from "./outcome.ts";
import type { EvaluationRequest } from "./protocol.ts";

export type { EvaluationOutcome } from "./outcome.ts";

export interface PoolOptions {
  /** The number of concurrent requests. */
  readonly processes: number;
  /** The timeout for all expressions of a request together. */
  readonly timeLimitMs: number;
  /** The heap of each process. Sorting a megabyte of JSON takes about 100 MB. */
  readonly memoryMb: number;
  readonly inputCharactersMax: number;
  readonly resultCharactersMax: number;
  readonly waitingMax: number;
  readonly waitingPerKeyMax: number;
  /** A pool for idle processes. Without one, they end with this pool. */
  readonly idleProcesses?: IdleProcesses<Evaluator> | undefined;
}

const DEFAULTS: PoolOptions = {
  processes: 2,
  timeLimitMs: 1_000,
  memoryMb: 128,
  inputCharactersMax: 8 * 1024 * 1024,
  resultCharactersMax: 1024 * 1024,
  waitingMax: 1_000,
  waitingPerKeyMax: 100,
};

export type PoolRequest = Pick<EvaluationRequest, "key" | "expressions" | "input" | "nowMs"> & {
  readonly bindings?: string | undefined;
  readonly signal?: AbortSignal;
};

interface Task {
  readonly request: EvaluationRequest;
  readonly resolve: (outcomes: readonly EvaluationOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Evaluates JSONata outside the main thread. Processes start on demand and stay. A stopped or dead process is
 * replaced on the next request.
 */
export class ExpressionPool {
  readonly #options: PoolOptions;
  readonly #queue: FairQueue<Task>;
  readonly #evaluators = new Set<Evaluator>();
  readonly #idle: Evaluator[] = [];
  #busy = 0;
  #isClosed = false;

  constructor(options: Partial<PoolOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.#queue = new FairQueue({ ...this.#options, concurrency: this.#options.processes });
  }

  /** The outcome of each expression. Rejects if none could be evaluated. */
  async evaluate({ signal, ...rest }: PoolRequest): Promise<readonly EvaluationOutcome[]> {
    const { timeLimitMs, resultCharactersMax, inputCharactersMax } = this.#options;
    const { bindings, input } = rest;
    signal?.throwIfAborted();
    if ((input?.length ?? 0) + (bindings?.length ?? 0) > inputCharactersMax) {
      throw new ExpressionError("too_large", "The input of the expression is too large.");
    }
    if (this.#isClosed) throw serverStopping();
    const request: EvaluationRequest = { ...rest, bindings, timeLimitMs, resultCharactersMax };
    const { promise, resolve, reject } = Promise.withResolvers<readonly EvaluationOutcome[]>();
    const task: Task = { request, resolve, reject };
    if (!this.#queue.add(request.key, task)) throw poolBusy();
    this.#dispatch();
    return signal ? this.#unlessAborted(task, promise, signal) : promise;
  }

  /** Ends all processes. Waiting and running evaluations are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#queue.clear()) task.reject(serverStopping());
    const idle = new Set(this.#idle.splice(0));
    const end = (evaluator: Evaluator): Promise<void> =>
      (idle.has(evaluator) ? this.#options.idleProcesses?.put(evaluator) : undefined) ??
      evaluator.close();
    await Promise.all([...this.#evaluators].map(end));
  }

  /** Drops an aborted task unless it is already running. */
  async #unlessAborted<Result>(
    task: Task,
    result: Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const onAbort = (): void => {
      this.#queue.remove(task.request.key, task);
      task.reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await result;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #dispatch(): void {
    while (!this.#isClosed && this.#busy < this.#options.processes) {
      const ticket = this.#queue.take(performance.now());
      if (!ticket) return;
      this.#busy += 1;
      void this.#serve(ticket).then(() => {
        this.#busy -= 1;
        this.#dispatch();
      });
    }
  }

  async #serve({ item: { request, resolve, reject }, done }: QueueTicket<Task>): Promise<void> {
    const evaluator = this.#takeEvaluator();
    let startedAt = performance.now();
    try {
      await evaluator.ready;
      startedAt = performance.now();
      const replies = await evaluator.run(request);
      if (this.#isClosed) throw serverStopping();
      resolve(toOutcomes(request.expressions, replies));
    } catch (error) {
      reject(error);
    }
    const now = performance.now();
    done(now - startedAt, now);
    if (evaluator.isAlive) this.#idle.push(evaluator);
    else this.#evaluators.delete(evaluator);
  }

  #takeEvaluator(): Evaluator {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.isAlive) return idle;
      this.#evaluators.delete(idle);
    }
    const { idleProcesses, memoryMb } = this.#options;
    const evaluator = idleProcesses?.take() ?? new Evaluator(memoryMb);
    this.#evaluators.add(evaluator);
    return evaluator;
  }
}

function poolBusy(): ExpressionError {
  return new ExpressionError(
    "busy",
    "Too many expressions are waiting to be evaluated. Try again in a few seconds.",
  );
}

function serverStopping(): ExpressionError {
  return new ExpressionError("busy", "The server is shutting down.");
}
