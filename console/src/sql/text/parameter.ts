/** Converts statement parameters to form fields and values. */
import { QUERY_PARAMETER_TYPE } from "@millrace/client/enums";
import type { Schemas } from "../../data/api.ts";

export type Parameter = Schemas["QueryParameter"];
export type ParameterType = NonNullable<Parameter["type"]>;

export const PARAMETER_TYPES = QUERY_PARAMETER_TYPE;

/** Returns the parameters for these numbers: existing ones, and new ones with a default name. */
export function toParameters(
  numbers: readonly number[],
  known: readonly Parameter[],
): readonly Parameter[] {
  return numbers.map((number) => known[number - 1] ?? { name: `p${number}` });
}

/** Returns the initial text of a field. */
export function textOfDefault({ default: value }: Parameter): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Converts the text of a field. PostgreSQL converts texts to the parameter's type; lists must be arrays. */
export function toValue(text: string, { type }: Parameter): unknown {
  if (text.trim() === "") return null;
  if (type === "integer" || type === "decimal") return toNumberOrText(text);
  if (type === "boolean") return text === "true";
  const isList = text.trimStart().startsWith("[") && type !== "text";
  if (type !== "json" && !isList) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A number with many digits stays a text, so that no digit is lost. */
function toNumberOrText(text: string): unknown {
  const list = text.trimStart().startsWith("[");
  if (list) return toValue(text, { name: "list", type: "json" });
  const number = Number(text);
  return Number.isFinite(number) && text.replaceAll(/\D/g, "").length <= 15 ? number : text.trim();
}
