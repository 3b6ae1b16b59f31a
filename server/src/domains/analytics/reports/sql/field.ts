import { conditionToSql, type ConditionFieldKind } from "#kernel/condition/sql.ts";
import { isPattern } from "#kernel/condition/event-pattern.ts";
import { parseCondition } from "#kernel/condition/parse-condition.ts";
import { toTypedCondition } from "#kernel/condition/typed-condition.ts";
import type { RelativeClock } from "#kernel/condition/relative-time.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import {
  assertNoErrors,
  type FieldError,
  invalidField,
  invalidInput,
} from "#kernel/operation/failure.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import type { ReportField } from "#kernel/contributions/report-source.ts";

/** The parameters of a statement, and the time that relative times refer to. */
export interface SqlContext {
  readonly parameters: SqlParameters;
  readonly clock: RelativeClock;
}

type Fields = ReadonlyMap<string, ReportField>;

/** A field of a source, or a value within a JSON field. */
export function fieldAt(
  fields: Fields,
  path: string,
  { at, parameters }: { readonly at: string; readonly parameters: SqlParameters },
): ReportField {
  const plain = fields.get(path);
  if (plain) return plain;
  const [name = "", ...words] = path.split(".");
  const field = fields.get(name);
  if (!field) throw invalidField(at, `${path} is not a field of this source`);
  if (field.kind !== "json" || words.some((word) => word === "")) {
    throw invalidField(at, `${name} is a field without subfields`);
  }
  const operand = parameters.add(words, "text[]");
  // SQL null and JSON null both mean no value.
  return { sql: `nullif(${field.sql} #> ${operand}, 'null'::jsonb)`, kind: "json" };
}

/** A condition on fields as SQL; reports errors with their paths. */
export function conditionSql(
  condition: unknown,
  { fields, at, parameters, clock }: SqlContext & { readonly fields: Fields; readonly at: string },
): string {
  const kindOf = (name: string): ConditionFieldKind | undefined => fields.get(name)?.kind;
  const typed = toTypedCondition(condition, kindOf, { clock });
  if ("errors" in typed) {
    const errors = typed.errors.map(({ path, message }) => ({
      path: at + path,
      message: message.replace("of this table", "of this source"),
    }));
    throw invalidInput(errors);
  }
  assertNoErrors(patternErrors(condition, fields, at));
  return conditionToSql(
    parseCondition(typed.condition).tree,
    (name) => fields.get(name),
    parameters,
  );
}

/** The errors of invalid patterns with `*`, in comparisons of event types. */
function patternErrors(part: unknown, fields: Fields, at: string): readonly FieldError[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]): readonly FieldError[] => {
    const path = jsonPointer(at, key);
    if (!fields.get(key)?.hasPatterns) return patternErrors(value, fields, path);
    const texts = JSON.stringify(value).match(/"[^"]*\*[^"]*"/g) ?? [];
    const isWrong = texts.some((text) => !isPattern(text.slice(1, -1)));
    return isWrong
      ? [{ path, message: "must be an event type, or a pattern such as `incident.*`" }]
      : [];
  });
}

/** Converts a PostgreSQL number to a JSON number, whatever its digits, so that a column has one type. */
export function toNumber(stored: unknown): unknown {
  if (typeof stored !== "string") return stored;
  const number = Number(stored);
  return Number.isFinite(number) ? number : null;
}

/** Converts stored values of a field to API form. */
export function valueConverter({ kind, toJson }: ReportField): (stored: unknown) => unknown {
  const convert = toJson ?? (kind === "number" ? toNumber : (stored: unknown) => stored);
  return (stored) => (stored === null || stored === undefined ? null : convert(stored));
}
