import { SCRIPT_LIMITS } from "../limits.ts";
import { cloneOf, emptyLike } from "./clone.ts";
import {
  handleReply,
  callHost,
  callError,
  createScriptContext,
  frozen,
  createScriptLog,
  writeLog,
} from "./context.ts";
import { bootstrapContext } from "./bootstrap.ts";
import {
  consoleOf,
  cryptoOf,
  runTimer,
  installGlobals,
  disableEval,
  setTimer,
  soon,
  whenUsed,
} from "./globals.ts";
import { askHost, captureBuiltins, truncateText, errorText } from "./builtins.ts";
import { pairsOf, searchParamsClass, urlClass } from "./url.ts";
import {
  executeScript,
  currentOf,
  inspectScript,
  definitionOf,
  executeOf,
  faultOf,
  outputOf,
} from "./execute.ts";

/** The text that makes `openDesk` in a script's context, for these bounds. */
export function bootstrapSource(): string {
  const own = [bootstrapContext, captureBuiltins, truncateText, errorText, askHost];
  const work = [
    executeScript,
    inspectScript,
    faultOf,
    executeOf,
    definitionOf,
    outputOf,
    currentOf,
  ];
  const context = [
    createScriptContext,
    createScriptLog,
    writeLog,
    callHost,
    handleReply,
    callError,
    frozen,
  ];
  const globals = [
    installGlobals,
    disableEval,
    consoleOf,
    cryptoOf,
    whenUsed,
    soon,
    setTimer,
    runTimer,
  ];
  const classes = [cloneOf, emptyLike, searchParamsClass, pairsOf, urlClass];
  const functions = [own, work, context, globals, classes].flat();
  const bounds = JSON.stringify(SCRIPT_LIMITS);
  return `"use strict"; (() => { ${functions.map(String).join("\n")}
    return (tell, ask) => bootstrapContext(tell, ask, ${bounds}); })()`;
}
