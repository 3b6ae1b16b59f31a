/** Guesses the schema of a message from earlier ones. */
export interface PayloadSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Returns a schema with the fields of earlier payloads; undefined if a form can't represent one of them. */
export function guessSchema(
  payloads: readonly Readonly<Record<string, unknown>>[],
): PayloadSchema | undefined {
  const properties: Record<string, Record<string, unknown>> = {};
  for (const [name, value] of payloads.flatMap((payload) => Object.entries(payload))) {
    const type = typeOf(value);
    if (type === undefined) return undefined;
    const known = properties[name]?.["type"];
    if (type === "null" || known === type) continue;
    if (known !== undefined && !(known === "number" && type === "integer")) {
      if (known === "integer" && type === "number") properties[name] = { type };
      else return undefined;
    } else if (known === undefined) properties[name] = { type };
  }
  return Object.keys(properties).length === 0 ? undefined : { type: "object", properties };
}

function typeOf(value: unknown): string | undefined {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" || typeof value === "boolean" ? typeof value : undefined;
}
