import { BOUNDS } from "../limits.ts";
import { cloneOf, emptyLike } from "./clone.ts";
import { answer, call, callError, contextOf, frozen, logOf, note } from "./context.ts";
import { openDesk } from "./bootstrap.ts";
import {
  consoleOf,
  cryptoOf,
  fire,
  furnish,
  refuseCodeOfTexts,
  setTimer,
  soon,
  whenUsed,
} from "./globals.ts";
import { asked, capture, clipped, wording } from "./builtins.ts";
import { pairsOf, searchParamsClass, urlClass } from "./url.ts";
import {
  carryOut,
  currentOf,
  define,
  definitionOf,
  executeOf,
  faultOf,
  outputOf,
} from "./execute.ts";

/** The text that makes `openDesk` in a script's context, for these bounds. */
export function carried(): string {
  const own = [openDesk, capture, clipped, wording, asked];
  const work = [carryOut, define, faultOf, executeOf, definitionOf, outputOf, currentOf];
  const context = [contextOf, logOf, note, call, answer, callError, frozen];
  const globals = [furnish, refuseCodeOfTexts, consoleOf, cryptoOf, whenUsed, soon, setTimer, fire];
  const classes = [cloneOf, emptyLike, searchParamsClass, pairsOf, urlClass];
  const functions = [own, work, context, globals, classes].flat();
  const bounds = JSON.stringify(BOUNDS);
  return `"use strict"; (() => { ${functions.map(String).join("\n")}
    return (tell, ask) => openDesk(tell, ask, ${bounds}); })()`;
}
