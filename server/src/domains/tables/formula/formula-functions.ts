/** The functions of formulas, with their parameters and SQL. */
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";

/** The kinds of values in a formula. */
export type FormulaKind = Exclude<ConditionFieldKind, "json" | "texts">;

/** A compiled argument. `literal` is its value if it is a literal. */
export interface FormulaArgument {
  readonly sql: string;
  readonly kind: FormulaKind;
  readonly literal?: string | number | boolean | null | undefined;
}

export interface FormulaFunction {
  /** The kinds of its arguments; `any` accepts all. */
  readonly takes: readonly (FormulaKind | "any")[];
  /** Arguments at the end that may be left out. */
  readonly optional?: number;
  /** Arguments that must be literal numbers from 0, by index. */
  readonly counts?: readonly number[];
  readonly gives: FormulaKind;
  readonly sql: (args: readonly string[], given: readonly FormulaArgument[]) => string;
}

export const FORMULA_FUNCTIONS: Readonly<Record<string, FormulaFunction>> = {
  uppercase: textFunction(([text]) => `upper((${text}) collate "default") collate "C"`),
  lowercase: textFunction(([text]) => `lower((${text}) collate "default") collate "C"`),
  trim: textFunction(
    ([text]) => String.raw`btrim(regexp_replace(${text}, '[ \t\n\r]+', ' ', 'g'), ' ')`,
  ),
  length: { takes: ["text"], gives: "number", sql: ([text]) => `char_length(${text})::float8` },
  substring: {
    takes: ["text", "number", "number"],
    optional: 1,
    counts: [1, 2],
    gives: "text",
    sql: ([text], [, start, length]) =>
      `substr(${text}, ${Number(start?.literal) + 1}${length ? `, ${Number(length.literal)}` : ""})`,
  },
  contains: {
    takes: ["text", "text"],
    gives: "boolean",
    sql: ([text, part]) => `(strpos(${text}, ${part}) > 0)`,
  },
  abs: numberFunction(([number]) => `abs(${number})`),
  floor: numberFunction(([number]) => `floor(${number})`),
  ceil: numberFunction(([number]) => `ceil(${number})`),
  round: {
    takes: ["number", "number"],
    optional: 1,
    counts: [1],
    gives: "number",
    sql: ([number], [, digits]) =>
      `public.formula_round(${number}, ${Number(digits?.literal ?? 0)})`,
  },
  not: { takes: ["boolean"], gives: "boolean", sql: ([condition]) => `(not ${condition})` },
  exists: { takes: ["any"], gives: "boolean", sql: ([value]) => `(${value} is not null)` },
  string: { takes: ["any"], gives: "text", sql: ([text]) => text ?? "" },
};

function textFunction(sql: FormulaFunction["sql"]): FormulaFunction {
  return { takes: ["text"], gives: "text", sql };
}

function numberFunction(sql: FormulaFunction["sql"]): FormulaFunction {
  return { takes: ["number"], gives: "number", sql };
}
