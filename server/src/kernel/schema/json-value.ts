import { isNestedDeeperThan } from "./json-depth.ts";
import { mapJson } from "./map-json.ts";

export const JSON_CHARACTERS_MAX = 1_048_576;
export const JSON_DEPTH_MAX = 200;

/**
 * True if a value has more characters as JSON. Measuring stops at the limit: shared parts are written at each
 * occurrence, so a small value can be gigabytes of JSON. Characters added by JSON are not counted.
 */
export function isLargerThan(value: unknown, charactersMax: number): boolean {
  let left = charactersMax;
  const open = [value];
  while (open.length > 0 && left >= 0) {
    const part = open.pop();
    if (typeof part === "string") left -= part.length;
    if (typeof part !== "object" || part === null) continue;
    const members = Object.values(part);
    left -= members.length;
    if (!Array.isArray(part)) for (const name of Object.keys(part)) left -= name.length;
    if (left >= 0) for (const member of members) open.push(member);
  }
  return left < 0;
}

/** The reason why a value can't be stored, if any: it is too large or nested too deeply. */
export function sizeProblem(value: unknown): "large" | "deep" | undefined {
  if (isLargerThan(value, JSON_CHARACTERS_MAX)) return "large";
  const text = toJsonText(value);
  if (text === undefined || isNestedDeeperThan(text, JSON_DEPTH_MAX)) return "deep";
  return text.length > JSON_CHARACTERS_MAX ? "large" : undefined;
}

/** Replaces characters that PostgreSQL can't store: NUL and unpaired surrogates. */
export function toStorableJson<T>(value: T): T {
  // JSON escapes both, so one test of the text is enough for most values.
  if (!/\\u(0000|d[89a-f])/i.test(toJsonText(value) ?? "")) return value;
  const replace = (leaf: unknown): unknown =>
    typeof leaf === "string" ? replaceUnstorable(leaf) : leaf;
  // Only texts are replaced, so the type stays the same.
  return mapJson(value, replace, replaceUnstorable) as T;
}

/** A storable text, truncated to a length. */
export function toStorableText(text: string, charactersMax: number): string {
  return replaceUnstorable(text.slice(0, charactersMax));
}

function replaceUnstorable(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/** Undefined if it is nested too deeply to be written. */
function toJsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
