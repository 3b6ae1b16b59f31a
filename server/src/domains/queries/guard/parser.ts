/** Parses SQL in worker threads: a long text takes a tenth of a second, and deep nesting crashes the parser. */
import { TaskThreads } from "#kernel/work/task-threads.ts";
import type { GuardResult } from "./guard.ts";
import type { NodeRule } from "./nodes.ts";
import { guardError } from "./source-position.ts";
import type { ScriptResult } from "./script.ts";

/** A task of the thread: one statement by a rule, or a script. */
export interface ParseRequest {
  readonly sql: string;
  readonly rule?: NodeRule;
}

const OPTIONS = {
  program: new URL("./parser-thread.ts", import.meta.url),
  threads: 1,
  timeoutMs: 10_000,
  // Stopping a WebAssembly call would leave the parser in an undefined state.
  isStoppable: false,
};

/** One pool of each kind per process, without workspace state. Long scripts do not delay queries. */
const statements = new TaskThreads<ParseRequest, GuardResult>(OPTIONS);
const scripts = new TaskThreads<ParseRequest, ScriptResult>(OPTIONS);

/** Inspects a text that must contain exactly one statement, see `inspectStatement`. */
export async function readStatement(
  workspace: string,
  sql: string,
  rule: NodeRule,
): Promise<GuardResult> {
  return (await statements.run(workspace, { sql, rule })) ?? tooDeep();
}

/** Inspects a text of several statements, see `inspectScript`. */
export async function readScript(workspace: string, sql: string): Promise<ScriptResult> {
  return (await scripts.run(workspace, { sql })) ?? tooDeep();
}

function tooDeep() {
  return guardError("the statement is too long, or has too many levels of nesting");
}
