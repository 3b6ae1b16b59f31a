import { fallBackToPool, type FastEvaluation, consumeBudget } from "./evaluation.ts";

/** True for an object with named members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Array.isArray` with unknown instead of any as the member type. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The truth value in JSONata. Undefined counts as false. */
export function toBoolean(value: unknown, evaluation: FastEvaluation): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return value.length > 0;
  if (typeof value === "number") return value !== 0;
  if (typeof value !== "object" || value === null) return false;
  return isArray(value) ? anyTrue(value, evaluation) : hasMembers(value, evaluation);
}

function anyTrue(members: readonly unknown[], evaluation: FastEvaluation): boolean {
  consumeBudget(evaluation, members.length);
  return members.some((member) => toBoolean(member, evaluation));
}

function hasMembers(value: object, evaluation: FastEvaluation): boolean {
  const { length } = Object.keys(value);
  consumeBudget(evaluation, length);
  return length > 0;
}

/** The text of a value, the same as with `$string` and `&`. */
export function toText(value: unknown, evaluation: FastEvaluation): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(roundDigits(value));
  if (typeof value !== "object" || value === null) return String(value);
  return JSON.stringify(value, (key, member: unknown) => {
    consumeBudget(
      evaluation,
      1 + textCost(key) + (typeof member === "string" ? textCost(member) : 0),
    );
    return typeof member === "number" ? roundDigits(member) : member;
  });
}

/** The cost of creating or scanning a text. */
export function textCost(text: string): number {
  return text.length >> 4;
}

/** Rounds to fifteen digits, so that 0.1 + 0.2 is 0.3. */
export function roundDigits(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

/** Deep equality of defined values by type and value, ignoring the order of members. */
export function isEqual(left: unknown, right: unknown, evaluation: FastEvaluation): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  if (left === null || right === null) return false;
  if (isArray(left) && isArray(right)) {
    if (left.length !== right.length) return false;
    consumeBudget(evaluation, left.length);
    return left.every((member, index) => isEqual(member, right[index], evaluation));
  }
  // JSONata compares an array with an object by property names, including `length`.
  if (!isObject(left) || !isObject(right)) throw fallBackToPool;
  const keys = Object.keys(left);
  consumeBudget(evaluation, keys.length);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key], evaluation))
  );
}
