import { availableParallelism } from "node:os";
import { Failure, failure } from "../operation/failure.ts";
import { FairQueue, type QueueTicket } from "../work/fair-queue.ts";
import type { Subprocess } from "../work/subprocess.ts";
import type { FromProcess } from "./protocol.ts";
import { startScriptProcess } from "./script-process.ts";
import { type SlotResult, SlotSupervisor, type SlotTask } from "./supervision.ts";

/** A script process and the one run that it has at a time: whoever is killed there was alone. */
class ProcessSlot {
  readonly #process: Subprocess;
  #supervision: SlotSupervisor | undefined;
  #runs = 0;
  #isSpent = false;
  #source: string | undefined;
  /** Whose run it has or, while it is idle, had last. */
  owner: string | undefined;
  idleSince = 0;

  constructor() {
    // Our own program says nothing else; should a script have made its way there, `#hear` says so.
    this.#process = startScriptProcess((message) => this.#hear(message as FromProcess));
    void this.#process.ended.then((ending) => this.#supervision?.processEnded(ending));
  }

  /** It can be given another run. */
  get isUsable(): boolean {
    return this.#process.isAlive && !this.#isSpent;
  }

  get ready(): Promise<void> {
    return this.#process.ready;
  }

  /** It has the script at hand, since it ran it last. */
  knows({ owner, source }: SlotTask["order"]): boolean {
    return this.owner === owner && this.#source === source;
  }

  /** Carries out one run; the next may come when this has ended. */
  async carryOut(work: SlotTask): Promise<SlotResult> {
    this.#runs += 1;
    this.#source = work.order.source;
    const supervision = new SlotSupervisor(this.#process, this.#runs, work);
    this.#supervision = supervision;
    const end = await supervision.ended;
    this.#supervision = undefined;
    this.#isSpent = supervision.isHeavy || end.status === "out_of_memory";
    return end;
  }

  /** Ends the present run, which nobody wants any more. */
  stop(): void {
    this.#supervision?.stop("timed_out");
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  #hear(message: FromProcess): void {
    try {
      this.#supervision?.hear(message);
    } catch {
      // It does not speak our language: it is not our program any more.
      this.#process.kill();
    }
  }
}

export const SandboxBusy = failure(
  "sandbox_busy",
  503,
  "Too many scripts wait to be run; try again shortly.",
);

export interface PoolOptions {
  /** How many compute at a time; one more may, of an owner who has none. */
  readonly processes: number;
  /** With those whose script only waits, or computes for so long that it gives way. */
  readonly processesMax: number;
  readonly waitingMax: number;
  readonly waitingPerOwnerMax: number;
  /** How long a run may wait for its turn. */
  readonly waitMs: number;
}

const DEFAULTS: PoolOptions = {
  processes: Math.min(2, availableParallelism()),
  processesMax: 16,
  waitingMax: 2_000,
  waitingPerOwnerMax: 500,
  waitMs: 10_000,
};

/** A process that nobody needed for so long ends, but for the few that are always warm. */
const SPARE_MS = 10_000;

export type PoolWork = Omit<SlotTask, "onPause" | "onResume">;

interface Task {
  readonly work: PoolWork;
  readonly end: PromiseWithResolvers<SlotResult>;
  lane: ProcessSlot | undefined;
  isDropped: boolean;
}

/**
 * The processes that scripts run in. They are started when they are first needed, and replaced when they
 * were killed. One runs one script at a time, so that killing it harms no other; since most scripts mostly
 * wait (for a record, for a web service), there may be many more of them than compute.
 */
export class ScriptPool {
  readonly #options: PoolOptions;
  readonly #queue: FairQueue<Task>;
  readonly #lanes = new Set<ProcessSlot>();
  /** The last one was used last. */
  readonly #idle: ProcessSlot[] = [];
  #computing = 0;
  #isClosed = false;
  #trimming: NodeJS.Timeout | undefined;

