import { mapJson } from "./map-json.ts";

const CHARACTERS_MAX = 1_048_576;
export const JSON_DEPTH_MAX = 200;

/** Why a value can't be kept, if it can't: it is too large, or nests too deeply. */
export function sizeProblem(value: unknown): "large" | "deep" | undefined {
  const text = textOf(value);
  if (text === undefined || isDeep(text)) return "deep";
  return text.length > CHARACTERS_MAX ? "large" : undefined;
}

/** The same value as PostgreSQL can keep it: no NUL, no half of a character. Small and flat enough. */
export function assertStorable<T>(value: T): T {
  // JSON writes both as escapes, so most values are done with one look at their text.
  if (!/\\u(0000|d[89a-f])/i.test(textOf(value) ?? "")) return value;
  const mend = (leaf: unknown): unknown => (typeof leaf === "string" ? sound(leaf) : leaf);
  // The same shape, with other texts in it.
  return mapJson(value, mend, sound) as T;
}

/** A text that can be kept, cut to a length. */
export function toStorableText(text: string, charactersMax: number): string {
  return sound(text.slice(0, charactersMax));
}

function sound(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/** Undefined when it nests so deeply that it can't be written. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function isDeep(text: string): boolean {
  // Each level takes two characters.
  if (text.length <= 2 * JSON_DEPTH_MAX) return false;
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index += 1;
    else if (code === QUOTE) quoted = !quoted;
    else if (!quoted && (code === OPEN_BRACKET || code === OPEN_BRACE)) {
      depth += 1;
      if (depth > JSON_DEPTH_MAX) return true;
    } else if (!quoted && (code === CLOSE_BRACKET || code === CLOSE_BRACE)) depth -= 1;
  }
  return false;
}

const BACKSLASH = 92;
const QUOTE = 34;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
