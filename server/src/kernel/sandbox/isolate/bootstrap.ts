/**
 * The code that runs in a script's context before the script. It is sent there as text, so the functions of this
 * folder can use only each other and the language. Because a script can change built-ins (`JSON`,
 * `Promise.prototype`), code that runs after it uses only what `captureBuiltins` captured before, operators, and
 * objects without a prototype, and does not iterate.
 *
 * None of this protects the host: whatever a script does to its context, only texts and numbers leave it.
 */
import { SCRIPT_LIMITS } from "../limits.ts";
import {
  type RequestFromHost,
  requestFromHost,
  captureBuiltins,
  errorText,
  type ScriptRuntime,
  type SendToHost,
  truncateText,
} from "./builtins.ts";
import {
  describeThrown,
  executeScript,
  inspectScript,
  readDefinition,
  readExecute,
  serializeInput,
  serializeOutput,
} from "./execute.ts";
import {
  cloneValue,
  createConsole,
  createCrypto,
  createEmptyLike,
  defineLazy,
  disableEval,
  installGlobals,
  runSoon,
  runTimer,
  setTimer,
} from "./globals.ts";
import { callError, callHost } from "./host-call.ts";
import {
  createScriptContext,
  createScriptLog,
  deepFreeze,
  handleReply,
  writeLog,
} from "./script-context.ts";
import { append, createChunks, createFiles, toBase64, toBytes } from "./files.ts";
import { createSearchParamsClass, createUrlClass, readPairs } from "./url.ts";

/** The process's handle of a context: starts the script, passes a reply on, or fires a timer. */
export type RuntimeHandle = (command: string, subject: unknown, a?: string, b?: string) => void;

/** Prepares the context and returns its handle. */
export function bootstrapContext(
  send: SendToHost,
  request: RequestFromHost,
  limits: typeof SCRIPT_LIMITS,
): RuntimeHandle {
  const builtins = captureBuiltins();
  const counts = { callCount: 0, trafficSize: 0, timerCount: 0, noteCount: 0, noteSize: 0 };
  const [pendingCalls, timers] = [Object.create(null), Object.create(null)];
  const channel = { builtins, send, request, limits };
  const runtime: ScriptRuntime = { ...channel, pendingCalls, timers, ...counts, isAborted: false };
  installGlobals(runtime);
  return (command, subject, a, b) => {
    if (command === "run") {
      void executeScript(runtime, subject, { input: a ?? "null", facts: b ?? "{}" });
    } else if (command === "inspect") inspectScript(runtime, subject);
    else if (command === "answer")
      handleReply(runtime, subject as number, { value: a, failure: b });
    else runTimer(runtime, subject as number);
  };
}

/** Returns the source of `bootstrapContext` with these limits. */
export function bootstrapSource(): string {
  const shared = [bootstrapContext, captureBuiltins, truncateText, errorText, requestFromHost];
  const execution = [executeScript, inspectScript, describeThrown, readExecute, readDefinition];
  const results = [serializeOutput, serializeInput];
  const context = [createScriptContext, createScriptLog, writeLog, deepFreeze];
  const calls = [callHost, handleReply, callError];
  const globals = [installGlobals, disableEval, createConsole, createCrypto, defineLazy];
  const timers = [runSoon, setTimer, runTimer];
  const values = [cloneValue, createEmptyLike];
  const urls = [createSearchParamsClass, readPairs, createUrlClass];
  const files = [createFiles, createChunks, append, toBytes, toBase64];
  const parts = [shared, execution, results, context, calls, globals];
  const groups = [...parts, timers, values, urls, files];
  const limits = JSON.stringify(SCRIPT_LIMITS);
  return `"use strict"; (() => { ${groups.flat().map(String).join("\n")}
    return (send, request) => bootstrapContext(send, request, ${limits}); })()`;
}
