/** The weeks of a month, starting on Monday. */
const DAY_MS = 86_400_000;
const WEEKS = 6;

/** Returns the days of a month's six weeks, each as `2026-11-30`. */
export function daysOf(month: string): readonly string[] {
  const first = Date.parse(`${month}-01T00:00:00Z`);
  const back = (new Date(first).getUTCDay() + 6) % 7;
  return Array.from({ length: WEEKS * 7 }, (_, n) =>
    new Date(first + (n - back) * DAY_MS).toISOString().slice(0, 10),
  );
}

export function stepMonth(month: string, by: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** Returns the day of a value; for a timestamp, the day in the user's time zone. */
export function dayOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  if (value.length <= 10) return value;
  const at = new Date(value);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
