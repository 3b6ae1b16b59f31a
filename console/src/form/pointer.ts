/** JSON pointers identify fields in server errors and in form changes. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const escapeSegment = (name: string): string =>
  name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Parses `/a/b~1c` as `a` and `b/c`. */
export function parsePointer(pointer: string): readonly string[] {
  const [, ...segments] = pointer.split("/");
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function readPointer(value: unknown, pointer: string): unknown {
  let at = value;
  for (const name of parsePointer(pointer)) {
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isFields(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}

/** Writes a value at a pointer; only objects on the path are copied. Undefined removes the field. */
export function writePointer(value: unknown, pointer: string, next: unknown): unknown {
  return writeAt(value, parsePointer(pointer), next);
}

function writeAt(value: unknown, [name, ...rest]: readonly string[], next: unknown): unknown {
  if (name === undefined) return next;
  if (Array.isArray(value)) {
    return value.map((item: unknown, n) => (n === Number(name) ? writeAt(item, rest, next) : item));
  }
  const fields = isFields(value) ? value : {};
  const made = writeAt(Object.hasOwn(fields, name) ? fields[name] : undefined, rest, next);
  const { [name]: _, ...others } = fields;
  if (made === undefined) return others;
  // An existing field keeps its position in the object.
  return Object.fromEntries([
    ...Object.entries(fields).map(([key, old]) => [key, key === name ? made : old] as const),
    ...(Object.hasOwn(fields, name) ? [] : [[name, made] as const]),
  ]);
}
