import { availableParallelism } from "node:os";
import { Failure, failure } from "../operation/failure.ts";
import { FairQueue, type QueueTicket } from "../work/fair-queue.ts";
import type { IdleProcesses } from "../work/subprocess.ts";
import type { ScriptLibrary } from "./library/script-library.ts";
import { ProcessSlot } from "./process-slot.ts";
import type { SlotResult, SlotTask } from "./slot-supervisor.ts";

export const SandboxBusy = failure(
  "sandbox_busy",
  503,
  "Too many scripts are waiting to run. Try again in a few seconds.",
);

export interface PoolOptions {
  /** The number of concurrently computing runs. One more is allowed for an owner without a run. */
  readonly processes: number;
  /** Includes scripts that only wait, or that compute so long that they yield. */
  readonly processesMax: number;
  readonly waitingMax: number;
  readonly waitingPerOwnerMax: number;
  /** The maximum time of a run in the queue. */
  readonly waitMs: number;
  /** The maximum queue time of an inspection. It is short because a user is waiting and no engine retries it. */
  readonly inspectionWaitMs: number;
  /** The maximum number of waiting inspections per owner, because each occupies a request. */
  readonly inspectionsPerOwnerMax: number;
  /** A pool for idle processes. Without one, they end with this pool. */
  readonly idleProcesses?: IdleProcesses<ProcessSlot> | undefined;
  /** The domain libraries that scripts can use. */
  readonly libraries: readonly ScriptLibrary[];
}

const DEFAULTS: PoolOptions = {
  processes: Math.min(2, availableParallelism()),
  processesMax: 16,
  waitingMax: 2_000,
  waitingPerOwnerMax: 500,
  waitMs: 10_000,
  inspectionWaitMs: 60_000,
  inspectionsPerOwnerMax: 100,
  libraries: [],
};

/** A surplus process ends after this idle time; a few always stay. */
const SLOT_IDLE_MS = 10_000;

export type PoolWork = Omit<SlotTask, "onPause" | "onResume">;

interface Task {
  readonly work: PoolWork;
  readonly end: PromiseWithResolvers<SlotResult>;
  slot: ProcessSlot | undefined;
  isDropped: boolean;
}

/**
 * The pool of script processes. They start on demand and are replaced after a kill. Each runs one script at a time, so
 * that killing it affects no others. Most scripts mostly wait (for a record or a web service), so more processes may
 * exist than compute.
 */
export class ScriptPool {
  readonly #options: PoolOptions;
  readonly #queue: FairQueue<Task>;
  readonly #slots = new Set<ProcessSlot>();
  /** The most recently used is last. */
  readonly #idle: ProcessSlot[] = [];
  #computing = 0;
  #isClosed = false;
  #trimTimer: NodeJS.Timeout | undefined;

