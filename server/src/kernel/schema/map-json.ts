/**
 * Maps the leaves of a JSON value, and with `rename` the names of its fields. A part that does not change is
 * returned as it was, so that a large value which stays the same costs no copy.
 */
export function mapJson(
  value: unknown,
  change: (leaf: unknown) => unknown,
  rename: (field: string) => string = (field) => field,
): unknown {
  if (typeof value !== "object" || value === null) return change(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const mapped = items.map((item) => mapJson(item, change, rename));
    return mapped.some((item, index) => item !== items[index]) ? mapped : value;
  }
  const fields = Object.entries(value);
  const mapped = fields.map(
    ([name, part]) => [rename(name), mapJson(part, change, rename)] as const,
  );
  const same = mapped.every(
    ([name, part], index) => name === fields[index]?.[0] && part === fields[index][1],
  );
  return same ? value : Object.fromEntries(mapped);
}
