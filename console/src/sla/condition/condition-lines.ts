/** A condition as editable lines: comparisons that must all match. More complex ones are kept unchanged. */
export type Condition = Readonly<Record<string, unknown>>;

export const OPERATORS = [
  ["eq", "is"],
  ["ne", "is not"],
  ["lte", "at most"],
  ["gte", "at least"],
  ["in", "one of"],
  ["contains", "contains"],
] as const;
export type Operator = (typeof OPERATORS)[number][0];

export interface ConditionLine {
  readonly field: string;
  readonly operator: Operator;
  readonly value: string;
}

/** Returns the lines of a condition; undefined if lines can't represent it. */
export function toConditionLines(condition: Condition): readonly ConditionLine[] | undefined {
  const parts = Array.isArray(condition["and"])
    ? (condition["and"] as readonly Condition[])
    : [condition];
  const lines = parts.flatMap((part) =>
    Object.entries(part).map(([field, value]) => toLine(field, value)),
  );
  return lines.every((line) => line !== undefined) ? lines : undefined;
}

function toLine(field: string, value: unknown): ConditionLine | undefined {
  if (field === "and" || field === "or" || field === "not") return undefined;
  if (value === null || typeof value !== "object")
    return { field, operator: "eq", value: toText(value) };
  if (Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  const [name, operand] = entries[0] ?? [];
  const operator = OPERATORS.find(([one]) => one === name)?.[0];
  if (entries.length !== 1 || operator === undefined) return undefined;
  if (Array.isArray(operand)) return { field, operator, value: operand.map(toText).join(", ") };
  return typeof operand === "object" && operand !== null
    ? undefined
    : { field, operator, value: toText(operand) };
}

const toText = (value: unknown): string =>
  value === null ? "" : String(value as string | number | boolean);

/** Converts lines to a condition; a line without a value compares with "no value". */
export function toCondition(lines: readonly ConditionLine[]): Condition {
  const all = lines.map(({ field, operator, value }) => {
    if (operator === "in")
      return { [field]: { in: value.split(",").map((one) => toValue(one.trim())) } };
    return { [field]: operator === "eq" ? toValue(value) : { [operator]: toValue(value) } };
  });
  const fields = new Set(lines.map(({ field }) => field));
  if (fields.size < lines.length) return { and: all };
  return Object.assign({}, ...all) as Condition;
}

function toValue(text: string): unknown {
  if (text === "") return null;
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
