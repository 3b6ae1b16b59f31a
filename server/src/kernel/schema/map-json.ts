/**
 * Maps the leaves of a JSON value, and with `rename` its field names. Unchanged parts are returned as the same object,
 * so an unchanged large value is not copied.
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
