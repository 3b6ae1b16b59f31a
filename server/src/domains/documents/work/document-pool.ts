import type { ByteSpan } from "#kernel/blob-store/blob-store.ts";
import { FairQueue, type QueueTicket } from "#kernel/work/fair-queue.ts";
import { usageOf } from "#kernel/sandbox/script-process.ts";
import { programFile, readOnlyCodeArguments } from "#kernel/work/subprocess-code.ts";
import { Subprocess } from "#kernel/work/subprocess.ts";
import {
  DocumentError,
  type DocumentTask,
  type FromDocumentProcess,
  type ToDocumentProcess,
} from "./task.ts";

const SOURCE = new URL("./document-process.ts", import.meta.url);
const SLOTS = 2;
const WAITING_MAX = 200;
const WAITING_PER_KEY_MAX = 100;
const START_LIMIT_MS = 30_000;
const TASK_LIMIT_MS = 60_000;
const IDLE_MS = 60_000;
const HEAP_MIB = 192;
/** The maximum total memory of a process, because inflated streams are outside the heap that the engine limits. */
const RESIDENT_BYTES_MAX = 512 * 2 ** 20;
const RESIDENT_CHECK_MS = 100;

/** The pool is overloaded. */
export class DocumentsBusy extends Error {}

export interface DocumentRequest {
  /** The queue is fair between keys. */
  readonly key: string;
  readonly task: DocumentTask;
  /** Reads a part of the file. */
  readonly read?: (span: ByteSpan) => Promise<Uint8Array>;
  readonly signal: AbortSignal;
}

type Turn = () => void;

/**
 * A few processes that read and write documents. Each starts on demand, runs one task at a time, is killed on a
 * timeout or abort, and ends when idle.
 */
class DocumentPool {
  readonly #queue = new FairQueue<Turn>({
    concurrency: SLOTS,
    waitingMax: WAITING_MAX,
    waitingPerKeyMax: WAITING_PER_KEY_MAX,
  });
  readonly #idle: DocumentWorker[] = [];
  readonly #tickets = new Map<Turn, QueueTicket<Turn>>();

  /** Yields the parts of a written document, and returns the value of a read one. */
  async *work(request: DocumentRequest): AsyncGenerator<Uint8Array, unknown> {
    const leave = await this.#enter(request.key);
    const worker = this.#idle.pop() ?? new DocumentWorker();
    try {
      return yield* worker.converse(request);
    } finally {
      if (worker.isAlive) this.#rest(worker);
      leave();
    }
  }

  /** Waits for a turn. Resolves to a function that ends it. */
  async #enter(key: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn: Turn = () => resolve();
    if (!this.#queue.add(key, turn))
      throw new DocumentsBusy("Too many files are waiting to be read.");
    this.#dispatch();
    await promise;
    const startedAt = performance.now();
    return () => {
      const now = performance.now();
      this.#tickets.get(turn)?.done(now - startedAt, now);
      this.#tickets.delete(turn);
      this.#dispatch();
    };
  }

  #dispatch(): void {
    for (;;) {
      const ticket = this.#queue.take(performance.now());
      if (!ticket) return;
      this.#tickets.set(ticket.item, ticket);
      ticket.item();
    }
  }

  #rest(worker: DocumentWorker): void {
    this.#idle.push(worker);
    worker.endAfter(IDLE_MS, () => {
      const at = this.#idle.indexOf(worker);
      if (at === -1) return false;
      this.#idle.splice(at, 1);
      return true;
    });
  }
}

class DocumentWorker {
  readonly #process: Subprocess;
  #receive: ((message: FromDocumentProcess | undefined) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    const program = programFile(SOURCE, "document-process.mjs");
    this.#process = new Subprocess({
      program,
      env: {},
      execArgv: [
        "--no-warnings",
        `--max-old-space-size=${HEAP_MIB}`,
        ...readOnlyCodeArguments(program),
      ],
      // The program sends no other messages.
      onMessage: (message) => this.#receive?.(message as FromDocumentProcess),
    });
    void this.#process.ended.then(() => this.#receive?.(undefined));
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  endAfter(idleMs: number, leave: () => boolean): void {
    this.#timer = setTimeout(() => {
      if (leave()) void this.#process.close();
    }, idleMs);
    this.#timer.unref();
  }

  async *converse({ task, read, signal }: DocumentRequest): AsyncGenerator<Uint8Array, unknown> {
    clearTimeout(this.#timer);
    this.#process.hold(true);
    const kill = (): void => this.#process.kill();
    signal.addEventListener("abort", kill, { once: true });
    let timer = setTimeout(kill, START_LIMIT_MS);
    const watch = setInterval(() => {
      if ((usageOf(this.#process)?.residentBytes ?? 0) > RESIDENT_BYTES_MAX) kill();
    }, RESIDENT_CHECK_MS);
    let isOver = false;
    try {
      await this.#process.ready.catch(() => undefined);
      this.#process.hold(true);
      clearTimeout(timer);
      timer = setTimeout(kill, TASK_LIMIT_MS);
      let reply = await this.#ask({ kind: "task", task });
      for (;;) {
        const message = reply;
        isOver = message === undefined || message.kind === "done" || message.kind === "failed";
        if (!message) throw new DocumentError(signal.aborted ? "cancelled" : TOO_MUCH);
        if (message.kind === "done") return JSON.parse(message.value) as unknown;
        if (message.kind === "failed") throw new DocumentError(message.message, message.line);
        if (message.kind === "part") {
          yield message.bytes;
          reply = await this.#ask({ kind: "next" });
        } else {
          const bytes = (await read?.(message)) ?? new Uint8Array();
          reply = await this.#ask({ kind: "bytes", bytes });
        }
      }
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener("abort", kill);
      // The process of an abandoned task is not reused.
      if (isOver) this.#process.hold(false);
      else await this.#process.close();
    }
  }

  #ask(message: ToDocumentProcess): Promise<FromDocumentProcess | undefined> {
    if (!this.isAlive) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<FromDocumentProcess | undefined>();
    this.#receive = resolve;
    this.#process.send(message);
    return promise;
  }
}

const TOO_MUCH = "The file exceeds the memory or time limit.";

/** One pool for the whole process. */
export const documentPool = new DocumentPool();
