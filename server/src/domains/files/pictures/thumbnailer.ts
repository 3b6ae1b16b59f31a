import { FairQueue } from "#kernel/work/fair-queue.ts";
import { programFile, readOnlyCodeArguments } from "#kernel/work/subprocess-code.ts";
import { Subprocess } from "#kernel/work/subprocess.ts";
import type { PictureTask } from "./picture-limits.ts";

const SOURCE = new URL("./picture-process.ts", import.meta.url);
const START_LIMIT_MS = 30_000;
const PICTURE_LIMIT_MS = 10_000;
const IDLE_MS = 60_000;
/** The JavaScript heap. Pixels have a separate limit. */
const HEAP_MIB = 128;

/** The result of a task: an image, `unreadable` for an invalid one, or `busy` if too many wait. */
export type Thumbnail = Uint8Array | "unreadable" | "busy";

/** An image that is read when its turn comes, so that waiting ones use no memory. */
export interface PictureSource {
  readonly read: () => Promise<Uint8Array>;
  readonly edge: number;
}

interface QueuedTask {
  readonly source: PictureSource;
  readonly resolve: (result: Thumbnail) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Scales images one at a time in a process that starts on demand, is killed after a timeout, and ends when idle. An
 * image that kills it affects no other.
 */
class Thumbnailer {
  readonly #queue = new FairQueue<QueuedTask>({
    concurrency: 1,
    waitingMax: 40,
    waitingPerKeyMax: 20,
  });
  #process: Subprocess | undefined;
  #onPicture: ((picture: Uint8Array | undefined) => void) | undefined;
  #isBusy = false;
  #idleTimer: NodeJS.Timeout | undefined;

  /** The queue is fair between keys. */
  shrink(key: string, source: PictureSource): Promise<Thumbnail> {
    return new Promise((resolve, reject) => {
      if (this.#queue.add(key, { source, resolve, reject })) this.#dispatch();
      else resolve("busy");
    });
  }

  #dispatch(): void {
    if (this.#isBusy) return;
    const ticket = this.#queue.take(performance.now());
    if (!ticket) return;
    this.#isBusy = true;
    clearTimeout(this.#idleTimer);
    const startedAt = performance.now();
    const { source, resolve, reject } = ticket.item;
    const made = this.#make(source).then((picture) => resolve(picture ?? "unreadable"), reject);
    void made.then(() => {
      const now = performance.now();
      ticket.done(now - startedAt, now);
      this.#isBusy = false;
      this.#endWhenIdle();
      this.#dispatch();
    });
  }

  async #make({ read, edge }: PictureSource): Promise<Uint8Array | undefined> {
    return this.#run({ bytes: await read(), edge });
  }

  async #run(task: PictureTask): Promise<Uint8Array | undefined> {
    const child = this.#process?.isAlive ? this.#process : this.#start();
    child.hold(true);
    const isReady = await withinLimit(child, START_LIMIT_MS, child.ready.then(isTrue, isFalse));
    if (!isReady) return undefined;
    child.hold(true);
    const next = new Promise<Uint8Array | undefined>((resolve) => (this.#onPicture = resolve));
    child.send(task);
    const picture = await withinLimit(child, PICTURE_LIMIT_MS, next);
    child.hold(false);
    return picture;
  }

  #start(): Subprocess {
    const program = programFile(SOURCE, "picture-process.mjs");
    const child = new Subprocess({
      program,
      env: {},
      execArgv: [
        "--no-warnings",
        `--max-old-space-size=${HEAP_MIB}`,
        "--allow-addons",
        ...readOnlyCodeArguments(program),
      ],
      // The program sends no other messages.
      onMessage: (message) => this.#onPicture?.((message as { picture?: Uint8Array }).picture),
    });
    void child.ended.then(() => {
      if (this.#process === child) this.#onPicture?.(undefined);
    });
    this.#process = child;
    return child;
  }

  #endWhenIdle(): void {
    this.#idleTimer = setTimeout(() => {
      const child = this.#process;
      this.#process = undefined;
      void child?.close();
    }, IDLE_MS);
    this.#idleTimer.unref();
  }
}

/** Kills the process at the timeout. The result is then settled by the process's end. */
async function withinLimit<T>(child: Subprocess, limitMs: number, result: Promise<T>): Promise<T> {
  const timer = setTimeout(() => child.kill(), limitMs);
  try {
    return await result;
  } finally {
    clearTimeout(timer);
  }
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

/** One for the whole process. */
export const thumbnailer = new Thumbnailer();
