import { Worker } from "node:worker_threads";
import { FairShare } from "#kernel/work/fair-share.ts";
import { READY_MESSAGE } from "#kernel/work/subprocess-ready.ts";
import type { GuardResult } from "./guard.ts";
import type { NodeRule } from "./nodes.ts";
import { guardError, type GuardErrors } from "./parse-sql.ts";
import type { ScriptResult } from "./script.ts";

/** A message to the thread: one statement by a rule, or a script. */
export interface ParseRequest {
  readonly sql: string;
  readonly rule?: NodeRule;
}

const START_LIMIT_MS = 60_000;
const TIME_LIMIT_MS = 10_000;
const LIMITS = { stackSizeMb: 8, maxOldGenerationSizeMb: 256 };

const PROGRAM = new URL("./parser-thread.ts", import.meta.url);

/**
 * Parses SQL in a thread of its own: a long text takes the parser a tenth of a second, and one that is
 * nested too deeply breaks it. Then the thread ends, and the next text gets a new one.
 */
class ParserThread<Result> {
  readonly #share = new FairShare(1);
  #thread: Worker | undefined;

  /** Parses when it is the turn of the workspace. */
  parse(workspace: string, request: ParseRequest): Promise<Result | GuardErrors> {
    return this.#share.run(workspace, () => this.#parse(request));
  }

  async #parse(request: ParseRequest): Promise<Result | GuardErrors> {
    const thread = await this.#start();
    thread.postMessage(request);
    const result = await nextMessage<Result>(thread, TIME_LIMIT_MS);
    if (result === undefined) {
      await this.#end(thread);
      return guardError("it is nested too deeply or too long");
    }
    // Idle, it does not keep the process from ending.
    thread.unref();
    return result;
  }

  async #start(): Promise<Worker> {
    if (this.#thread) {
      this.#thread.ref();
      return this.#thread;
    }
    const thread = (this.#thread = newThread());
    if ((await nextMessage(thread, START_LIMIT_MS)) === READY_MESSAGE) return thread;
    await this.#end(thread);
    throw new Error("The thread that parses SQL did not start.");
  }

  async #end(thread: Worker): Promise<void> {
    this.#thread = undefined;
    await thread.terminate();
  }
}

/** One of each for the process, without state of a workspace. A long script keeps no query waiting. */
const statements = new ParserThread<GuardResult>();
const scripts = new ParserThread<ScriptResult>();

/** Inspects a text that must be one statement, see `inspectStatement`. */
export function readStatement(
  workspace: string,
  sql: string,
  rule: NodeRule,
): Promise<GuardResult> {
  return statements.parse(workspace, { sql, rule });
}

/** Inspects a text of several statements, see `inspectScript`. */
export function readScript(workspace: string, sql: string): Promise<ScriptResult> {
  return scripts.parse(workspace, { sql });
}

function newThread(): Worker {
  const thread = new Worker(PROGRAM, { resourceLimits: LIMITS });
  // The request fails when the thread exits; an error without a listener would end the process.
  thread.on("error", () => undefined);
  return thread;
}

/** The next message of the thread; undefined when it exits first, or takes too long. */
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
