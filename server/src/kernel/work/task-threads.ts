import { createContext, Script } from "node:vm";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { FairShare } from "./fair-share.ts";
import { READY_MESSAGE } from "./subprocess-ready.ts";

export interface TaskThreadsOptions {
  /** A module that calls `serveTasks`. */
  readonly program: URL;
  /** With two, one workspace cannot block the others, because it never gets all threads. */
  readonly threads: number;
  readonly timeoutMs: number;
  /** True if a task can be stopped at any point. Otherwise its thread is ended, and the next one starts slowly. */
  readonly isStoppable: boolean;
}

const START_TIMEOUT_MS = 60_000;
/** Added to the time limit for a thread that stops its task itself. */
const GRACE_MS = 2_000;
const LIMITS = { stackSizeMb: 8, maxOldGenerationSizeMb: 256 };

/**
 * Runs user-defined work outside the event loop: one task at a time in each of a few threads, fairly between
 * workspaces. A thread that does not stop in time, or crashes, is ended, and the next task gets a new one.
 */
export class TaskThreads<Task, Result> {
  readonly #options: TaskThreadsOptions;
  readonly #share: FairShare;
  readonly #idle: Worker[] = [];

  constructor(options: TaskThreadsOptions) {
    this.#options = options;
    this.#share = new FairShare(options.threads);
  }

  /** The result after the workspace's turn. Undefined if the task timed out or crashed its thread. */
  run(workspace: string, task: Task): Promise<Result | undefined> {
    return this.#share.run(workspace, async () => {
      const thread = this.#idle.pop() ?? (await this.#start());
      thread.ref();
      thread.postMessage(task);
      const { timeoutMs, isStoppable } = this.#options;
      const message = await nextMessage<{ readonly result: Result }>(
        thread,
        timeoutMs + (isStoppable ? GRACE_MS : 0),
      );
      if (message) {
        // An idle thread does not keep the process alive.
        thread.unref();
        this.#idle.push(thread);
      } else await thread.terminate();
      return message?.result;
    });
  }

  async #start(): Promise<Worker> {
    const { program, timeoutMs, isStoppable } = this.#options;
    const thread = new Worker(program, {
      resourceLimits: LIMITS,
      workerData: { stopAfterMs: isStoppable ? timeoutMs : undefined } satisfies ThreadData,
    });
    // The task fails when the thread exits. Without a listener, the error would end the process.
    thread.on("error", () => undefined);
    if ((await nextMessage(thread, START_TIMEOUT_MS)) === READY_MESSAGE) return thread;
    await thread.terminate();
    throw new Error(`The thread ${program.pathname} did not start.`);
  }
}

interface ThreadData {
  readonly stopAfterMs: number | undefined;
}

/** Serves tasks in a thread. An exception ends it. Asynchronous work cannot be stopped at its timeout. */
export function serveTasks<Task>(work: (task: Task) => unknown): void {
  const { stopAfterMs } = workerData as ThreadData;
  const run =
    stopAfterMs === undefined ? work : (task: Task) => runFor(stopAfterMs, () => work(task));
  const serve = async (task: Task): Promise<void> =>
    parentPort?.postMessage({ result: await run(task) });
  parentPort?.on("message", (task: Task) => void serve(task));
  parentPort?.postMessage(READY_MESSAGE);
}

const context = createContext({ work: undefined as (() => unknown) | undefined });
const script = new Script("work()");

/** Runs work. Undefined if it was stopped at its timeout. */
function runFor(limitMs: number, work: () => unknown): unknown {
  context["work"] = work;
  try {
    // A script's timeout also stops functions called by the script, including regular expressions.
    return script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

/** The next message of the thread. Undefined if it exits first or takes too long. */
function nextMessage<Message>(thread: Worker, limitMs: number): Promise<Message | undefined> {
  return new Promise((resolve) => {
    const finish = (message?: Message): void => {
      clearTimeout(timer);
      thread.off("message", finish);
      thread.off("exit", end);
      resolve(message);
    };
    const end = (): void => finish();
    const timer = setTimeout(end, limitMs);
    thread.on("message", finish);
    thread.on("exit", end);
  });
}
