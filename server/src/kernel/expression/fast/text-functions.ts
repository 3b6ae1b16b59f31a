import { evaluationFailure } from "../error-messages.ts";
import { fallBackToPool, type FastEvaluation, consumeBudget } from "./evaluation.ts";
import type { NativeFunction } from "./evaluation.ts";
import { textCost, isArray } from "./value.ts";

/** Text functions that count and trim like JSONata. */
export const TEXT_FUNCTIONS: readonly (readonly [string, NativeFunction])[] = [
  ["uppercase", textFunction((text) => text.toUpperCase())],
  ["lowercase", textFunction((text) => text.toLowerCase())],
  ["length", textFunction((text, evaluation) => splitCharacters(text, evaluation).length)],
  ["trim", textFunction(trim)],
  ["toMillis", textFunction(toMillis)],
  ["encodeUrlComponent", textFunction(encodeUrlComponent)],
  ["contains", textsFunction((text, part) => text.includes(part))],
  ["substringBefore", textsFunction(before)],
  ["substringAfter", textsFunction(after)],
  ["split", textsFunction(split)],
  ["substring", { counts: [2, 3], call: sliceText }],
  ["join", { counts: [1, 2], call: join }],
];

/** A function of one text. Returns undefined for undefined. */
function textFunction(
  compute: (text: string, evaluation: FastEvaluation) => unknown,
): NativeFunction {
  return {
    counts: [0, 1],
    takesContext: true,
    call: ([value], evaluation, at) => {
      if (value === undefined) return undefined;
      if (typeof value !== "string") throw evaluationFailure("T0410", at);
      consumeBudget(evaluation, textCost(value));
      return compute(value, evaluation);
    },
  };
}

/** A function of two texts. With other arguments, the context may be the first, which the pool evaluates. */
function textsFunction(
  compute: (first: string, second: string, evaluation: FastEvaluation) => unknown,
): NativeFunction {
  return {
    counts: [2],
    call: ([first, second], evaluation) => {
      if (typeof second !== "string") throw fallBackToPool;
      if (first === undefined) return undefined;
      if (typeof first !== "string") throw fallBackToPool;
      consumeBudget(evaluation, textCost(first));
      return compute(first, second, evaluation);
    },
  };
}

/** Splits by code points, so an emoji is one character. */
function splitCharacters(text: string, evaluation: FastEvaluation): readonly string[] {
  consumeBudget(evaluation, text.length);
  return Array.from(text);
}

function trim(text: string): string {
  return text
    .replaceAll(/[ \t\n\r]+/g, " ")
    .replace(/^ /, "")
    .replace(/ $/, "");
}

const ISO_8601 =
  /^\d{4}(-[01]\d)?(-[0-3]\d)?(T[0-2]\d:[0-5]\d:[0-5]\d)?(\.\d+)?([+-][0-2]\d:?[0-5]\d|Z)?$/;

function toMillis(text: string): number {
  const ms = ISO_8601.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw fallBackToPool;
  return ms;
}

function encodeUrlComponent(text: string): string {
  if (!text.isWellFormed()) throw fallBackToPool;
  return encodeURIComponent(text);
}

function before(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at === -1 ? text : text.slice(0, at);
}

function after(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at === -1 ? text : text.slice(at + mark.length);
}

function split(text: string, separator: string, evaluation: FastEvaluation): readonly string[] {
  consumeBudget(evaluation, text.length);
  return text.split(separator);
}

function sliceText([text, start, count]: readonly unknown[], evaluation: FastEvaluation): unknown {
  if (typeof start !== "number") throw fallBackToPool;
  if (count !== undefined && typeof count !== "number") throw fallBackToPool;
  if (text === undefined) return undefined;
  if (typeof text !== "string") throw fallBackToPool;
  const characters = splitCharacters(text, evaluation);
  const from = characters.length + start < 0 ? 0 : start;
  if (count === undefined) return characters.slice(from).join("");
  if (count <= 0) return "";
  const end = from >= 0 ? from + count : characters.length + from + count;
  return characters.slice(from, end).join("");
}

function join([texts, separator]: readonly unknown[], evaluation: FastEvaluation): unknown {
  if (separator !== undefined && typeof separator !== "string") throw fallBackToPool;
  if (texts === undefined) return undefined;
  const members = isArray(texts) ? texts : [texts];
  consumeBudget(evaluation, members.length);
  if (!members.every((member) => typeof member === "string")) throw fallBackToPool;
  const joined = members.join(separator ?? "");
  consumeBudget(evaluation, textCost(joined));
  return joined;
}
