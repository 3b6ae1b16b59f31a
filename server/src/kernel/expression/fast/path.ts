/**
 * Paths: `a.b[c > 1].d`.
 *
 * JSONata maps each step over the results of the one before. A step's results are strung together into
 * one sequence, and arrays among them dissolve in it; a sequence of one is that one, and an empty one is
 * nothing. Only an array that is the sole result of the last step stays the array it was. JSONata marks
 * its sequences to tell them from arrays; that matters only for those of one member, so here a sequence
 * of two or more is a plain array, and the few others are told apart by `Sequence` and `KEPT`.
 */
import type { Stage } from "../syntax-tree.ts";
import {
  type Closure,
  fallBackToPool,
  type FastEvaluation,
  type FastOperand,
  consumeBudget,
  cannotCompile,
} from "./evaluation.ts";
import { isArray, toBoolean } from "./value.ts";

/** What a filter leaves, which dissolves even when it is all that there is. */
class Sequence {
  readonly members: readonly unknown[];

  constructor(members: readonly unknown[]) {
    this.members = members;
  }
}

/** Marks an array of one that `[]` kept from becoming that one, but that is still a sequence. */
const KEPT = Symbol("kept");

export interface Step extends FastOperand {
  /** Set on a step that reads a member. */
  readonly name?: string;
  /** `$x` at the beginning is one value, not mapped over the context. */
  readonly isVariable: boolean;
}

/** The closure of a path; `keeps` is what `[]` asks for: always an array. */
export function path(steps: readonly Step[], keeps: boolean): FastOperand {
  const [first] = steps;
  if (!first) throw cannotCompile;
  const weight = steps.reduce((sum, step) => sum + step.weight, 0);
  const mapped = stepwise(steps, first.isVariable, keeps);
  const names = steps.flatMap(({ name }) => name ?? []);
  if (keeps || names.length < steps.length) return { run: mapped, weight };
  return { run: descent(names, mapped), weight };
}

/** A step that reads the member of this name. */
export function nameStep(name: string, keepsArray: boolean): FastOperand {
  const read = reader(name);
  const run: Closure = (input, machine) => {
    if (typeof input !== "object" || input === null) return undefined;
    if (!isArray(input)) return read(input);
    if (keepsArray) throw fallBackToPool;
    return unwrapped(lookUp(input, read, machine));
  };
  return { run, weight: 1 };
}

/** A step or a value followed by filters. The results of a step go on as a sequence. */
export function filtered(
  part: FastOperand,
  stages: readonly Filter[],
  isStep: boolean,
): FastOperand {
  if (stages.length === 0) return part;
  const weight = stages.reduce((sum, stage) => sum + (stage.part?.weight ?? 1), part.weight);
  const run: Closure = (input, machine) => {
    let value = part.run(input, machine);
    for (const stage of stages) value = filter(stage, value, machine);
    return isStep || !(value instanceof Sequence) ? value : unwrapped(value.members);
  };
  return { run, weight };
}

/** A filter by a number that stands there, or by what an expression says of each member. */
export type Filter =
  | { readonly index: number; readonly part?: undefined }
  | { readonly part: FastOperand; readonly index?: undefined };

/** The filters of a tree, whose expressions `compile` makes closures of. */
export function filtersOf(
  stages: readonly Stage[] | undefined,
  compile: (tree: NonNullable<Stage["expr"]>) => FastOperand,
): readonly Filter[] {
  return (stages ?? []).map(({ type, expr }): Filter => {
    if (type !== "filter" || !expr) throw cannotCompile;
    const isIndex = expr.type === "number" && typeof expr.value === "number";
    return isIndex ? { index: Math.floor(Number(expr.value)) } : { part: compile(expr) };
  });
}

/** Most paths lead through objects only, and then there is nothing to map. */
function descent(names: readonly string[], mapped: Closure): Closure {
  const readers = names.map(reader);
  return (input, machine) => {
    let value = input;
    for (const read of readers) {
      if (typeof value !== "object" || value === null) return undefined;
      if (isArray(value)) return mapped(input, machine);
      value = read(value);
    }
    return value;
  };
}

