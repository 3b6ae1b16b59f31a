/**
 * What runs in a script's own context before the script does. It is carried there as text, so that the
 * functions of `own`, `desk`, `work`, `context`, `globals`, `clone` and `url` in this folder may use
 * nothing but each other and the language. And since a script may change the language (`JSON`,
 * `Promise.prototype`), what runs after it uses only what `capture` took beforehand, operators, and
 * objects without a prototype; it does not iterate.
 *
 * None of this guards the host: whatever a script does to its context, only texts and numbers leave it.
 */
import type { BOUNDS } from "../limits.ts";
import { answer } from "./context.ts";
import { fire, furnish } from "./globals.ts";
import { type Ask, capture, type Desk, type Tell } from "./builtins.ts";
import { carryOut, define } from "./execute.ts";

/** What the process may ask of a desk: to begin, to hand on an answer, to fire a timer. */
export type Handle = (what: string, subject: unknown, a?: string, b?: string) => void;

/** Furnishes the context; returns what the process holds of it. */
export function openDesk(tell: Tell, ask: Ask, bounds: typeof BOUNDS): Handle {
  const own = capture();
  const counts = { calls: 0, traffic: 0, timersSet: 0, notes: 0, notesSize: 0 };
  const [waiting, timers] = [Object.create(null), Object.create(null)];
  const desk: Desk = { own, tell, ask, bounds, waiting, timers, ...counts, isAborted: false };
  furnish(desk);
  return (what, subject, a, b) => {
    if (what === "run") void carryOut(desk, subject, { input: a ?? "null", facts: b ?? "{}" });
    else if (what === "inspect") define(desk, subject);
    else if (what === "answer") answer(desk, subject as number, { value: a, failure: b });
    else fire(desk, subject as number);
  };
}
