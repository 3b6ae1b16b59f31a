type Json = Readonly<Record<string, unknown>>;

const WHOLE = /^\{([\w.]+)\}$/;

/**
 * Replaces names in braces with values. A text that is a single name becomes the value itself, or is omitted if
 * there is none.
 */
export function fillCall(template: unknown, values: Json): unknown {
  if (typeof template === "string") {
    const [, name] = WHOLE.exec(template) ?? [];
    if (name !== undefined) return read(values, name);
    return template.replaceAll(/\{([\w.]+)\}/g, (_, inner: string) => textOf(read(values, inner)));
  }
  if (Array.isArray(template)) return template.map((one) => fillCall(one, values));
  if (typeof template !== "object" || template === null) return template;
  const filled = Object.entries(template).map(([name, part]) => [name, fillCall(part, values)]);
  return Object.fromEntries(filled.filter(([, part]) => part !== undefined));
}

function read(values: Json, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === "object" && inner !== null && Object.hasOwn(inner, name)
          ? (inner as Json)[name]
          : undefined,
      values,
    );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
