/** A change of a resource as lines: the differing paths with both values. */
const VALUE_CHARACTERS_MAX = 100;
const LINES_MAX = 40;

/** Lines such as `  definition.name: "a" -> "b"`. Equal parts are omitted. */
export function diffLines(before: unknown, after: unknown): string[] {
  const lines = compare(before, after, "");
  if (lines.length <= LINES_MAX) return lines;
  return [...lines.slice(0, LINES_MAX), `and ${lines.length - LINES_MAX} more`];
}

function compare(before: unknown, after: unknown, path: string): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isPlain(before) && isPlain(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) =>
      compare(before[name], after[name], path === "" ? name : `${path}.${name}`),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, n) => n).flatMap((n) =>
      compare(before[n], after[n], `${path}[${n}]`),
    );
  }
  if (before === undefined) return [`+ ${path}: ${show(after)}`];
  if (after === undefined) return [`- ${path}: ${show(before)}`];
  return [`~ ${path}: ${show(before)} -> ${show(after)}`];
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX)}…` : text;
}
