/** A rule of a filter: field, operator and value. All rules must match. */
export interface Line {
  readonly field: string;
  readonly operator: string;
  readonly value: string;
}

type Condition = Readonly<Record<string, unknown>>;

export const OPERATORS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  text: [
    ["eq", "is"],
    ["ne", "is not"],
    ["contains", "contains"],
    ["exists", "is set"],
    ["empty", "is empty"],
  ],
  number: [
    ["eq", "="],
    ["gt", ">"],
    ["gte", "≥"],
    ["lt", "<"],
    ["lte", "≤"],
    ["exists", "is set"],
    ["empty", "is empty"],
  ],
  boolean: [["eq", "is"]],
  time: [
    ["gte", "since"],
    ["lt", "before"],
    ["exists", "is set"],
    ["empty", "is empty"],
  ],
};

export function operatorsOf(type: string): readonly (readonly [string, string])[] {
  const kind = type === "date" ? "time" : type;
  return OPERATORS[kind] ?? OPERATORS["text"] ?? [];
}

export const needsValue = (operator: string): boolean =>
  operator !== "exists" && operator !== "empty";

/** Converts a condition to lines; undefined if lines can't represent it. */
export function toLines(condition: Condition | undefined): readonly Line[] | undefined {
  const lines: Line[] = [];
  for (const [field, value] of Object.entries(condition ?? {})) {
    if (field === "and" && Array.isArray(value)) {
      const parts = value.map((part) => toLines(part as Condition));
      if (parts.some((part) => part === undefined)) return undefined;
      lines.push(...parts.flatMap((part) => part ?? []));
      continue;
    }
    if (field === "or" || field === "not") return undefined;
    if (value === null) lines.push({ field, operator: "empty", value: "" });
    else if (typeof value !== "object")
      lines.push({
        field,
        operator: "eq",
        value: typeof value === "string" ? value : JSON.stringify(value),
      });
    else {
      const entries = Object.entries(value);
      if (entries.some(([, operand]) => typeof operand === "object" && operand !== null))
        return undefined;
      for (const [operator, operand] of entries) {
        if (operator === "exists") {
          lines.push({ field, operator: operand === true ? "exists" : "empty", value: "" });
        } else lines.push({ field, operator, value: String(operand) });
      }
    }
  }
  return lines;
}

/** Converts lines to a condition; lines without a value are omitted. */
export function toCondition(lines: readonly Line[], typeOf: (field: string) => string): Condition {
  const parts = lines.flatMap(({ field, operator, value }): Condition[] => {
    if (operator === "exists") return [{ [field]: { exists: true } }];
    if (operator === "empty") return [{ [field]: { exists: false } }];
    const operand = toOperand(value, typeOf(field));
    return operand === undefined
      ? []
      : [{ [field]: operator === "eq" ? operand : { [operator]: operand } }];
  });
  const names = parts.flatMap((part) => Object.keys(part));
  return new Set(names).size === names.length ? Object.assign({}, ...parts) : { and: parts };
}

function toOperand(value: string, type: string): unknown {
  if (value === "") return undefined;
  if (type === "boolean") return value === "true";
  if (type !== "number") return value;
  return Number.isFinite(Number(value)) ? Number(value) : undefined;
}
