/** The values available to expressions, by path. */
export interface ScopeSource {
  /** The path in expressions: `steps.read.output`, `trigger`, `order`. */
  readonly path: string;
  readonly title: string;
  /** True if completion lists the name by its title. */
  readonly isListedByTitle?: boolean;
  /** Undefined if it is unknown. */
  readonly value: unknown;
  /** A JSON Schema: names for completion before there is a value. */
  readonly schema?: unknown;
}

/** A placeholder in a scope for a value of which only the type is known. */
export const TYPE = Symbol("type");

/**
 * Builds the object that expressions read: `{ steps: { read: { output } }, trigger, order }`. For duplicate paths,
 * the nearest source wins.
 */
export function toScope(sources: readonly ScopeSource[]): Readonly<Record<string, unknown>> {
  const scope: Record<string, unknown> = {};
  for (const { path, value } of sources) {
    if (value === undefined) continue;
    const names = path.replaceAll("`", "").split(".");
    const last = names.pop() ?? "";
    let at = scope;
    for (const name of names) at = (at[name] ??= {}) as Record<string, unknown>;
    at[last] ??= value;
  }
  return scope;
}

/** Builds the scope for completion: sources without a value have the names in their schema. */
export function toNames(sources: readonly ScopeSource[]): Readonly<Record<string, unknown>> {
  const known = sources.map((source) =>
    source.value === undefined ? { ...source, value: shapeOf(source.schema) ?? {} } : source,
  );
  return toScope(known);
}

interface KnownShape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
}

function shapeOf(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return undefined;
  const { type, properties, items } = schema as KnownShape;
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, shapeOf(field) ?? { [TYPE]: "" }]),
    );
  }
  if (type === "array") return items === undefined ? [] : [shapeOf(items)];
  return { [TYPE]: type ?? "" };
}

/** Returns the sources used in a text. A run may have megabytes of values, so only these are sent. */
export function pickSources(sources: readonly ScopeSource[], text: string): readonly ScopeSource[] {
  return sources.filter(({ path }) => {
    const [first = "", second] = path.replaceAll("`", "").split(".");
    return text.includes(second ?? first);
  });
}

/** Follows a path of names; for lists, the first item is used. */
export function resolveNames(scope: unknown, names: readonly string[]): unknown {
  let at = scope;
  for (const written of names) {
    const [, name = "", index] = /^`?([^`[]*)`?(?:\[(-?\d+)\])?$/.exec(written) ?? [];
    if (Array.isArray(at)) at = at[0];
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
    if (index !== undefined && Array.isArray(at)) at = at.at(Number(index));
  }
  return Array.isArray(at) ? at[0] : at;
}

/**
 * Formats a value of any type for one field: strings unquoted, others as JSON. Strings that would parse as JSON are
 * quoted: the number is `5`, the string is `"5"`, and both are parsed to the same value.
 */
export function spellValue(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value, undefined, 2);
  return value === "" || value.trim() !== value || parseJson(value) !== undefined
    ? JSON.stringify(value)
    : value;
}

export function parseValue(text: string): unknown {
  if (text.trim() === "") return undefined;
  const parsed = parseJson(text);
  return parsed === undefined ? text : parsed.value;
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*(["[{\d-]|true\b|false\b|null\b)/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
