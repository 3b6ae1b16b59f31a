import { jsonPointer } from "../schema/json-pointer.ts";
import { isOperator, createMatcher, type Matcher, type Operator } from "./operator.ts";

/** A parsed condition: `compileCondition` runs it and `conditionToSql` translates it. */
export type ConditionTree =
  | { readonly kind: "and" | "or"; readonly parts: readonly ConditionTree[] }
  | { readonly kind: "not"; readonly part: ConditionTree }
  | Comparison;

export interface Comparison {
  readonly kind: "comparison";
  readonly path: readonly string[];
  readonly operator: Operator;
  readonly operand: unknown;
  readonly matches: Matcher;
}

export interface ConditionError {
  readonly path: string;
  readonly message: string;
}

/** The maximum nesting depth, including the outermost object. Literals have the same limit. */
export const DEPTH_MAX = 8;
/** The maximum number of comparisons and nested conditions. */
export const NODES_MAX = 200;
/** The maximum number of literal values, including the members of `in` and `nin`. */
export const LITERALS_MAX = 2000;
/** The maximum length of a path. */
export const PATH_CHARACTERS_MAX = 200;

/** Parses a condition. The tree is only valid if there are no errors. */
export function parseCondition(value: unknown): {
  tree: ConditionTree;
  errors: readonly ConditionError[];
} {
  const state: ParseState = { errors: [], nodes: 0, literals: 0 };
  const tree = readObject(state, value, { pointer: "", depth: 1 });
  return { tree, errors: state.errors };
}

interface ParseState {
  readonly errors: ConditionError[];
  nodes: number;
  literals: number;
}

interface ParsePosition {
  readonly pointer: string;
  readonly depth: number;
}

// A placeholder for an invalid part. Such a tree is never run.
const EMPTY: ConditionTree = { kind: "and", parts: [] };

function readObject(state: ParseState, value: unknown, position: ParsePosition): ConditionTree {
  if (position.depth > DEPTH_MAX) {
    return addError(state, position, `must have at most ${DEPTH_MAX} levels of nesting`);
  }
  if (!isRecord(value)) return addError(state, position, "must be an object");
  const parts = Object.entries(value).map(([key, member]): ConditionTree => {
    const at = enterKey(position, key);
    if (key === "and" || key === "or") return readList(state, key, member, at);
    if (key === "not") return { kind: key, part: readPart(state, member, at) };
    return readPath(state, key, member, at);
  });
  return joinAnd(parts);
}

function readList(
  state: ParseState,
  kind: "and" | "or",
  value: unknown,
  position: ParsePosition,
): ConditionTree {
  if (!Array.isArray(value) || value.length === 0) {
    return addError(state, position, "must be a list with at least one condition");
  }
  const members: readonly unknown[] = value;
  return {
    kind,
    parts: members.map((member, index) => {
      const pointer = `${position.pointer}/${index}`;
      return readPart(state, member, { pointer, depth: position.depth });
    }),
  };
}

function readPart(state: ParseState, value: unknown, position: ParsePosition): ConditionTree {
  return countNode(state, position) ? readObject(state, value, enterLevel(position)) : EMPTY;
}

function readPath(
  state: ParseState,
  key: string,
  value: unknown,
  position: ParsePosition,
): ConditionTree {
  const path = key.split(".");
  const wrong = checkPath(key, path);
  if (wrong !== undefined) return addCountedError(state, position, wrong);
  if (!isRecord(value)) {
    return readComparison(state, { path, operator: "eq", operand: value }, position);
  }
  const operators = Object.entries(value);
  if (operators.length === 0)
    return addCountedError(state, position, "must be a value or an object of operators");
  return joinAnd(
    operators.map(([operator, operand]) => {
      const at = enterKey(position, operator);
      if (isOperator(operator)) return readComparison(state, { path, operator, operand }, at);
      return addCountedError(state, at, "is not an operator. To compare with an object, use eq");
    }),
  );
}

function readComparison(
  state: ParseState,
  comparison: Pick<Comparison, "path" | "operator" | "operand">,
  position: ParsePosition,
): ConditionTree {
  if (!countNode(state, position)) return EMPTY;
  if (!checkLiteral(state, comparison.operand, { pointer: position.pointer, depth: 0 })) {
    return EMPTY;
  }
  const matches = createMatcher(comparison.operator, comparison.operand);
  if (typeof matches !== "function") return addError(state, position, matches.error);
  return { kind: "comparison", ...comparison, matches };
}

/** True if a literal is JSON within the limits; otherwise adds the error. */
function checkLiteral(state: ParseState, value: unknown, position: ParsePosition): boolean {
  state.literals += 1;
  if (state.literals > LITERALS_MAX) {
    // Reported once, because all further values exceed the limit as well.
    if (state.literals === LITERALS_MAX + 1) {
      addError(state, position, `must have at most ${LITERALS_MAX} values in one condition`);
    }
    return false;
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number" && Number.isFinite(value)) return true;
  if (typeof value !== "object") {
    addError(state, position, "must be a JSON value");
    return false;
  }
  if (position.depth >= DEPTH_MAX) {
    addError(state, position, `must have at most ${DEPTH_MAX} levels of nesting`);
    return false;
  }
  const invalid = Object.entries(value).filter(
    ([key, member]) => !checkLiteral(state, member, enterLevel(enterKey(position, key))),
  );
  return invalid.length === 0;
}

function checkPath(key: string, path: readonly string[]): string | undefined {
  if (key.length > PATH_CHARACTERS_MAX) {
    return `must be a path of at most ${PATH_CHARACTERS_MAX} characters`;
  }
  if (path.includes("")) return "must be a path of words separated by dots";
  return path.some((word) => FORBIDDEN_WORDS.has(word))
    ? "must not refer to a prototype"
    : undefined;
}

// Paths read only own properties, so these names are harmless here. Rejecting them keeps other translations of
// paths safe as well.
const FORBIDDEN_WORDS = new Set(["__proto__", "constructor", "prototype"]);

/** Counts a node. Returns false if there are too many, which is reported once. */
function countNode(state: ParseState, position: ParsePosition): boolean {
  state.nodes += 1;
  if (state.nodes === NODES_MAX + 1) {
    addError(state, position, `must have at most ${NODES_MAX} parts in one condition`);
  }
  return state.nodes <= NODES_MAX;
}

/** Counts an invalid comparison like a valid one, so the number of errors is limited too. */
function addCountedError(
  state: ParseState,
  position: ParsePosition,
  message: string,
): ConditionTree {
  return countNode(state, position) ? addError(state, position, message) : EMPTY;
}

function addError(state: ParseState, position: ParsePosition, message: string): ConditionTree {
  state.errors.push({ path: position.pointer, message });
  return EMPTY;
}

function joinAnd(parts: readonly ConditionTree[]): ConditionTree {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: "and", parts };
}

function enterKey(position: ParsePosition, key: string): ParsePosition {
  return { pointer: jsonPointer(position.pointer, key), depth: position.depth };
}

function enterLevel(position: ParsePosition): ParsePosition {
  return { pointer: position.pointer, depth: position.depth + 1 };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
