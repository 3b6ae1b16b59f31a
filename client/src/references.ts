type Reference = { readonly $ref: string };

/** Resolves a `$ref`. Members next to the `$ref` replace those of the target. */
export function followRef<T extends object>(document: object, part: T | Reference): T {
  const { $ref, ...beside } = part as Reference;
  if (typeof $ref !== "string") return part as T;
  // In a JSON pointer, `~1` is a slash and `~0` a tilde.
  const names = $ref
    .slice("#/".length)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  let target: unknown = document;
  for (const name of names) target = (target as Readonly<Record<string, unknown>>)[name];
  if (typeof target !== "object" || target === null) throw new Error(`${$ref} does not exist.`);
  return { ...followRef(document, target as T | Reference), ...beside };
}
