/** Formats a value for a field: plain texts unchanged, others as JSON. */
export function toText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2);
  // Texts that would be parsed as another value are quoted.
  return parseText(value) === value ? value : JSON.stringify(value);
}

/** Parses JSON; text that is not JSON is returned unchanged. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const SUMMARY_CHARACTERS_MAX = 120;

/** Formats a value in one short line. */
export function toLine(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > SUMMARY_CHARACTERS_MAX ? `${text.slice(0, SUMMARY_CHARACTERS_MAX)}…` : text;
}
