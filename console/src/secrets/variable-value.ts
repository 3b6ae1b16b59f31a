/** The text that stands for a value in a field: plain texts as they are, all else as JSON. */
export function toText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2);
  // A text that would be read as something else is quoted.
  return parseText(value) === value ? value : JSON.stringify(value);
}

/** The value that a text stands for: what JSON says, or the text itself where it is none. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const SUMMARY_CHARACTERS_MAX = 120;

/** A value in one short line. */
export function toLine(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > SUMMARY_CHARACTERS_MAX ? `${text.slice(0, SUMMARY_CHARACTERS_MAX)}…` : text;
}
