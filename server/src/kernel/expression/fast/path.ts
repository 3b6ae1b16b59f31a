/**
 * Paths: `a.b[c > 1].d`.
 *
 * JSONata maps each step over the results of the previous one. The results of a step are joined into one
 * sequence, and arrays among them are flattened. A sequence with one member becomes that member, and an empty
 * one undefined. Only an array that is the sole result of the last step is kept. JSONata marks its sequences to
 * distinguish them from arrays. This only matters for sequences of one, so here longer sequences are plain
 * arrays, and `Sequence` and `KEPT` mark the others.
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

/** The result of a filter, which is flattened even if it is the sole result. */
class Sequence {
  readonly members: readonly unknown[];

  constructor(members: readonly unknown[]) {
    this.members = members;
  }
}

/** Marks a sequence of one that `[]` keeps as an array. */
const KEPT = Symbol("kept");

export interface PathStep extends FastOperand {
  /** Set on a step that reads a member. */
  readonly name?: string;
  /** `$x` at the beginning is one value, not mapped over the context. */
  readonly isVariable: boolean;
}

/** The closure of a path. `keepsArray` is the effect of `[]`: the result is always an array. */
export function createPath(steps: readonly PathStep[], keepsArray: boolean): FastOperand {
  const [first] = steps;
  if (!first) throw cannotCompile;
  const weight = steps.reduce((sum, step) => sum + step.weight, 0);
  const mapped = createStepwise(steps, first.isVariable, keepsArray);
  const names = steps.flatMap(({ name }) => name ?? []);
  if (keepsArray || names.length < steps.length) return { run: mapped, weight };
  return { run: createDescent(names, mapped), weight };
}

/** A step that reads the member of this name. */
export function createNameStep(name: string, keepsArray: boolean): FastOperand {
  const read = createReader(name);
  const run: Closure = (input, evaluation) => {
    if (typeof input !== "object" || input === null) return undefined;
    if (!isArray(input)) return read(input);
    if (keepsArray) throw fallBackToPool;
    return unwrapSingleton(lookUpMembers(input, read, evaluation));
  };
  return { run, weight: 1 };
}

/** A step or a value followed by filters. The results of a step become a sequence. */
export function applyFilters(
  part: FastOperand,
  stages: readonly Filter[],
  isStep: boolean,
): FastOperand {
  if (stages.length === 0) return part;
  const weight = stages.reduce((sum, stage) => sum + (stage.part?.weight ?? 1), part.weight);
  const run: Closure = (input, evaluation) => {
    let value = part.run(input, evaluation);
    for (const stage of stages) value = filter(stage, value, evaluation);
    return isStep || !(value instanceof Sequence) ? value : unwrapSingleton(value.members);
  };
  return { run, weight };
}

/** A filter: a literal index, or an expression evaluated for every member. */
export type Filter =
  | { readonly index: number; readonly part?: undefined }
  | { readonly part: FastOperand; readonly index?: undefined };

/** Compiles the filters of a node. */
export function compileFilters(
  stages: readonly Stage[] | undefined,
  compile: (tree: NonNullable<Stage["expr"]>) => FastOperand,
): readonly Filter[] {
  return (stages ?? []).map(({ type, expr }): Filter => {
    if (type !== "filter" || !expr) throw cannotCompile;
    const isIndex = expr.type === "number" && typeof expr.value === "number";
    return isIndex ? { index: Math.floor(Number(expr.value)) } : { part: compile(expr) };
  });
}

/** Most paths lead through objects only and need no mapping. */
function createDescent(names: readonly string[], mapped: Closure): Closure {
  const readers = names.map(createReader);
  return (input, evaluation) => {
    let value = input;
    for (const read of readers) {
      if (typeof value !== "object" || value === null) return undefined;
      if (isArray(value)) return mapped(input, evaluation);
      value = read(value);
    }
    return value;
  };
}

