import type { Column } from "../table.ts";

/** The expression that converts a column of any type to text in API form. */
export function toTextSql({ type }: Column, quoted: string): string {
  switch (type) {
    case "text":
    case "enum":
    case "email":
    case "url":
    case "user":
    case "reference":
      return quoted;
    case "integer":
    case "autonumber":
    case "boolean":
      return `${quoted}::text`;
    case "duration":
    case "decimal":
      return `trim_scale(${quoted})::text`;
    case "date":
      return `to_char(${quoted}, 'YYYY-MM-DD')`;
    case "timestamp":
      return `to_char(${quoted} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    case "json":
      // A JSON string becomes its text, any other value its JSON.
      return `(${quoted} #>> '{}')`;
    case "file":
    case "image":
    case "links":
    case "backlinks":
    case "lookup":
    case "rollup":
    case "formula":
    case "embedding":
    case "vector":
      throw new Error("Files, links and computed values have no text.");
    case "multi_enum":
      // As in a CSV file: as JSON if the separator would be ambiguous.
      return (
        `case when array_to_string(${quoted}, '') ~ '^[[]|;' then to_jsonb(${quoted})::text ` +
        `else array_to_string(${quoted}, ';') end`
      );
  }
}

/** Returns whether the values of a column are texts in PostgreSQL, or JSON that may be a text. */
export function isTextual({ type }: Column): boolean {
  return TEXTUAL_TYPES.has(type);
}

const TEXTUAL_TYPES: ReadonlySet<string> = new Set(["text", "enum", "json"]);

/** True for a column whose values can become texts. */
export function hasText({ type }: Pick<Column, "type">): boolean {
  return !TEXTLESS_TYPES.has(type);
}

const TEXTLESS_TYPES: ReadonlySet<string> = new Set([
  "file",
  "image",
  "links",
  "backlinks",
  "lookup",
  "rollup",
  "formula",
  "embedding",
  "vector",
]);
