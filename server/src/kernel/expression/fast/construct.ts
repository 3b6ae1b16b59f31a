import { evaluationFailure, type ErrorPosition } from "../error-messages.ts";
import { type Closure, fallBackToPool, type FastOperand, consumeBudget } from "./evaluation.ts";
import { isArray } from "./value.ts";

/** An item between brackets. An array that is written there stays one; any other dissolves. */
export interface Item {
  readonly part: FastOperand;
  readonly stays: boolean;
}

/** The closure of `[a, b]`. */
export function arrayOf(items: readonly Item[]): FastOperand {
  const run: Closure = (input, machine) => {
    const members: unknown[] = [];
    for (const { part, stays } of items) {
      const value = part.run(input, machine);
      if (value === undefined) continue;
      if (stays || !isArray(value)) {
        members.push(value);
        continue;
      }
      consumeBudget(machine, value.length);
      for (const member of value) members.push(member);
    }
    return members;
  };
  return { run, weight: 1 + items.reduce((sum, { part }) => sum + part.weight, 0) };
}

export interface Member {
  readonly key: FastOperand;
  readonly value: FastOperand;
}

/** The closure of `{ key: value }`. */
export function objectOf(members: readonly Member[], place: ErrorPosition): FastOperand {
  const run: Closure = (input, machine) => {
    // JSONata groups the members of an array by their keys.
    if (isArray(input)) throw fallBackToPool;
    const made: Record<string, unknown> = {};
    const taken = new Set<string>();
    for (const member of members) {
      const key = member.key.run(input, machine);
      if (key === undefined) continue;
      if (typeof key !== "string") throw evaluationFailure("T1003", place);
      // JSONata reserves some names, and one would become the prototype of what we make.
      if (key === "__proto__" || key.startsWith("_jsonata_")) throw fallBackToPool;
      if (taken.has(key)) throw evaluationFailure("D1009", place);
      taken.add(key);
      const value = member.value.run(input, machine);
      if (value !== undefined) made[key] = value;
    }
    return made;
  };
  return {
    run,
    weight: members.reduce((sum, { key, value }) => sum + key.weight + value.weight, 1),
  };
}
