const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** Formats a size: `1.4 GB`. */
export function toBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < UNITS.length - 1) [value, unit] = [value / 1_000, unit + 1];
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
