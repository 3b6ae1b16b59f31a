import { evaluationFailure, type ErrorPosition } from "../error-messages.ts";
import {
  fallBackToPool,
  type FastEvaluation,
  type NativeFunction,
  consumeBudget,
} from "./evaluation.ts";
import { TEXT_FUNCTIONS } from "./text-functions.ts";
import { textCost, isArray, isObject, toText, toBoolean } from "./value.ts";

/** Number functions. */
const NUMBER_FUNCTIONS: readonly (readonly [string, NativeFunction])[] = [
  ["number", { counts: [0, 1], takesContext: true, call: toNumber }],
  ["abs", numberFunction(Math.abs)],
  ["floor", numberFunction(Math.floor)],
  ["ceil", numberFunction(Math.ceil)],
  ["fromMillis", numberFunction(fromMillis)],
  ["round", { counts: [1, 2], call: round }],
  ["sum", numbersFunction(total)],
  ["average", numbersFunction((numbers) => total(numbers) / numbers.length)],
  ["max", numbersFunction((numbers) => Math.max(...numbers))],
  ["min", numbersFunction((numbers) => Math.min(...numbers))],
];

/** A function of one number. Returns undefined for undefined. */
function numberFunction(compute: (value: number) => unknown): NativeFunction {
  return {
    counts: [0, 1],
    takesContext: true,
    call: ([value], _, at) => {
      if (value === undefined) return undefined;
      if (typeof value !== "number") throw evaluationFailure("T0410", at);
      return compute(value);
    },
  };
}

/** Makes a function of numbers. Accepts an array or a single number. */
function numbersFunction(compute: (numbers: readonly number[]) => number): NativeFunction {
  return {
    counts: [1],
    call: ([value], evaluation, at) => {
      if (value === undefined) return undefined;
      const members = isArray(value) ? value : [value];
      consumeBudget(evaluation, members.length);
      if (!members.every((member) => typeof member === "number")) {
        throw evaluationFailure("T0412", at);
      }
      if (members.length === 0 && compute !== total) return undefined;
      const result = compute(members);
      if (!Number.isFinite(result)) throw fallBackToPool;
      return result;
    },
  };
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

const DECIMAL = /^-?[0-9]+(\.[0-9]+)?([Ee][-+]?[0-9]+)?$/;

function toNumber(
  [value]: readonly unknown[],
  evaluation: FastEvaluation,
  at: ErrorPosition,
): unknown {
  if (value === undefined || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") throw evaluationFailure("T0410", at);
  consumeBudget(evaluation, textCost(value));
  const number = DECIMAL.test(value) ? Number.parseFloat(value) : Number.NaN;
  // JSONata also parses numbers of other bases, with special rules.
  if (!Number.isFinite(number)) throw fallBackToPool;
  return number;
}

const YEAR_10000_MS = 253_402_300_800_000;

function fromMillis(ms: number): string {
  if (!Number.isInteger(ms) || ms < 0 || ms >= YEAR_10000_MS) throw fallBackToPool;
  return new Date(ms).toISOString();
}

/** Rounds half to even. The point is shifted in text, because multiplying is inexact. */
function round([value, places]: readonly unknown[], _: FastEvaluation, at: ErrorPosition): unknown {
  if (places !== undefined && typeof places !== "number") throw fallBackToPool;
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw evaluationFailure("T0410", at);
  const shifted = places ? shift(value, places) : value;
  const nearest = Math.round(shifted);
  const isTie = Math.abs(nearest - shifted) === 0.5 && Math.abs(nearest % 2) === 1;
  const even = isTie ? nearest - 1 : nearest;
  const result = places ? shift(even, -places) : even;
  if (!Number.isFinite(result)) throw fallBackToPool;
  return result;
}

function shift(value: number, places: number): number {
  const [digits = "", exponent = "0"] = value.toString().split("e");
  return Number(`${digits}e${Number(exponent) + places}`);
}

/** The function of this name, if it can run on the main thread. */
export function nativeFunction(name: string): NativeFunction | undefined {
  return NATIVES.get(name);
}

const GENERAL_FUNCTIONS: readonly (readonly [string, NativeFunction])[] = [
  ["exists", { counts: [1], call: ([value]) => value !== undefined }],
  ["boolean", valueFunction((value, evaluation) => toBoolean(value, evaluation))],
  ["not", valueFunction((value, evaluation) => !toBoolean(value, evaluation))],
  ["string", valueFunction(toText)],
  ["type", { counts: [1], call: ([value]) => typeOf(value) }],
  ["count", { counts: [1], call: ([value]) => countOf(value) }],
  ["keys", valueFunction(listKeys)],
  ["lookup", { counts: [2], call: lookUp }],
  ["append", { counts: [2], call: append }],
  ["merge", { counts: [1], call: merge }],
  ["now", { counts: [0], call: (_, evaluation) => new Date(evaluation.nowMs).toISOString() }],
  ["millis", { counts: [0], call: (_, evaluation) => evaluation.nowMs }],
];

const NATIVES: ReadonlyMap<string, NativeFunction> = new Map([
  ...GENERAL_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
]);

/** Makes a function of one argument. Returns undefined for undefined. */
function valueFunction(
  compute: (value: unknown, evaluation: FastEvaluation) => unknown,
): NativeFunction {
  return {
    counts: [0, 1],
    takesContext: true,
    call: ([value], evaluation) => (value === undefined ? undefined : compute(value, evaluation)),
  };
}

function typeOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return "null";
  return isArray(value) ? "array" : typeof value;
}

function countOf(value: unknown): number {
  if (value === undefined) return 0;
  return isArray(value) ? value.length : 1;
}

function listKeys(value: unknown, evaluation: FastEvaluation): unknown {
  if (isArray(value)) throw fallBackToPool;
  const keys = isObject(value) ? Object.keys(value) : [];
  consumeBudget(evaluation, keys.length);
  return keys.length > 1 ? keys : keys[0];
}

function lookUp([of, key]: readonly unknown[]): unknown {
  if (typeof key !== "string" || isArray(of)) throw fallBackToPool;
  return isObject(of) && Object.hasOwn(of, key) ? of[key] : undefined;
}

function append([first, second]: readonly unknown[], evaluation: FastEvaluation): unknown {
  if (first === undefined) return second;
  if (second === undefined) return first;
  const [left, right] = [first, second].map((value) => (isArray(value) ? value : [value]));
  const members = [...(left ?? []), ...(right ?? [])];
  consumeBudget(evaluation, members.length);
  return members;
}

function merge(
  [value]: readonly unknown[],
  evaluation: FastEvaluation,
  at: ErrorPosition,
): unknown {
  if (value === undefined) return undefined;
  const merged: Record<string, unknown> = {};
  for (const member of isArray(value) ? value : [value]) {
    if (!isObject(member)) throw evaluationFailure("T0412", at);
    const keys = Object.keys(member);
    consumeBudget(evaluation, 1 + keys.length);
    for (const key of keys) {
      // It would become the prototype of the result.
      if (key === "__proto__") throw fallBackToPool;
      merged[key] = member[key];
    }
  }
  return merged;
}
