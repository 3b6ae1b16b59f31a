/** Formats a time for a `datetime-local` field, in the browser's time zone. */
export function toLocalTime(time: Date): string {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, "2026-01-01T00:00".length);
}

/** Converts the value of a `datetime-local` field to an API timestamp; undefined if it is empty. */
export function toIsoTime(value: string): string | undefined {
  const time = new Date(value);
  return value === "" || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
