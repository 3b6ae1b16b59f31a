/** Lengths of time in a form: people say minutes, the API takes milliseconds. */
export const UNITS = [
  { name: "days", ms: 86_400_000 },
  { name: "hours", ms: 3_600_000 },
  { name: "minutes", ms: 60_000 },
  { name: "seconds", ms: 1_000 },
  { name: "ms", ms: 1 },
] as const;

const SECONDS_MS = 1_000;

/** The largest unit that a time is a whole number of; seconds where there is none yet. */
export function unitOf(value: unknown): number {
  if (typeof value !== "number" || value <= 0) return SECONDS_MS;
  return UNITS.find(({ ms }) => value % ms === 0)?.ms ?? 1;
}

/** True of a number of milliseconds by its name, as `quietMs`; one that names its unit says it itself. */
export const isDuration = (
  name: string,
  schema: { readonly type?: unknown; readonly "x-unit"?: string },
): boolean =>
  /[a-z]Ms$/.test(name) &&
  schema["x-unit"] === undefined &&
  /^(integer|number)$/.test(String(schema.type));