  constructor(options: Partial<PoolOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.#queue = new FairQueue({
      concurrency: this.#options.processes + 1,
      startedMax: this.#options.processesMax,
      waitingMax: this.#options.waitingMax,
      waitingPerKeyMax: this.#options.waitingPerOwnerMax,
    });
  }

  /** Rejects if the run did not start, or with the reason of the signal. */
  async run(work: PoolWork, signal?: AbortSignal): Promise<SlotResult> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw serverStopping();
    const { owner } = work.order;
    const isInspection = work.order.kind === "inspect";
    const { inspectionsPerOwnerMax, inspectionWaitMs, waitMs } = this.#options;
    const task: Task = { work, end: Promise.withResolvers(), slot: undefined, isDropped: false };
    if (isInspection && this.#countInspections(owner) >= inspectionsPerOwnerMax)
      throw sandboxBusy(TOO_MANY_SAVES);
    if (!this.#queue.add(owner, task)) throw sandboxBusy();
    this.#dispatch();
    const waitTimer = task.slot
      ? undefined
      : setTimeout(
          () => {
            if (this.#queue.remove(owner, task)) task.end.reject(sandboxBusy());
          },
          isInspection ? inspectionWaitMs : waitMs,
        );
    const onAbort = (): void => this.#abandon(task, signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await task.end.promise;
    } finally {
      clearTimeout(waitTimer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends all processes. Waiting and running scripts are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#trimTimer);
    for (const task of this.#queue.clear()) task.end.reject(serverStopping());
    const idle = new Set(this.#idle.splice(0).filter(({ isUsable }) => isUsable));
    const end = (slot: ProcessSlot): Promise<void> =>
      (idle.has(slot) ? this.#options.idleProcesses?.put(slot) : undefined) ?? slot.close();
    await Promise.all([...this.#slots].map(end));
  }

  #countInspections(owner: string): number {
    return this.#queue.waitingOf(owner).filter(({ work }) => work.order.kind === "inspect").length;
  }

  #abandon(task: Task, reason: unknown): void {
    task.isDropped = true;
    task.end.reject(reason);
    if (!this.#queue.remove(task.work.order.owner, task)) task.slot?.stop();
  }

  #dispatch(): void {
    const { processes, processesMax } = this.#options;
    while (!this.#isClosed && this.#computing <= processes) {
      if (this.#idle.length === 0 && this.#slots.size >= processesMax) return;
      const ticket = this.#queue.take(performance.now());
      if (!ticket) return;
      void this.#serve(ticket);
      // A start takes longer than most scripts, so a spare process is always started.
      if (this.#idle.length === 0 && this.#slots.size < processesMax)
        this.#idle.push(this.#start());
    }
  }

  async #serve(ticket: QueueTicket<Task>): Promise<void> {
    const { item: task, done } = ticket;
    const slot = this.#takeSlot(task);
    slot.owner = task.work.order.owner;
    task.slot = slot;
    let computes = false;
    const compute = (computesNow: boolean): void => {
      if (computes === computesNow) return;
      computes = computesNow;
      this.#computing += computes ? 1 : -1;
      if (computes) ticket.resume();
      else ticket.pause();
    };
    compute(true);
    const onResume = (): void => compute(true);
    const onPause = (): void => {
      compute(false);
      this.#dispatch();
    };
    let busyMs = 0;
    try {
      await slot.ready;
      if (!task.isDropped) {
        const end = await slot.run({ ...task.work, onPause, onResume });
        busyMs = end.busyMs;
        if (!this.#isClosed) task.end.resolve(end);
      }
    } catch (error) {
      if (!this.#isClosed) task.end.reject(error);
    }
    if (this.#isClosed) task.end.reject(serverStopping());
    compute(false);
    done(busyMs, performance.now());
    this.#release(slot);
    this.#dispatch();
  }

  /**
   * Takes the idle slot that has compiled this script, or the longest idle one, or starts one. The last idle slot is
   * reserved for an owner without a run; others wait until another slot has started.
   */
  #takeSlot({ work: { order } }: Task): ProcessSlot {
    for (const slot of this.#idle.filter(({ isUsable }) => !isUsable)) this.#drop(slot);
    const idle = new Set(this.#idle);
    const hasOne = [...this.#slots].some((slot) => slot.owner === order.owner && !idle.has(slot));
    const mayGrow = this.#slots.size < this.#options.processesMax;
    if (hasOne && mayGrow && this.#idle.length <= 1) return this.#start();
    const compiledAt = this.#idle.findLastIndex((slot) => slot.hasCompiled(order));
    const [slot] = this.#idle.splice(Math.max(0, compiledAt), 1);
    return slot ?? this.#start();
  }

  /** The number of processes that stay when idle. */
  get #warmCount(): number {
    return Math.min(this.#options.processes + 1, this.#options.processesMax);
  }

  #start(): ProcessSlot {
    const { libraries, idleProcesses } = this.#options;
    const idle = idleProcesses?.take();
    const isFit = idle?.hasLibraries(libraries) === true;
    if (idle && !isFit) void idle.close();
    const slot = isFit ? idle : new ProcessSlot(libraries);
    this.#slots.add(slot);
    return slot;
  }

  #release(slot: ProcessSlot): void {
    if (this.#isClosed) return;
    if (slot.isUsable) {
      slot.idleSince = performance.now();
      this.#idle.push(slot);
    } else {
      // Counted until it has ended, so the maximum is never exceeded.
      void slot.close().then(() => {
        this.#slots.delete(slot);
        if (!this.#isClosed && this.#slots.size < this.#warmCount)
          this.#idle.unshift(this.#start());
        this.#dispatch();
      });
    }
    if (this.#slots.size > this.#warmCount) {
      this.#trimTimer ??= setTimeout(() => this.#trim(), SLOT_IDLE_MS).unref();
    }
  }

  /** Ends an idle slot. */
  #drop(slot: ProcessSlot): void {
    this.#idle.splice(this.#idle.indexOf(slot), 1);
    this.#slots.delete(slot);
    void slot.close();
  }

  /** Ends slots that were recently unused. */
  #trim(): void {
    this.#trimTimer = undefined;
    const since = performance.now() - SLOT_IDLE_MS / 2;
    while (this.#slots.size > this.#warmCount) {
      const [oldest] = this.#idle;
      if (!oldest || oldest.idleSince > since) break;
      this.#drop(oldest);
    }
    if (this.#slots.size > this.#warmCount) {
      this.#trimTimer = setTimeout(() => this.#trim(), SLOT_IDLE_MS).unref();
    }
  }
}

const TOO_MANY_SAVES =
  "Too many scripts of this workspace are waiting to be checked. Save fewer scripts at once, or try again in a few seconds.";

function sandboxBusy(detail?: string): Failure {
  const headers = { "retry-after": "1" };
  return new Failure(SandboxBusy, { ...(detail !== undefined && { detail }), headers });
}

function serverStopping(): Failure {
  return new Failure(SandboxBusy, { detail: "The server is shutting down." });
}
