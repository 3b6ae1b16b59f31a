import { evaluationFailure, type Place } from "../error-messages.ts";
import { handOver, type Machine, spend } from "./evaluation.ts";
import type { NativeFunction } from "./native.ts";
import { NUMBER_FUNCTIONS } from "./number-functions.ts";
import { TEXT_FUNCTIONS } from "./text-functions.ts";
import { isArray, isObject, textOf, truth } from "./value.ts";

/** The function of this name, if it is one that may run on the main thread. */
export function nativeFunction(name: string): NativeFunction | undefined {
  return NATIVES.get(name);
}

const GENERAL_FUNCTIONS: readonly (readonly [string, NativeFunction])[] = [
  ["exists", { counts: [1], call: ([value]) => value !== undefined }],
  ["boolean", ofAny((value, machine) => truth(value, machine))],
  ["not", ofAny((value, machine) => !truth(value, machine))],
  ["string", ofAny(textOf)],
  ["type", { counts: [1], call: ([value]) => typeOf(value) }],
  ["count", { counts: [1], call: ([value]) => countOf(value) }],
  ["keys", ofAny(keysOf)],
  ["lookup", { counts: [2], call: lookUp }],
  ["append", { counts: [2], call: append }],
  ["merge", { counts: [1], call: merge }],
  ["now", { counts: [0], call: (_, machine) => new Date(machine.nowMs).toISOString() }],
  ["millis", { counts: [0], call: (_, machine) => machine.nowMs }],
];

const NATIVES: ReadonlyMap<string, NativeFunction> = new Map([
  ...GENERAL_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
]);

/** A function of one argument of any type, which gives nothing for nothing. */
function ofAny(compute: (value: unknown, machine: Machine) => unknown): NativeFunction {
  return {
    counts: [0, 1],
    takesContext: true,
    call: ([value], machine) => (value === undefined ? undefined : compute(value, machine)),
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

function keysOf(value: unknown, machine: Machine): unknown {
  if (isArray(value)) throw handOver;
  const keys = isObject(value) ? Object.keys(value) : [];
  spend(machine, keys.length);
  return keys.length > 1 ? keys : keys[0];
}

function lookUp([of, key]: readonly unknown[]): unknown {
  if (typeof key !== "string" || isArray(of)) throw handOver;
  return isObject(of) && Object.hasOwn(of, key) ? of[key] : undefined;
}

function append([first, second]: readonly unknown[], machine: Machine): unknown {
  if (first === undefined) return second;
  if (second === undefined) return first;
  const [left, right] = [first, second].map((value) => (isArray(value) ? value : [value]));
  const members = [...(left ?? []), ...(right ?? [])];
  spend(machine, members.length);
  return members;
}

function merge([value]: readonly unknown[], machine: Machine, place: Place): unknown {
  if (value === undefined) return undefined;
  const merged: Record<string, unknown> = {};
  for (const member of isArray(value) ? value : [value]) {
    if (!isObject(member)) throw evaluationFailure("T0412", place);
    const keys = Object.keys(member);
    spend(machine, 1 + keys.length);
    for (const key of keys) {
      // It would become the prototype of what we make.
      if (key === "__proto__") throw handOver;
      merged[key] = member[key];
    }
  }
  return merged;
}
