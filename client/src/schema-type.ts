/** JSON Schemas as TypeScript types. */

type Json = Readonly<Record<string, unknown>>;

/** The type of a schema that means something else than it says; undefined for any other. */
export type SpecialType = (schema: Json) => string | undefined;

/** A JSON Schema as a TypeScript type. */
export function typeOf(schema: Json, special: SpecialType = () => undefined): string {
  const chosen = special(schema);
  if (chosen !== undefined) return chosen;
  const inner = (part: Json): string => typeOf(part, special);
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === "string") return `Schemas[${quote($ref.slice($ref.lastIndexOf("/") + 1))}]`;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) {
    const texts = values.map((value) => JSON.stringify(value));
    return Array.isArray(type) && type.includes("null") && !values.includes(null)
      ? [...texts, "null"].join(" | ")
      : texts.join(" | ");
  }
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) {
    return [...new Set(union.map((part) => inner(part as Json)))].join(" | ");
  }
  if (Array.isArray(allOf)) return allOf.map((part) => `(${inner(part as Json)})`).join(" & ");
  if (Array.isArray(type)) {
    return type.map((one: unknown) => inner({ ...schema, type: one })).join(" | ");
  }
  switch (type) {
    case "string":
      return "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `readonly (${inner((schema["items"] ?? {}) as Json)})[]`;
    case "object":
      return objectType(schema, inner);
    default:
      return "unknown";
  }
}

function objectType(schema: Json, inner: (part: Json) => string): string {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  const required = new Set((schema["required"] ?? []) as string[]);
  const patterns = Object.values((schema["patternProperties"] ?? {}) as Record<string, Json>);
  const { additionalProperties } = schema;
  const rest =
    patterns.length > 0
      ? patterns.map(inner).join(" | ")
      : typeof additionalProperties === "object"
        ? inner(additionalProperties as Json)
        : "unknown";
  if (properties.length === 0) return `{ readonly [name: string]: ${rest} }`;
  const members = properties.map(
    ([name, property]) => `${quote(name)}${required.has(name) ? "" : "?"}: ${inner(property)}`,
  );
  return `{ ${members.join("; ")} }`;
}

/** A text as source. */
export function quote(text: string): string {
  return JSON.stringify(text);
}