function createStepwise(
  steps: readonly PathStep[],
  isAbsolute: boolean,
  keepsArray: boolean,
): Closure {
  return (input, evaluation) => {
    let members: readonly unknown[] = isArray(input) && !isAbsolute ? input : [input];
    for (const [index, step] of steps.entries()) {
      const results = mapStep(step, members, evaluation);
      const [sole] = results;
      const isLast = index === steps.length - 1;
      if (isLast && results.length === 1 && isArray(sole) && !(KEPT in sole)) return sole;
      members = flattenResults(results, evaluation);
      if (members.length === 0) return undefined;
    }
    return keepsArray && members.length === 1 ? markKept(members) : unwrapSingleton(members);
  };
}

function mapStep(
  step: FastOperand,
  members: readonly unknown[],
  evaluation: FastEvaluation,
): readonly unknown[] {
  consumeBudget(evaluation, members.length * step.weight);
  const results: unknown[] = [];
  for (const member of members) {
    const result = step.run(member, evaluation);
    if (result !== undefined) results.push(result);
  }
  return results;
}

function flattenResults(
  results: readonly unknown[],
  evaluation: FastEvaluation,
): readonly unknown[] {
  const members: unknown[] = [];
  for (const result of results) {
    const inner = result instanceof Sequence ? result.members : result;
    if (!isArray(inner)) {
      members.push(inner);
      continue;
    }
    consumeBudget(evaluation, inner.length);
    for (const member of inner) members.push(member);
  }
  return members;
}

function unwrapSingleton(members: readonly unknown[]): unknown {
  return members.length > 1 ? members : members[0];
}

function markKept(members: readonly unknown[]): readonly unknown[] {
  return Object.defineProperty(members, KEPT, { value: true });
}

function filter(stage: Filter, value: unknown, evaluation: FastEvaluation): unknown {
  const members = membersOf(value);
  if (stage.part) return new Sequence(selectMembers(stage.part, members, evaluation));
  const item = members[stage.index < 0 ? members.length + stage.index : stage.index];
  if (isArray(item)) return item;
  return new Sequence(item === undefined ? [] : [item]);
}

function membersOf(value: unknown): readonly unknown[] {
  if (value instanceof Sequence) return value.members;
  return isArray(value) ? value : [value];
}

function selectMembers(
  part: FastOperand,
  members: readonly unknown[],
  evaluation: FastEvaluation,
): readonly unknown[] {
  consumeBudget(evaluation, members.length * part.weight);
  const selected: unknown[] = [];
  for (const [index, member] of members.entries()) {
    const times = countSelections(part.run(member, evaluation), index, members.length, evaluation);
    // JSONata then makes a sequence with an undefined member.
    if (times > 0 && member === undefined) throw fallBackToPool;
    for (let time = 0; time < times; time += 1) selected.push(member);
  }
  return selected;
}

/** A number, or an array of numbers, selects members by index. Any other value selects the current member or not. */
function countSelections(
  selector: unknown,
  index: number,
  length: number,
  evaluation: FastEvaluation,
): number {
  const numbers = typeof selector === "number" ? [selector] : selector;
  if (!isArray(numbers) || !numbers.every((item) => typeof item === "number")) {
    return toBoolean(selector, evaluation) ? 1 : 0;
  }
  consumeBudget(evaluation, numbers.length);
  const indexes = numbers.map((item) => Math.floor(item)).map((at) => (at < 0 ? length + at : at));
  return indexes.filter((at) => at === index).length;
}

/** The members of this name, of all objects in an array and its nested arrays. */
function lookUpMembers(
  members: readonly unknown[],
  read: (of: object) => unknown,
  evaluation: FastEvaluation,
): unknown[] {
  consumeBudget(evaluation, members.length);
  return members.flatMap((member) => {
    if (typeof member !== "object" || member === null) return [];
    const found = isArray(member) ? lookUpMembers(member, read, evaluation) : read(member);
    return found === undefined ? [] : found;
  });
}

/** Reads an own member. Inherited ones are ignored. */
function createReader(name: string): (of: object) => unknown {
  // An object can be read as a record.
  if (!(name in Object.prototype)) return (of) => (of as Record<string, unknown>)[name];
  return (of) => (Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined);
}
