const WIDTH_MAX = 120;

/**
 * Formats JSON for commits: values that fit on a line are on one, so that a changed field is one changed line in a
 * review.
 */
export function renderJson(value: unknown): string {
  return `${renderValue(JSON.parse(JSON.stringify(value)), "", 0)}\n`;
}

/** `taken` is the width before and after the value on its line. */
function renderValue(value: unknown, indent: string, taken: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? "[]" : "{}";
  const entries = Object.entries(value);
  if (entries.length === 0) return `${open}${close}`;
  const shortest = JSON.stringify(value).length + indent.length + taken;
  const flat = shortest > WIDTH_MAX ? undefined : renderFlat(value);
  if (flat !== undefined && flat.length + indent.length + taken <= WIDTH_MAX) return flat;
  const inner = `${indent}  `;
  const lines = entries.map(([name, part]) => {
    const key = isList ? "" : `${JSON.stringify(name)}: `;
    return `${inner}${key}${renderValue(part, inner, key.length + ",".length)}`;
  });
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

function renderFlat(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(renderFlat).join(", ")}]`;
  const fields = Object.entries(value).map(
    ([name, part]) => `${JSON.stringify(name)}: ${renderFlat(part)}`,
  );
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
