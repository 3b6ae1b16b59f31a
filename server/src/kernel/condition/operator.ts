/** Tests the value at a path. A missing value is passed as null. */
export type Matcher = (value: unknown) => boolean;

export type Operator =
  | "eq"
  | "ne"
  | "in"
  | "nin"
  | "gt"
  | "gte"
  | "lt"
  | "lte"
  | "contains"
  | "startsWith"
  | "endsWith"
  | "exists";

export function isOperator(key: string): key is Operator {
  return Object.hasOwn(OPERATORS, key);
}

/** The matcher of an operator with its operand, or an error about the operand. */
export function createMatcher(operator: Operator, operand: unknown): Matcher | { error: string } {
  return OPERATORS[operator](operand);
}

type MatcherFactory = (operand: unknown) => Matcher | { error: string };

const OPERATORS: Readonly<Record<Operator, MatcherFactory>> = {
  eq: equalityMatcher,
  ne: negateMatcher(equalityMatcher),
  in: membershipMatcher,
  nin: negateMatcher(membershipMatcher),
  gt: orderMatcher((order) => order > 0),
  gte: orderMatcher((order) => order >= 0),
  lt: orderMatcher((order) => order < 0),
  lte: orderMatcher((order) => order <= 0),
  contains: containsMatcher,
  startsWith: textMatcher((text, part) => text.startsWith(part)),
  endsWith: textMatcher((text, part) => text.endsWith(part)),
  exists: existsMatcher,
};

function equalityMatcher(operand: unknown): Matcher {
  return (value) => isEqual(value, operand);
}

function membershipMatcher(operand: unknown): Matcher | { error: string } {
  if (!Array.isArray(operand) || operand.length === 0) {
    return { error: "must be a list with at least one value" };
  }
  const members: readonly unknown[] = operand;
  const scalars = new Set(members.filter((member) => !isComposite(member)));
  const composites = members.filter(isComposite);
  // Most lists contain ids: scalars are found by a set look-up, other members are compared individually.
  return (value) => scalars.has(value) || composites.some((member) => isEqual(value, member));
}

function negateMatcher(factory: MatcherFactory): MatcherFactory {
  return (operand) => {
    const matcher = factory(operand);
    return typeof matcher === "function" ? (value) => !matcher(value) : matcher;
  };
}

function orderMatcher(holds: (order: number) => boolean): MatcherFactory {
  return (operand) => {
    if (typeof operand === "number") {
      return (value) => typeof value === "number" && holds(value - operand);
    }
    if (typeof operand === "string") {
      return (value) => typeof value === "string" && holds(compareCodePoints(value, operand));
    }
    return { error: "must be a number or a string" };
  };
}

/** Compares by code points, like PostgreSQL's order of UTF-8 bytes. JavaScript compares UTF-16 units. */
function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = rankOf(left.charCodeAt(index)) - rankOf(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Surrogates (characters above U+FFFF) must sort after all single units. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x1_0000 : unit;
}

function containsMatcher(operand: unknown): Matcher {
  return (value) => {
    if (typeof value === "string") return typeof operand === "string" && value.includes(operand);
    return Array.isArray(value) && value.some((member) => isEqual(member, operand));
  };
}

function textMatcher(holds: (text: string, part: string) => boolean): MatcherFactory {
  return (operand) => {
    if (typeof operand !== "string") return { error: "must be a string" };
    return (value) => typeof value === "string" && holds(value, operand);
  };
}

function existsMatcher(operand: unknown): Matcher | { error: string } {
  if (typeof operand !== "boolean") return { error: "must be true or false" };
  return (value) => (value !== null) === operand;
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Recursion depth is bounded by the operand; the value can have any depth. */
function isEqual(value: unknown, operand: unknown): boolean {
  if (value === operand) return true;
  if (!isComposite(value) || !isComposite(operand)) return false;
  if (Array.isArray(value) !== Array.isArray(operand)) return false;
  const entries = Object.entries(operand);
  if (Object.keys(value).length !== entries.length) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  // The operand is JSON, so none of its members equals the undefined of a missing member.
  return entries.every(([key, member]) => isEqual(members.get(key), member));
}
