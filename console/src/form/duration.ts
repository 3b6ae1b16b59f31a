/** Durations in forms: users enter minutes, the API expects milliseconds. */
export const UNITS = [
  { name: "days", ms: 86_400_000 },
  { name: "hours", ms: 3_600_000 },
  { name: "minutes", ms: 60_000 },
  { name: "seconds", ms: 1_000 },
  { name: "ms", ms: 1 },
] as const;

const SECONDS_MS = 1_000;

/** Returns the largest unit that divides the duration; seconds if there is no value. */
export function unitOf(value: unknown): number {
  if (typeof value !== "number" || value <= 0) return SECONDS_MS;
  return UNITS.find(({ ms }) => value % ms === 0)?.ms ?? 1;
}

/**
 * Returns whether a field is a duration in milliseconds, by its name such as `quietMs`. A field with `x-unit` is shown
 * as a number.
 */
export const isDuration = (
  name: string,
  schema: { readonly type?: unknown; readonly "x-unit"?: string },
): boolean =>
  /[a-z]Ms$/.test(name) &&
  schema["x-unit"] === undefined &&
  /^(integer|number)$/.test(String(schema.type));
