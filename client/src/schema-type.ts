/** JSON Schemas as TypeScript types. */

type Json = Readonly<Record<string, unknown>>;

/** An override for the type of a schema. Undefined for the default. */
export type SpecialType = (schema: Json) => string | undefined;

/** A TypeScript type before printing. */
export type TypeTree =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "union" | "intersection"; readonly parts: readonly TypeTree[] }
  | { readonly kind: "list" | "map"; readonly of: TypeTree }
  | { readonly kind: "object"; readonly members: readonly TypeMember[] };

export interface TypeMember {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: TypeTree;
  /** The documentation of the member. */
  readonly doc?: string | undefined;
}

/** A JSON Schema as a TypeScript type on one line. */
export function typeOf(schema: Json, special?: SpecialType): string {
  return printFlat(toTypeTree(schema, special));
}

/** A JSON Schema as a type whose members have the descriptions of their schemas. */
export function toTypeTree(schema: Json, special: SpecialType = () => undefined): TypeTree {
  const chosen = special(schema);
  if (chosen !== undefined) return word(chosen);
  const inner = (part: unknown): TypeTree => toTypeTree((part ?? {}) as Json, special);
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === "string") {
    return word(`Schemas[${quote($ref.slice($ref.lastIndexOf("/") + 1))}]`);
  }
  if (constant !== undefined) return word(JSON.stringify(constant));
  if (Array.isArray(values)) {
    const isNullable = Array.isArray(type) && type.includes("null") && !values.includes(null);
    return unionOf((isNullable ? [...values, null] : values).map((one) => word(quote(one))));
  }
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) return unionOf(union.map(inner));
  if (Array.isArray(allOf)) return { kind: "intersection", parts: allOf.map(inner) };
  if (Array.isArray(type))
    return unionOf(type.map((one: unknown) => inner({ ...schema, type: one })));
  if (type === "array") return { kind: "list", of: inner(schema["items"]) };
  if (type === "object") return objectType(schema, inner);
  return word(WORDS.get(type) ?? "unknown");
}

const WORDS: ReadonlyMap<unknown, string> = new Map([
  ["string", "string"],
  ["number", "number"],
  ["integer", "number"],
  ["boolean", "boolean"],
  ["null", "null"],
]);

export function word(text: string): TypeTree {
  return { kind: "word", text };
}

/** A union of the distinct types. */
export function unionOf(types: readonly TypeTree[]): TypeTree {
  const parts = [...new Map(types.map((type) => [printFlat(type), type])).values()];
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind: "union", parts };
}

function objectType(schema: Json, inner: (part: unknown) => TypeTree): TypeTree {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  if (properties.length > 0) {
    const required = new Set((schema["required"] ?? []) as string[]);
    const members = properties.map(([name, property]) => ({
      name,
      isOptional: !required.has(name),
      type: inner(property),
      doc: docOf(property),
    }));
    return { kind: "object", members };
  }
  const patterns = Object.values((schema["patternProperties"] ?? {}) as Record<string, Json>);
  const { additionalProperties } = schema;
  if (patterns.length > 0) return { kind: "map", of: unionOf(patterns.map(inner)) };
  const isTyped = typeof additionalProperties === "object";
  return { kind: "map", of: isTyped ? inner(additionalProperties) : word("unknown") };
}

/** The description or title of a schema. Referenced schemas have their own. */
export function docOf({ $ref, description, title }: Json): string | undefined {
  if (typeof description === "string") return description;
  return typeof title === "string" && $ref === undefined ? title : undefined;
}

function printFlat(type: TypeTree): string {
  switch (type.kind) {
    case "word":
      return type.text;
    case "union":
      return type.parts.map(printFlat).join(" | ");
    case "intersection":
      return type.parts.map((part) => `(${printFlat(part)})`).join(" & ");
    case "list":
      return `readonly (${printFlat(type.of)})[]`;
    case "map":
      return `{ readonly [name: string]: ${printFlat(type.of)} }`;
    case "object": {
      const members = type.members.map(
        (one) => `${quote(one.name)}${one.isOptional ? "?" : ""}: ${printFlat(one.type)}`,
      );
      return `{ ${members.join("; ")} }`;
    }
  }
}

/** A value as source code. */
export function quote(value: unknown): string {
  return JSON.stringify(value);
}