  constructor(options: Partial<PoolOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.#queue = new FairQueue({
      lanes: this.#options.processes + 1,
      places: this.#options.processesMax,
      waitingMax: this.#options.waitingMax,
      waitingPerKeyMax: this.#options.waitingPerOwnerMax,
    });
  }

  /** Rejects when it did not get to run, or when whoever asked does not want it any more. */
  async carryOut(work: PoolWork, signal?: AbortSignal): Promise<SlotResult> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closing();
    const { owner } = work.order;
    const task: Task = { work, end: Promise.withResolvers(), lane: undefined, isDropped: false };
    if (!this.#queue.add(owner, task)) throw busy();
    this.#dispatch();
    const impatience = task.lane
      ? undefined
      : setTimeout(() => {
          if (this.#queue.remove(owner, task)) task.end.reject(busy());
        }, this.#options.waitMs);
    const drop = (): void => this.#abandon(task, signal?.reason);
    signal?.addEventListener("abort", drop, { once: true });
    try {
      return await task.end.promise;
    } finally {
      clearTimeout(impatience);
      signal?.removeEventListener("abort", drop);
    }
  }

  /** Ends all processes. What waits or runs is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#trimming);
    for (const task of this.#queue.clear()) task.end.reject(closing());
    await Promise.all([...this.#lanes].map((lane) => lane.close()));
  }

  #abandon(task: Task, reason: unknown): void {
    task.isDropped = true;
    task.end.reject(reason);
    if (!this.#queue.remove(task.work.order.owner, task)) task.lane?.stop();
  }

  #dispatch(): void {
    const { processes, processesMax } = this.#options;
    while (!this.#isClosed && this.#computing <= processes) {
      if (this.#idle.length === 0 && this.#lanes.size >= processesMax) return;
      const turn = this.#queue.take(performance.now());
      if (!turn) return;
      void this.#serve(turn);
      // To start takes longer than most scripts do, so that there is always one ahead.
      if (this.#idle.length === 0 && this.#lanes.size < processesMax)
        this.#idle.push(this.#start());
    }
  }

  async #serve(turn: QueueTicket<Task>): Promise<void> {
    const { item: task, done } = turn;
    const lane = this.#lane(task);
    lane.owner = task.work.order.owner;
    task.lane = lane;
    let computes = false;
    const compute = (computesNow: boolean): void => {
      if (computes === computesNow) return;
      computes = computesNow;
      this.#computing += computes ? 1 : -1;
      if (computes) turn.resume();
      else turn.pause();
    };
    compute(true);
    const onResume = (): void => compute(true);
    const onPause = (): void => {
      compute(false);
      this.#dispatch();
    };
    let busyMs = 0;
    try {
      await lane.ready;
      if (!task.isDropped) {
        const end = await lane.carryOut({ ...task.work, onPause, onResume });
        busyMs = end.busyMs;
        if (!this.#isClosed) task.end.resolve(end);
      }
    } catch (error) {
      if (!this.#isClosed) task.end.reject(error);
    }
    if (this.#isClosed) task.end.reject(closing());
    compute(false);
    done(busyMs, performance.now());
    this.#release(lane);
    this.#dispatch();
  }

  /**
   * The idle one that has this script at hand, else that which was idle longest; or a new one. The last
   * idle one is for an owner who has none: whoever has one can wait until another has started.
   */
  #lane({ work: { order } }: Task): ProcessSlot {
    for (const lane of this.#idle.filter(({ isUsable }) => !isUsable)) this.#drop(lane);
    const idle = new Set(this.#idle);
    const hasOne = [...this.#lanes].some((lane) => lane.owner === order.owner && !idle.has(lane));
    const mayGrow = this.#lanes.size < this.#options.processesMax;
    if (hasOne && mayGrow && this.#idle.length <= 1) return this.#start();
    const familiar = this.#idle.findLastIndex((lane) => lane.knows(order));
    const [lane] = this.#idle.splice(Math.max(0, familiar), 1);
    return lane ?? this.#start();
  }

  /** As many stay when there is nothing to do. */
  get #warm(): number {
    return Math.min(this.#options.processes + 1, this.#options.processesMax);
  }

  #start(): ProcessSlot {
    const lane = new ProcessSlot();
    this.#lanes.add(lane);
    return lane;
  }

  #release(lane: ProcessSlot): void {
    if (this.#isClosed) return;
    if (lane.isUsable) {
      lane.idleSince = performance.now();
      this.#idle.push(lane);
    } else {
      // Until it has ended it counts, so that there are never more than there may be.
      void lane.close().then(() => {
        this.#lanes.delete(lane);
        if (!this.#isClosed && this.#lanes.size < this.#warm) this.#idle.unshift(this.#start());
        this.#dispatch();
      });
    }
    if (this.#lanes.size > this.#warm) {
      this.#trimming ??= setTimeout(() => this.#trim(), SPARE_MS).unref();
    }
  }

  /** Lets go of an idle one. */
  #drop(lane: ProcessSlot): void {
    this.#idle.splice(this.#idle.indexOf(lane), 1);
    this.#lanes.delete(lane);
    void lane.close();
  }

  /** Ends what was not needed lately. */
  #trim(): void {
    this.#trimming = undefined;
    const since = performance.now() - SPARE_MS / 2;
    while (this.#lanes.size > this.#warm) {
      const [oldest] = this.#idle;
      if (!oldest || oldest.idleSince > since) break;
      this.#drop(oldest);
    }
    if (this.#lanes.size > this.#warm) {
      this.#trimming = setTimeout(() => this.#trim(), SPARE_MS).unref();
    }
  }
}

function busy(): Failure {
  return new Failure(SandboxBusy, { headers: { "retry-after": "1" } });
}

function closing(): Failure {
  return new Failure(SandboxBusy, { detail: "The server is about to stop." });
}
