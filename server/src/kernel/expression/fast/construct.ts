import { evaluationFailure, type ErrorPosition } from "../error-messages.ts";
import { type Closure, fallBackToPool, type FastOperand, consumeBudget } from "./evaluation.ts";
import { isArray } from "./value.ts";

/** An item between brackets. An array literal stays an array; any other array is flattened. */
export interface ArrayItem {
  readonly part: FastOperand;
  readonly stays: boolean;
}

/** The closure of `[a, b]`. */
export function createArray(items: readonly ArrayItem[]): FastOperand {
  const run: Closure = (input, evaluation) => {
    const members: unknown[] = [];
    for (const { part, stays } of items) {
      const value = part.run(input, evaluation);
      if (value === undefined) continue;
      if (stays || !isArray(value)) {
        members.push(value);
        continue;
      }
      consumeBudget(evaluation, value.length);
      for (const member of value) members.push(member);
    }
    return members;
  };
  return { run, weight: 1 + items.reduce((sum, { part }) => sum + part.weight, 0) };
}

export interface ObjectMember {
  readonly key: FastOperand;
  readonly value: FastOperand;
}

/** The closure of `{ key: value }`. */
export function createObject(members: readonly ObjectMember[], at: ErrorPosition): FastOperand {
  const run: Closure = (input, evaluation) => {
    // JSONata groups the members of an array by their keys.
    if (isArray(input)) throw fallBackToPool;
    const result: Record<string, unknown> = {};
    const keys = new Set<string>();
    for (const member of members) {
      const key = member.key.run(input, evaluation);
      if (key === undefined) continue;
      if (typeof key !== "string") throw evaluationFailure("T1003", at);
      // JSONata reserves some names, and `__proto__` would become the prototype.
      if (key === "__proto__" || key.startsWith("_jsonata_")) throw fallBackToPool;
      if (keys.has(key)) throw evaluationFailure("D1009", at);
      keys.add(key);
      const value = member.value.run(input, evaluation);
      if (value !== undefined) result[key] = value;
    }
    return result;
  };
  return {
    run,
    weight: members.reduce((sum, { key, value }) => sum + key.weight + value.weight, 1),
  };
}
