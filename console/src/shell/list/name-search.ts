/** Returns items whose name or description contains these words. */
export function findNamed<T extends { readonly name: string; readonly description: string }>(
  things: readonly T[] | undefined,
  words: string,
): readonly T[] | undefined {
  const wanted = words.trim().toLowerCase();
  return things?.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
}
