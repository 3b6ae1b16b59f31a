/** Filters as the builder edits them (rules, and groups that match all or any) and as the API expects them. */
import { choicesOf, type GridColumn, isNumber, linkTargetOf, targetOf } from "../column/column.ts";

export interface FilterRule {
  readonly kind: "rule";
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
}

export interface FilterGroup {
  readonly kind: "group";
  readonly mode: "and" | "or";
  readonly parts: readonly FilterNode[];
}

/** A condition that the builder can't display; it is kept unchanged. */
export interface FilterOther {
  readonly kind: "other";
  readonly condition: Condition;
}

export type FilterNode = FilterRule | FilterGroup | FilterOther;
export type Condition = Readonly<Record<string, unknown>>;

export const NO_FILTER: FilterGroup = { kind: "group", mode: "and", parts: [] };

export interface Operator {
  readonly id: string;
  readonly label: string;
  /** Takes no value. */
  readonly isBare?: true;
  /** Takes several values. */
  readonly isMany?: true;
}

const EMPTY: readonly Operator[] = [
  { id: "empty", label: "is empty", isBare: true },
  { id: "filled", label: "is not empty", isBare: true },
];
const TEXT: readonly Operator[] = [
  { id: "contains", label: "contains" },
  { id: "eq", label: "is" },
  { id: "ne", label: "is not" },
  { id: "startsWith", label: "begins with" },
  { id: "endsWith", label: "ends with" },
  ...EMPTY,
];
const NUMBER: readonly Operator[] = [
  { id: "eq", label: "=" },
  { id: "ne", label: "≠" },
  { id: "gt", label: ">" },
  { id: "gte", label: "≥" },
  { id: "lt", label: "<" },
  { id: "lte", label: "≤" },
  ...EMPTY,
];
const TIME: readonly Operator[] = [
  { id: "gte", label: "is on or after" },
  { id: "lt", label: "is before" },
  { id: "eq", label: "is exactly" },
  ...EMPTY,
];
const CHOICE: readonly Operator[] = [
  { id: "in", label: "is any of", isMany: true },
  { id: "nin", label: "is none of", isMany: true },
  ...EMPTY,
];
const CHOICES: readonly Operator[] = [{ id: "contains", label: "has" }, ...EMPTY];
const BOOLEAN: readonly Operator[] = [{ id: "eq", label: "is" }, ...EMPTY];
const REFERENCE: readonly Operator[] = [
  { id: "eq", label: "is" },
  { id: "ne", label: "is not" },
  ...EMPTY,
];

export function operatorsOf(column: GridColumn): readonly Operator[] {
  if (isNumber(column)) return NUMBER;
  if (column.type === "boolean") return BOOLEAN;
  if (column.type === "date" || column.type === "timestamp") return TIME;
  if (column.type === "enum") return CHOICE;
  if (column.type === "multi_enum") return CHOICES;
  if (linkTargetOf(column) !== undefined) return CHOICES;
  if (targetOf(column) !== undefined) return REFERENCE;
  return column.type === "json" ? EMPTY : TEXT;
}

/** Creates a rule for a column, with a default value. */
export function newRule(column: GridColumn): FilterRule {
  const [first] = operatorsOf(column);
  const { id: operator, isMany = false } = first ?? { id: "eq" };
  const value = isMany
    ? choicesOf(column).slice(0, 1)
    : column.type === "boolean"
      ? true
      : (choicesOf(column)[0] ?? null);
  return { kind: "rule", field: column.name, operator, value };
}

/** Converts a filter to a condition; incomplete rules without a value are omitted. */
export function toCondition(node: FilterNode): Condition {
  if (node.kind === "other") return node.condition;
  if (node.kind === "rule") return ruleCondition(node);
  const parts = node.parts.map(toCondition).filter((part) => Object.keys(part).length > 0);
  const [first] = parts;
  if (!first) return {};
  if (parts.length === 1) return first;
  if (node.mode === "or") return { or: parts };
  const names = parts.flatMap((part) => Object.keys(part));
  // Rules on different fields are merged into one object, the common form in the API.
  return new Set(names).size === names.length && !names.some(isWord)
    ? Object.assign({}, ...parts)
    : { and: parts };
}

const isWord = (name: string): boolean => name === "and" || name === "or" || name === "not";

function ruleCondition({ field, operator, value }: FilterRule): Condition {
  if (operator === "empty") return { [field]: { exists: false } };
  if (operator === "filled") return { [field]: { exists: true } };
  const isNone = value === null || value === "" || (Array.isArray(value) && value.length === 0);
  if (isNone) return {};
  return { [field]: operator === "eq" ? value : { [operator]: value } };
}

/** Parses a condition from the API or the address. */
export function fromCondition(condition: Condition): FilterGroup {
  const node = nodeOf(condition);
  if (node.kind === "group") return node;
  return { kind: "group", mode: "and", parts: [node] };
}

function nodeOf(condition: Condition): FilterNode {
  const entries = Object.entries(condition);
  const parts = entries.flatMap(([name, value]): FilterNode[] => {
    if ((name === "and" || name === "or") && Array.isArray(value)) {
      return [{ kind: "group", mode: name, parts: (value as Condition[]).map(nodeOf) }];
    }
    if (name === "not") return [{ kind: "other", condition: { not: value } }];
    return rulesOf(name, value);
  });
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind: "group", mode: "and", parts };
}

function rulesOf(field: string, value: unknown): FilterNode[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [{ kind: "rule", field, operator: "eq", value }];
  }
  return Object.entries(value).map(([operator, operand]): FilterNode => {
    if (operator === "exists") {
      return { kind: "rule", field, operator: operand === false ? "empty" : "filled", value: null };
    }
    return { kind: "rule", field, operator, value: operand };
  });
}

export function countRules(node: FilterNode): number {
  return node.kind === "group" ? node.parts.reduce((sum, part) => sum + countRules(part), 0) : 1;
}

/** Replaces the node at a path; undefined removes it, and groups that become empty. */
export function replaceAt(
  group: FilterGroup,
  path: readonly number[],
  next: FilterNode | undefined,
): FilterGroup {
  const [first, ...rest] = path;
  if (first === undefined) return next?.kind === "group" ? next : group;
  const parts = group.parts.flatMap((part, n): FilterNode[] => {
    if (n !== first) return [part];
    if (rest.length === 0) return next ? [next] : [];
    if (part.kind !== "group") return [part];
    const changed = replaceAt(part, rest, next);
    return changed.parts.length === 0 ? [] : [changed];
  });
  return { ...group, parts };
}
