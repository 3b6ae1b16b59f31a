/**
 * What runs in a script's own context before the script does. It is carried there as text, so that the
 * functions of `own`, `desk`, `work`, `context`, `globals`, `clone` and `url` in this folder may use
 * nothing but each other and the language. And since a script may change the language (`JSON`,
 * `Promise.prototype`), what runs after it uses only what `capture` took beforehand, operators, and
 * objects without a prototype; it does not iterate.
 *
 * None of this guards the host: whatever a script does to its context, only texts and numbers leave it.
 */
import type { SCRIPT_LIMITS } from "../limits.ts";
import { handleReply } from "./context.ts";
import { runTimer, installGlobals } from "./globals.ts";
import { type AskHost, captureBuiltins, type Bootstrap, type SendToHost } from "./builtins.ts";
import { executeScript, inspectScript } from "./execute.ts";

/** What the process may ask of a desk: to begin, to hand on an answer, to fire a timer. */
export type BootstrapHandle = (what: string, subject: unknown, a?: string, b?: string) => void;

/** Furnishes the context; returns what the process holds of it. */
export function bootstrapContext(
  tell: SendToHost,
  ask: AskHost,
  bounds: typeof SCRIPT_LIMITS,
): BootstrapHandle {
  const own = captureBuiltins();
  const counts = { calls: 0, traffic: 0, timersSet: 0, notes: 0, notesSize: 0 };
  const [waiting, timers] = [Object.create(null), Object.create(null)];
  const desk: Bootstrap = { own, tell, ask, bounds, waiting, timers, ...counts, isAborted: false };
  installGlobals(desk);
  return (what, subject, a, b) => {
    if (what === "run") void executeScript(desk, subject, { input: a ?? "null", facts: b ?? "{}" });
    else if (what === "inspect") inspectScript(desk, subject);
    else if (what === "answer") handleReply(desk, subject as number, { value: a, failure: b });
    else runTimer(desk, subject as number);
  };
}
