/** A time as a `datetime-local` field has it, in the browser's zone. */
export function toLocalTime(time: Date): string {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, "2026-01-01T00:00".length);
}

/** The value of a `datetime-local` field as a time of the API; undefined while it is empty. */
export function toIsoTime(value: string): string | undefined {
  const time = new Date(value);
  return value === "" || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
