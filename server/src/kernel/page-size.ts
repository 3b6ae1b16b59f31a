/** What a page of a list may hold, in characters of JSON: to write more would hold up everyone else. */
const PAGE_CHARACTERS_MAX = 16 * 1024 * 1024;

/** The first of these items, as many as a page may hold; one at least, so that its reader gets on. */
export function fitting<Item>(items: readonly Item[]): readonly Item[] {
  let room = PAGE_CHARACTERS_MAX;
  for (let index = 0; index < items.length; index += 1) {
    room -= sizeOf(items[index]);
    if (room < 0 && index > 0) return items.slice(0, index);
  }
  return items;
}

/** Of a number, a boolean or null, with the comma behind it. */
const SCALAR_CHARACTERS = 5;

/**
 * Near enough, and a fifth of the work of writing it. Texts are looked at where they are met: most
 * values are texts, and a call for each would double that.
 */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + SCALAR_CHARACTERS;
  if (typeof value !== "object" || value === null) return SCALAR_CHARACTERS;
  let size = SCALAR_CHARACTERS;
  if (Array.isArray(value)) {
    for (const part of value) size += sizeOf(part);
    return size;
  }
  for (const name in value) {
    const part = (value as Record<string, unknown>)[name];
    size += name.length + SCALAR_CHARACTERS;
    size += typeof part === "string" ? part.length : sizeOf(part);
  }
  return size;
}
