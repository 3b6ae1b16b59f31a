/** Reads the schemas of the API description. */
import type { Api } from "./describe.ts";
import type { FieldFacts } from "./field-facts.ts";
import { followRef } from "./references.ts";

export type Json = Readonly<Record<string, unknown>>;

/** A nullable schema without its null. */
export function withoutNull(api: Api, schema: Json): { schema: Json; isNullable: boolean } {
  const { type, anyOf, oneOf } = schema;
  if (Array.isArray(type) && type.includes("null")) {
    return { schema: { ...schema, type: type.find((one) => one !== "null") }, isNullable: true };
  }
  const parts = anyOf ?? oneOf;
  if (!Array.isArray(parts)) return { schema, isNullable: false };
  const all = parts.map((part) => resolve(api, part as Json));
  const others = all.filter((part) => part["type"] !== "null");
  const [only] = others;
  const isNullable = others.length < all.length;
  if (others.length === 1 && only) return { schema: { ...schema, ...only }, isNullable };
  return { schema: { ...schema, anyOf: others }, isNullable };
}

/** The values of an enumeration in any notation. */
export function valuesOf(schema: Json): NonNullable<FieldFacts["values"]> | undefined {
  const { enum: values, anyOf } = schema;
  if (Array.isArray(values)) return values.filter((value) => value !== null);
  if (!Array.isArray(anyOf)) return undefined;
  const constants = anyOf.map((part) => (part as Json)["const"] as string | undefined);
  const known = constants.filter((value) => value !== undefined);
  return known.length === anyOf.length && known.length > 0 ? known : undefined;
}

export const resolve = (api: Api, schema: Json): Json => followRef(api, schema);
