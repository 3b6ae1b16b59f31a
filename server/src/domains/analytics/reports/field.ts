import { conditionToSql, type ConditionFieldKind } from "#kernel/condition/sql.ts";
import { parseCondition } from "#kernel/condition/parse-condition.ts";
import { toTypedCondition } from "#kernel/condition/typed-condition.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { invalidField, invalidInput } from "#kernel/operation/failure.ts";
import type { ReportField } from "#kernel/contributions/report-source.ts";

type Fields = ReadonlyMap<string, ReportField>;

/** A field of a source, or a value within one that is JSON. */
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
    throw invalidField(at, `${name} is a field that leads no further`);
  }
  const operand = parameters.add(words, "text[]");
  // In JSON there are two ways to say that there is nothing.
  return { sql: `nullif(${field.sql} #> ${operand}, 'null'::jsonb)`, kind: "json" };
}

/** A condition on fields as SQL; its errors are reported with their paths. */
export function conditionSql(
  condition: unknown,
  { fields, at, parameters }: { fields: Fields; at: string; parameters: SqlParameters },
): string {
  const kindOf = (name: string): ConditionFieldKind | undefined => fields.get(name)?.kind;
  const typed = toTypedCondition(condition, kindOf);
  if ("errors" in typed) {
    const errors = typed.errors.map(({ path, message }) => ({
      path: at + path,
      message: message.replace("of this table", "that is here"),
    }));
    throw invalidInput(errors);
  }
  return conditionToSql(
    parseCondition(typed.condition).tree,
    (name) => fields.get(name),
    parameters,
  );
}

/** A number where it is exact; a text where digits would be lost. */
export function exactNumber(stored: unknown): unknown {
  if (typeof stored !== "string") return stored;
  const number = Number(stored);
  if (!Number.isFinite(number)) return stored;
  const digits = stored.replace(/^-/, "").replace(".", "").replace(/^0+/, "");
  const significant = stored.includes(".") ? digits.replace(/0+$/, "") : digits;
  const isExact = Number.isSafeInteger(number) || significant.length <= SAFE_DIGITS;
  return isExact ? number : stored;
}

const SAFE_DIGITS = 15;

/** Converts stored values of a field to those of the API. */
export function valueConverter({ kind, toJson }: ReportField): (stored: unknown) => unknown {
  const convert = toJson ?? (kind === "number" ? exactNumber : (stored: unknown) => stored);
  return (stored) => (stored === null || stored === undefined ? null : convert(stored));
}
