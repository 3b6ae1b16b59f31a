import { fallBackToPool, type FastEvaluation, consumeBudget } from "./evaluation.ts";

/** Whether a value is an object with members that have names. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As an array: typed so that its members are unknown, and not anything. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** What JSONata holds for true. Nothing at all counts as false. */
export function toBoolean(value: unknown, machine: FastEvaluation): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return value.length > 0;
  if (typeof value === "number") return value !== 0;
  if (typeof value !== "object" || value === null) return false;
  return isArray(value) ? anyTrue(value, machine) : hasMembers(value, machine);
}

function anyTrue(members: readonly unknown[], machine: FastEvaluation): boolean {
  consumeBudget(machine, members.length);
  return members.some((member) => toBoolean(member, machine));
}

function hasMembers(value: object, machine: FastEvaluation): boolean {
  const { length } = Object.keys(value);
  consumeBudget(machine, length);
  return length > 0;
}

/** The text of a value that is there, as `$string` and `&` make it. */
export function textOf(value: unknown, machine: FastEvaluation): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(rounded(value));
  if (typeof value !== "object" || value === null) return String(value);
  return JSON.stringify(value, (key, member: unknown) => {
    consumeBudget(
      machine,
      1 + chargeBudget(key) + (typeof member === "string" ? chargeBudget(member) : 0),
    );
    return typeof member === "number" ? rounded(member) : member;
  });
}

/** What a text costs that is made or gone through. */
export function chargeBudget(text: string): number {
  return text.length >> 4;
}

/** Fifteen digits, so that 0.1 + 0.2 reads 0.3. */
export function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

/** Equality of values that are there: by type and value, objects in any order of their members. */
export function equal(left: unknown, right: unknown, machine: FastEvaluation): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  if (left === null || right === null) return false;
  if (isArray(left) && isArray(right)) {
    if (left.length !== right.length) return false;
    consumeBudget(machine, left.length);
    return left.every((member, index) => equal(member, right[index], machine));
  }
  // JSONata compares an array with an object by the names of their properties, `length` included.
  if (!isObject(left) || !isObject(right)) throw fallBackToPool;
  const keys = Object.keys(left);
  consumeBudget(machine, keys.length);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equal(left[key], right[key], machine))
  );
}
