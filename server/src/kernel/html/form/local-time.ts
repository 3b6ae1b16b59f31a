/** Conversion between local times such as `2026-11-16T09:30` and instants. */

/** The local time of an instant, to the minute. */
export function localTime(moment: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).formatToParts(moment);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
  const year = part("year").padStart(4, "0");
  return `${year}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}

const MINUTE_MS = 60_000;

/**
 * The instant of a local time. If clocks are set back and it occurs twice, the first is used; a skipped local
 * time is shifted by the clock change.
 */
export function toMoment(local: string, timeZone: string): Date {
  const asUtc = Date.parse(`${local}Z`);
  const offsetAt = (ms: number): number => {
    const minute = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
    return Date.parse(`${localTime(new Date(minute), timeZone)}Z`) - minute;
  };
  // The offsets before and after the change: a day on either side is outside any change.
  const day = 24 * 60 * MINUTE_MS;
  const before = asUtc - offsetAt(asUtc - day);
  const after = asUtc - offsetAt(asUtc + day);
  if (before === after || offsetAt(before) === asUtc - before) return new Date(before);
  return new Date(offsetAt(after) === asUtc - after ? after : before);
}
