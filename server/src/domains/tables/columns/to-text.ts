import type { Column } from "../table.ts";

/** The expression that converts a column of any type into text, in the form of the API. */
export function toTextSql({ type }: Column, quoted: string): string {
  switch (type) {
    case "text":
    case "enum":
    case "reference":
      return quoted;
    case "integer":
    case "autonumber":
    case "boolean":
      return `${quoted}::text`;
    case "decimal":
      return `trim_scale(${quoted})::text`;
    case "date":
      return `to_char(${quoted}, 'YYYY-MM-DD')`;
    case "timestamp":
      return `to_char(${quoted} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    case "json":
      // A text within JSON becomes that text, any other value its JSON.
      return `(${quoted} #>> '{}')`;
    case "multi_enum":
      // As in a CSV file: as JSON where the separator would be ambiguous.
      return (
        `case when array_to_string(${quoted}, '') ~ '^[[]|;' then to_jsonb(${quoted})::text ` +
        `else array_to_string(${quoted}, ';') end`
      );
  }
}

/** True for a column whose values are texts in PostgreSQL too, or JSON that may be one. */
export function isTextual({ type }: Column): boolean {
  return type === "text" || type === "enum" || type === "json";
}
