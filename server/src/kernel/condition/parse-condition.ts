import { jsonPointer } from "../schema/json-pointer.ts";
import { isOperator, matcherOf, type Matcher, type Operator } from "./operator.ts";

/** A condition that has been read: what `compileCondition` runs and SQL can be written from. */
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

/** What is wrong with a condition, and where: a JSON pointer into it. */
export interface ConditionError {
  readonly path: string;
  readonly message: string;
}

/** Combiners within combiners, the outermost object included; literals are bounded alike. */
export const DEPTH_MAX = 8;
/** Comparisons, and conditions inside `and`, `or` and `not`, in one condition. */
export const NODES_MAX = 200;
/** Values in literals, those in the lists of `in` and `nin` included. */
export const LITERALS_MAX = 2000;
/** The length of a path to a value. */
export const PATH_CHARACTERS_MAX = 200;

/** Reads a condition. The tree is to be used only when there are no faults. */
export function parseCondition(value: unknown): {
  tree: ConditionTree;
  faults: readonly ConditionError[];
} {
  const reading: Reading = { faults: [], nodes: 0, literals: 0 };
  const tree = readObject(reading, value, { pointer: "", depth: 1 });
  return { tree, faults: reading.faults };
}

interface Reading {
  readonly faults: ConditionError[];
  nodes: number;
  literals: number;
}

interface Place {
  readonly pointer: string;
  readonly depth: number;
}

// Stands where a fault was found; such a tree is never run.
const NOTHING: ConditionTree = { kind: "and", parts: [] };

function readObject(reading: Reading, value: unknown, place: Place): ConditionTree {
  if (place.depth > DEPTH_MAX) {
    return faulty(reading, place, `must not be nested deeper than ${DEPTH_MAX}`);
  }
  if (!isRecord(value)) return faulty(reading, place, "must be an object");
  const parts = Object.entries(value).map(([key, member]): ConditionTree => {
    const at = within(place, key);
    if (key === "and" || key === "or") return readList(reading, key, member, at);
    if (key === "not") return { kind: key, part: readPart(reading, member, at) };
    return readPath(reading, key, member, at);
  });
  return allOf(parts);
}

function readList(
  reading: Reading,
  kind: "and" | "or",
  value: unknown,
  place: Place,
): ConditionTree {
  if (!Array.isArray(value) || value.length === 0) {
    return faulty(reading, place, "must be a list of at least one condition");
  }
  const members: readonly unknown[] = value;
  return {
    kind,
    parts: members.map((member, index) => {
      const pointer = `${place.pointer}/${index}`;
      return readPart(reading, member, { pointer, depth: place.depth });
    }),
  };
}

function readPart(reading: Reading, value: unknown, place: Place): ConditionTree {
  return counted(reading, place) ? readObject(reading, value, deeper(place)) : NOTHING;
}

function readPath(reading: Reading, key: string, value: unknown, place: Place): ConditionTree {
  const path = key.split(".");
  const wrong = faultOfPath(key, path);
  if (wrong !== undefined) return rejected(reading, place, wrong);
  if (!isRecord(value)) {
    return readComparison(reading, { path, operator: "eq", operand: value }, place);
  }
  const operators = Object.entries(value);
  if (operators.length === 0) return rejected(reading, place, "must be a value or hold operators");
  return allOf(
    operators.map(([operator, operand]) => {
      const at = within(place, operator);
      if (isOperator(operator)) return readComparison(reading, { path, operator, operand }, at);
      return rejected(reading, at, "is not an operator; to compare with an object, use eq");
    }),
  );
}

function readComparison(
  reading: Reading,
  comparison: Pick<Comparison, "path" | "operator" | "operand">,
  place: Place,
): ConditionTree {
  if (!counted(reading, place)) return NOTHING;
  if (!checkLiteral(reading, comparison.operand, { pointer: place.pointer, depth: 0 })) {
    return NOTHING;
  }
  const matches = matcherOf(comparison.operator, comparison.operand);
  if (typeof matches !== "function") return faulty(reading, place, matches.fault);
  return { kind: "comparison", ...comparison, matches };
}

/** Whether a literal is JSON within its bounds; says why when it is not. */
function checkLiteral(reading: Reading, value: unknown, place: Place): boolean {
  reading.literals += 1;
  if (reading.literals > LITERALS_MAX) {
    // Said once: all that follows is too much as well.
    if (reading.literals === LITERALS_MAX + 1) {
      faulty(reading, place, `is more than ${LITERALS_MAX} values in one condition`);
    }
    return false;
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number" && Number.isFinite(value)) return true;
  if (typeof value !== "object") {
    faulty(reading, place, "must be a JSON value");
    return false;
  }
  if (place.depth >= DEPTH_MAX) {
    faulty(reading, place, `must not be nested deeper than ${DEPTH_MAX}`);
    return false;
  }
  const faulties = Object.entries(value).filter(
    ([key, member]) => !checkLiteral(reading, member, deeper(within(place, key))),
  );
  return faulties.length === 0;
}

function faultOfPath(key: string, path: readonly string[]): string | undefined {
  if (key.length > PATH_CHARACTERS_MAX) {
    return `must be a path of at most ${PATH_CHARACTERS_MAX} characters`;
  }
  if (path.includes("")) return "must be a path of words with dots between them";
  return path.some((word) => FORBIDDEN_WORDS.has(word))
    ? "must not lead to a prototype"
    : undefined;
}

// Reading takes own properties only, so these could do no harm; nobody asks for them in good
// faith, though, and whoever translates a path into another language is spared the thought.
const FORBIDDEN_WORDS = new Set(["__proto__", "constructor", "prototype"]);

/** Counts a node; false when there are too many, which is said once. */
function counted(reading: Reading, place: Place): boolean {
  reading.nodes += 1;
  if (reading.nodes === NODES_MAX + 1) {
    faulty(reading, place, `is more than ${NODES_MAX} parts in one condition`);
  }
  return reading.nodes <= NODES_MAX;
}

/** A fault in the place of a comparison, which counts like one: so faults are bounded too. */
function rejected(reading: Reading, place: Place, message: string): ConditionTree {
  return counted(reading, place) ? faulty(reading, place, message) : NOTHING;
}

function faulty(reading: Reading, place: Place, message: string): ConditionTree {
  reading.faults.push({ path: place.pointer, message });
  return NOTHING;
}

function allOf(parts: readonly ConditionTree[]): ConditionTree {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: "and", parts };
}

function within(place: Place, key: string): Place {
  return { pointer: jsonPointer(place.pointer, key), depth: place.depth };
}

function deeper(place: Place): Place {
  return { pointer: place.pointer, depth: place.depth + 1 };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
