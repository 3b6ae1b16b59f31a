import Type, { type Static, type TProperties, type TSchema } from "typebox";
import { idPattern } from "./id.ts";

/** A request object. Unknown fields are errors, so that misspelt fields are reported. */
export function object<P extends TProperties>(
  properties: P,
  options: { title?: string; description?: string } = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** All fields of `schema` optional, and at least one required: the body of a PATCH. */
export function patch<P extends TProperties>(properties: P) {
  return Type.Object(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]),
    ) as { [K in keyof P]: ReturnType<typeof Type.Optional<P[K]>> },
    { additionalProperties: false, minProperties: 1 },
  );
}

/** The schema, or null. One schema with two types, which is far cheaper to serialise than a union. */
export function nullable<S extends TSchema>(schema: S) {
  const { type } = schema as { type?: string };
  if (type === undefined) return Type.Unsafe<Static<S> | null>(Type.Union([schema, Type.Null()]));
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [type, "null"] });
}

export function id(prefix: string, description?: string) {
  return Type.String({ pattern: idPattern(prefix), ...(description && { description }) });
}

export const Time = Type.String({
  format: "date-time",
  description: "ISO 8601 time in UTC, with milliseconds",
});

/**
 * A time in a caller's input. The format alone also accepts the year 0, an offset of 23 hours and a thousand decimals,
 * which PostgreSQL rejects. Real offsets end at 14 hours.
 */
export const InputTime = Type.String({
  format: "date-time",
  pattern:
    "^(19|[2-9]\\d)\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-](0\\d|1[0-3]):[0-5]\\d|[+-]14:00)$",
  description: "ISO 8601 time with a UTC offset, from the year 1900 to 9999",
});

/** One line of text. */
export function line(maxLength: number, description?: string) {
  return Type.String({ minLength: 1, maxLength, ...(description && { description }) });
}

/** Text of any length up to a limit, including empty text. */
export function text(maxLength: number, description?: string) {
  return Type.String({ maxLength, ...(description && { description }) });
}

/**
 * An e-mail address in accounts and forms. Each part matches a single character class, so the pattern cannot
 * backtrack.
 */
export const EMAIL_PATTERN = "^[^\\s@]{1,64}@[^\\s@]{1,190}$";
