/** Parses the body of a response: JSON as a value, anything else as text that a database can store. */
export function parseResponseContent(
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
): unknown {
  const text = Buffer.from(bytes).toString().replaceAll("\u0000", "\uFFFD");
  if (!/[/+]json\b/i.test(headers["content-type"] ?? "")) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
