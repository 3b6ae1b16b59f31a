/** Example inputs for a schema, to test presets. */
import type { PrunedSchema } from "../../openapi/discovered-action.ts";

const TEXTS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05.000Z",
  date: "2026-01-02",
  uri: "https://example.com/a",
  email: "ada@example.com",
};

/** A value that fits a schema of the short form. */
export function exampleOf(schema: PrunedSchema): unknown {
  const [first] = (schema["enum"] as readonly unknown[] | undefined) ?? [];
  if (first !== undefined) return first;
  switch (schema["type"]) {
    case "string":
      return TEXTS[String(schema["format"])] ?? "one two";
    case "integer":
      return 7;
    case "number":
      return 1.5;
    case "boolean":
      return true;
    case "array":
      return [exampleOf((schema["items"] ?? {}) as PrunedSchema)];
    case "object":
      return { name: "value" };
    default:
      return { any: 1 };
  }
}

/** All fields of an input, except the number of pages. */
export function exampleInput(schema: PrunedSchema): Record<string, unknown> {
  const properties = schema["properties"] as Readonly<Record<string, PrunedSchema>>;
  const entries = Object.entries(properties).filter(([name]) => name !== "pagesMax");
  return Object.fromEntries(entries.map(([name, field]) => [name, exampleOf(field)]));
}
