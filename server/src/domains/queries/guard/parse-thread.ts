import { Worker } from "node:worker_threads";
import type { GuardResult } from "./guard.ts";
import type { NodeRule } from "./nodes.ts";
import type { GuardError } from "./source-position.ts";
import { READY_MESSAGE } from "#kernel/work/subprocess-ready.ts";
import { FairShare } from "#kernel/work/fair-share.ts";
import type { ScriptResult } from "./script.ts";

/** What the thread is asked. */
export interface StatementRequest {
  readonly sql: string;
  readonly rule: NodeRule;
}

const START_LIMIT_MS = 60_000;
const TIME_LIMIT_MS = 10_000;
const LIMITS = { stackSizeMb: 8, maxOldGenerationSizeMb: 256 };

/**
 * Reads statements in a thread of its own: a long one takes the parser a tenth of a second, and one
 * that is nested too deeply breaks it. Then the thread ends, and the next statement gets a new one.
 */
class ParserThread<Request, Result> {
  readonly #program: URL;
  readonly #share = new FairShare(1);
  #thread: Worker | undefined;

  constructor(program: string) {
    this.#program = new URL(program, import.meta.url);
  }

  /** Judges what is asked when it is the turn of who asks. */
  read(workspace: string, request: Request): Promise<Result | ParseRefusal> {
    return this.#share.run(workspace, () => this.#ask(request));
  }

  async #ask(request: Request): Promise<Result | ParseRefusal> {
    const thread = await this.#start();
    thread.postMessage(request);
    const result = await nextMessage<Result>(thread, TIME_LIMIT_MS);
    if (result === undefined) {
      await this.#end(thread);
      return { errors: [{ message: "it is nested too deeply or too long", at: undefined }] };
    }
    // Idle, it keeps no process from ending.
    thread.unref();
    return result;
  }

  async #start(): Promise<Worker> {
    if (this.#thread) {
      this.#thread.ref();
      return this.#thread;
    }
    const thread = (this.#thread = newThread(this.#program));
    if ((await nextMessage(thread, START_LIMIT_MS)) === READY_MESSAGE) return thread;
    await this.#end(thread);
    throw new Error("The thread that reads SQL did not start.");
  }

  async #end(thread: Worker): Promise<void> {
    this.#thread = undefined;
    await thread.terminate();
  }
}

/** What is refused without having been read to its end. */
interface ParseRefusal {
  readonly errors: readonly GuardError[];
}

/** One of each for the process: they hold nothing of anybody. A long script keeps no question waiting. */
const statements = new ParserThread<StatementRequest, GuardResult>("./thread.ts");
const scripts = new ParserThread<string, ScriptResult>("./script-thread.ts");

/** Judges a text that is to be one statement, see `inspect`; `workspace` is whose turn it takes. */
export function readStatement(
  workspace: string,
  sql: string,
  rule: NodeRule,
): Promise<GuardResult> {
  return statements.read(workspace, { sql, rule });
}

/** Judges a text of several statements, see `inspectScript`. */
export function readScript(workspace: string, sql: string): Promise<ScriptResult> {
  return scripts.read(workspace, sql);
}

function newThread(program: URL): Worker {
  const thread = new Worker(program, { resourceLimits: LIMITS });
  // Whoever waits for an answer hears of it too; an error that nobody hears would end the process.
  thread.on("error", () => undefined);
  return thread;
}

/** What the thread says next; undefined when it ends first, or takes too long. */
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