function stepwise(steps: readonly Step[], isAbsolute: boolean, keeps: boolean): Closure {
  return (input, machine) => {
    let members: readonly unknown[] = isArray(input) && !isAbsolute ? input : [input];
    for (const [index, step] of steps.entries()) {
      const results = resultsOf(step, members, machine);
      const [sole] = results;
      const isLast = index === steps.length - 1;
      if (isLast && results.length === 1 && isArray(sole) && !(KEPT in sole)) return sole;
      members = dissolved(results, machine);
      if (members.length === 0) return undefined;
    }
    return keeps && members.length === 1 ? kept(members) : unwrapped(members);
  };
}

function resultsOf(
  step: FastOperand,
  members: readonly unknown[],
  machine: FastEvaluation,
): readonly unknown[] {
  consumeBudget(machine, members.length * step.weight);
  const results: unknown[] = [];
  for (const member of members) {
    const result = step.run(member, machine);
    if (result !== undefined) results.push(result);
  }
  return results;
}

function dissolved(results: readonly unknown[], machine: FastEvaluation): readonly unknown[] {
  const members: unknown[] = [];
  for (const result of results) {
    const inner = result instanceof Sequence ? result.members : result;
    if (!isArray(inner)) {
      members.push(inner);
      continue;
    }
    consumeBudget(machine, inner.length);
    for (const member of inner) members.push(member);
  }
  return members;
}

function unwrapped(members: readonly unknown[]): unknown {
  return members.length > 1 ? members : members[0];
}

function kept(members: readonly unknown[]): readonly unknown[] {
  return Object.defineProperty(members, KEPT, { value: true });
}

function filter(stage: Filter, value: unknown, machine: FastEvaluation): unknown {
  const members = membersOf(value);
  if (stage.part) return new Sequence(selected(stage.part, members, machine));
  const item = members[stage.index < 0 ? members.length + stage.index : stage.index];
  if (isArray(item)) return item;
  return new Sequence(item === undefined ? [] : [item]);
}

function membersOf(value: unknown): readonly unknown[] {
  if (value instanceof Sequence) return value.members;
  return isArray(value) ? value : [value];
}

function selected(
  part: FastOperand,
  members: readonly unknown[],
  machine: FastEvaluation,
): readonly unknown[] {
  consumeBudget(machine, members.length * part.weight);
  const chosen: unknown[] = [];
  for (const [index, member] of members.entries()) {
    const times = timesChosen(part.run(member, machine), index, members.length, machine);
    // JSONata then makes a sequence that has nothing for a member.
    if (times > 0 && member === undefined) throw fallBackToPool;
    for (let time = 0; time < times; time += 1) chosen.push(member);
  }
  return chosen;
}

/** A number, or an array of them, says which members to take; all else whether to take this one. */
function timesChosen(
  said: unknown,
  index: number,
  length: number,
  machine: FastEvaluation,
): number {
  const numbers = typeof said === "number" ? [said] : said;
  if (!isArray(numbers) || !numbers.every((one) => typeof one === "number")) {
    return toBoolean(said, machine) ? 1 : 0;
  }
  consumeBudget(machine, numbers.length);
  const places = numbers.map((one) => Math.floor(one)).map((at) => (at < 0 ? length + at : at));
  return places.filter((at) => at === index).length;
}

/** The members of this name, of all objects in an array and in the arrays within. */
function lookUp(
  members: readonly unknown[],
  read: (of: object) => unknown,
  machine: FastEvaluation,
): unknown[] {
  consumeBudget(machine, members.length);
  return members.flatMap((member) => {
    if (typeof member !== "object" || member === null) return [];
    const found = isArray(member) ? lookUp(member, read, machine) : read(member);
    return found === undefined ? [] : found;
  });
}

/** Reads an own member. What every object inherits is no member of it. */
function reader(name: string): (of: object) => unknown {
  // An object is read as the record that it is.
  if (!(name in Object.prototype)) return (of) => (of as Record<string, unknown>)[name];
  return (of) => (Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined);
}
