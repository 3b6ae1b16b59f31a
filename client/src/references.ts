type Reference = { readonly $ref: string };

/** The part of a description that a `$ref` stands for; what is written beside the `$ref` replaces that of the part. */
export function followRef<T extends object>(document: object, part: T | Reference): T {
  const { $ref, ...beside } = part as Reference;
  if (typeof $ref !== "string") return part as T;
  // A name in a JSON pointer has `~1` for a slash and `~0` for a tilde.
  const names = $ref
    .slice("#/".length)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  let target: unknown = document;
  for (const name of names) target = (target as Readonly<Record<string, unknown>>)[name];
  if (typeof target !== "object" || target === null) throw new Error(`${$ref} does not exist.`);
  return { ...followRef(document, target as T | Reference), ...beside };
}
